package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// behind puts a gate of one's own before photos.
func behind(t *testing.T, change func(*admission.Config)) func(*httpapi.EnqueueConfig) {
	t.Helper()
	config := admission.Config{
		Queue: "photos", Limit: 100, DrainRate: 1, Random: func() float64 { return 0 },
		Depth: func(context.Context) (int, error) { return 100, nil },
	}
	change(&config)
	gate, err := admission.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *httpapi.EnqueueConfig) { c.Gates = map[string]*admission.Gate{"photos": gate} }
}

// onlyJob gives the one job that the table has.
func (a *api) onlyJob() store.Record {
	a.t.Helper()
	found, err := a.jobs.ScanPage(a.t.Context(), store.Scan{})
	if err != nil || len(found.Jobs) != 1 {
		a.t.Fatalf("%d jobs, %v", len(found.Jobs), err)
	}
	return found.Jobs[0]
}

// refusal asks for a job and is refused.
func (a *api) refusal() response {
	a.t.Helper()
	r := event(a.t, "enqueue")
	answer := a.send(a.enqueue.Handle, r)
	isProblem(a.t, r, answer, http.StatusServiceUnavailable)
	if a.driver.writes != 0 {
		a.t.Errorf("%d writes", a.driver.writes)
	}
	return answer
}

// What a gate asks for is what is enqueued.
func TestAFullQueueDegradesOrSpills(t *testing.T) {
	a := newAPI(t, behind(t, func(c *admission.Config) { c.Full, c.Limit = job.Degrade, 200 }))
	a.accept()
	if rec := a.onlyJob(); !rec.Degraded || rec.State != lifecycle.Queued {
		t.Errorf("degraded: %+v", rec)
	}
	a = newAPI(t, behind(t, func(c *admission.Config) { c.Full = job.Spill }))
	if answer := a.send(a.enqueue.Handle, event(t, "enqueue")); !strings.Contains(answer.Body, `"state":"scheduled"`) {
		t.Errorf("the answer is not what GET says: %s", answer.Body)
	}
	if rec := a.onlyJob(); !rec.Spilled || rec.State != lifecycle.Scheduled || rec.Publication != nil {
		t.Errorf("spilled: %+v", rec)
	}
}

// Where the producer finds no room for what the gate let in, the answer is the gate's
// refusal, with its Retry-After; and nothing was stored.
func TestTheProducerMayFindNoRoom(t *testing.T) {
	a := newAPI(t, behind(t, func(c *admission.Config) { c.Full = job.Replace })) // a request over HTTP has no key to replace by
	answer := a.refusal()
	if answer.Headers["Retry-After"] != "5" || !strings.Contains(answer.Body, "queue-full") {
		t.Errorf("%+v", answer)
	}
}

// A relay that stands still is told apart from a full queue.
func TestAQueueThatIsNotReachedIsRefused(t *testing.T) {
	dark := func(c *admission.Config) {
		now := time.Now()
		c.Depth, c.Probe = nil, func(context.Context) error { return nil }
		c.Look = func(context.Context) (admission.Reading, error) {
			return admission.Reading{Asked: now.Add(-time.Minute), Probed: now}, nil
		}
	}
	a := newAPI(t, behind(t, dark))
	answer := a.refusal()
	if answer.Headers["Retry-After"] == "" || !strings.Contains(answer.Body, "can't be reached") || !strings.Contains(a.log.String(), "reason=unrelayed") {
		t.Errorf("%+v\n%s", answer, a.log)
	}
}

// Lines about a gate name its queue, and the task where there is one.
func TestLinesOfAGateNameTheQueue(t *testing.T) {
	a := newAPI(t, behind(t, func(c *admission.Config) {
		c.Doubt = -1
		c.Depth = func(context.Context) (int, error) { return 0, errors.New("down") }
	}))
	a.refusal()
	unread := a.log.String()
	a.depth = 100
	a.send(a.uploads.Handle, event(t, "uploads"))
	upload := strings.TrimPrefix(a.log.String(), unread)
	for name, c := range map[string]struct{ log, line, of string }{
		"read":    {unread, "msg=\"queue not read\"", "queue=photos task=photo.resize"},
		"refused": {unread, "msg=refused", "queue=photos task=photo.resize"},
		"upload":  {upload, "msg=refused", "queue=photos"},
	} {
		found := false
		for line := range strings.Lines(c.log) {
			found = found || strings.Contains(line, c.line) && strings.Contains(line, c.of)
		}
		if !found {
			t.Errorf("%s: no line %s with %s in\n%s", name, c.line, c.of, c.log)
		}
	}
}
