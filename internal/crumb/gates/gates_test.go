package gates_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
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

// made makes the gates of tasks, before queues of that depth, over an empty table.
func made(t *testing.T, c counter, of ...job.Defined) (map[string]*admission.Gate, error) {
	t.Helper()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	return gates.New(gates.Config{Jobs: jobs, Counter: c, URL: func(name string) string { return "url of " + name }, Now: time.Now}, of...)
}

func TestPhotosAreRefusedAtTheirPlannedLimit(t *testing.T) {
	for _, c := range []struct {
		depth queue.Depth
		want  bool
	}{
		{queue.Depth{Visible: 17_000, Delayed: 500, InFlight: 499}, true},
		{queue.Depth{Visible: 17_000, Delayed: 500, InFlight: 500}, false},
	} {
		all, err := made(t, counter{"url of photos", c.depth}, tasks.Resize)
		if err != nil {
			t.Fatal(err)
		}
		d := all["photos"].Admit(t.Context())
		if d.Limit != 18_000 || d.Depth != c.depth.Total() || d.Admitted != c.want || d.Err != nil {
			t.Errorf("%+v: %+v", c.depth, d)
		}
	}
}

func TestABadPlanIsReported(t *testing.T) {
	bad := job.Define[struct{}]("bad", job.Policy{Queue: job.Queue{Name: "bad"}})
	if _, err := made(t, counter{}, bad); err == nil || !strings.Contains(err.Error(), "ServiceTime") {
		t.Errorf("a queue without a load: %v", err)
	}
}

// says is a gate that says what it is.
type says admission.Decision

func (s says) AdmitFor(context.Context, job.Policy) admission.Decision { return admission.Decision(s) }

func TestPass(t *testing.T) {
	wait, broken := time.Minute, errors.New("broken")
	for name, c := range map[string]struct {
		gate     says
		answer   error
		enqueues bool
		full     bool
		degraded bool
	}{
		"room":                        {gate: says{Admitted: true}, enqueues: true},
		"degraded":                    {gate: says{Admitted: true, Form: admission.Degraded}, enqueues: true, degraded: true},
		"no room":                     {gate: says{Reason: admission.Full, RetryAfter: wait}, full: true},
		"no room, as it turned out":   {gate: says{Admitted: true, RetryAfter: wait}, answer: fmt.Errorf("x: %w", producer.ErrFull), enqueues: true, full: true},
		"something else was in a way": {gate: says{Admitted: true}, answer: broken, enqueues: true},
	} {
		t.Run(name, func(t *testing.T) {
			enqueued := false
			err := gates.Pass(t.Context(), c.gate, tasks.Export, func(admitted []job.Option) error {
				enqueued = true
				if job.Apply(admitted...).Degraded != c.degraded {
					t.Errorf("the options are %+v", job.Apply(admitted...))
				}
				return c.answer
			})
			var full *gates.FullError
			if enqueued != c.enqueues || errors.As(err, &full) != c.full {
				t.Fatalf("enqueued %v, %v", enqueued, err)
			}
			if c.full && (full.Decision.Admitted || full.Decision.RetryAfter != wait) {
				t.Errorf("%+v", full.Decision)
			}
			if !c.full && !errors.Is(err, c.answer) {
				t.Errorf("%v", err)
			}
		})
	}
}
