package gates_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// counter answers a depth for one queue's URL.
type counter struct {
	url   string
	depth queue.Depth
}

func (c counter) Depth(_ context.Context, url string) (queue.Depth, error) {
	if url != c.url {
		return queue.Depth{}, nil
	}
	return c.depth, nil
}

func TestPhotosAreRefusedAtTheirPlannedLimit(t *testing.T) {
	for _, c := range []struct {
		depth queue.Depth
		want  bool
	}{
		{queue.Depth{Visible: 17_000, Delayed: 500, InFlight: 499}, true},
		{queue.Depth{Visible: 17_000, Delayed: 500, InFlight: 500}, false},
	} {
		all, err := gates.New(counter{"url of photos", c.depth}, func(name string) string { return "url of " + name }, tasks.Resize)
		if err != nil {
			t.Fatal(err)
		}
		d := all["photos"].Admit(t.Context())
		if d.Limit != 18_000 || d.Depth != c.depth.Total() || d.Admitted != c.want {
			t.Errorf("%+v: %+v", c.depth, d)
		}
	}
}

func TestABadPlanIsReported(t *testing.T) {
	bad := job.Define[struct{}]("bad", job.Policy{Queue: job.Queue{Name: "bad"}})
	if _, err := gates.New(counter{}, func(string) string { return "" }, bad); err == nil || !strings.Contains(err.Error(), "ServiceTime") {
		t.Errorf("a queue without a load: %v", err)
	}
}
