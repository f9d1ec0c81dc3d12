package httpapi_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

func TestMistakesAreReportedAtOnce(t *testing.T) {
	a := newAPI(t)
	ordered := photos
	ordered.Name, ordered.FIFO = "ledger", true
	p, err := producer.New(producer.Config{Jobs: a.jobs}, resizeTask, secretTask,
		job.Define[resize]("ledger.post", job.Policy{Queue: ordered, Public: true}))
	if err != nil {
		t.Fatal(err)
	}
	_, enqueue := httpapi.NewEnqueue(httpapi.EnqueueConfig{Producer: p, Secret: []byte("short"), KeyDocs: "docs/keys"})
	_, empty := httpapi.NewEnqueue(httpapi.EnqueueConfig{})
	_, status := httpapi.NewStatus(httpapi.JobsConfig{})
	_, cancel := httpapi.NewCancel(httpapi.JobsConfig{})
	_, uploads := httpapi.NewUploads(httpapi.UploadsConfig{MostBytes: -1})
	for name, c := range map[string]struct {
		err  error
		says []string
	}{
		"enqueue": {enqueue, []string{"secret has 5 bytes", `"photo.resize" is public and its queue "photos" has no gate`, "first-in-first-out", "docs/keys"}},
		"empty":   {empty, []string{"secret has 0 bytes", "Producer"}},
		"status":  {status, []string{"Jobs"}},
		"cancel":  {cancel, []string{"Jobs"}},
		"uploads": {uploads, []string{"Presigner", "Gate", "MostBytes is -1"}},
	} {
		if c.err == nil {
			t.Errorf("%s was taken", name)
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(c.err.Error(), part) {
				t.Errorf("%s: %q is not in: %v", name, part, c.err)
			}
		}
	}
	if strings.Contains(enqueue.Error(), "purge") {
		t.Errorf("a task that is not public needs no gate: %v", enqueue)
	}
}
