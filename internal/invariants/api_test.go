package invariants

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

type (
	request  = events.APIGatewayV2HTTPRequest
	response = events.APIGatewayV2HTTPResponse
)

// called makes a request of the HTTP API.
func called(method, path string, parameters map[string]string, body string) request {
	r := request{
		Version: "2.0", RawPath: path, PathParameters: parameters, Body: body, RouteKey: method + " " + path,
		Headers: map[string]string{"content-type": "application/json", "idempotency-key": "key-of-this-request"},
	}
	r.RequestContext.HTTP.Method = method
	return r
}

// answered is what a client makes of an answer: an error asks it to try again.
func answered(r response, err error, final ...int) error {
	if err == nil && !slices.Contains(final, r.StatusCode) {
		err = fmt.Errorf("%d %s", r.StatusCode, r.Body)
	}
	return err
}

// post enqueues a job over HTTP, with an idempotency key. The queue is full where
// depth is 100 or more. The client knows the job by the name from then on.
func post(at time.Duration, name string, does []string, depth func(*world) int) step {
	return step{at, "API", func(w *world, p *process, ctx context.Context) error {
		gate, err := admission.New(admission.Config{
			Queue: "notes", Limit: 100, DrainRate: 1, Random: func() float64 { return 0 },
			Depth: func(context.Context) (int, error) { return depth(w), nil },
		})
		if err != nil {
			return err
		}
		make, err := producer.New(producer.Config{Jobs: p.jobs, Objects: p.objects}, write)
		if err != nil {
			return err
		}
		rate, err := httpapi.NewRateLimit(httpapi.RateLimitConfig{Driver: p.driver})
		if err != nil {
			return err
		}
		enqueue, err := httpapi.NewEnqueue(httpapi.EnqueueConfig{
			Limit: rate, Producer: make, Gates: map[string]*admission.Gate{"notes": gate}, Secret: []byte("sixteen bytes or more"),
		})
		if err != nil {
			return err
		}
		body, err := json.Marshal(note{Does: does})
		if err != nil {
			return err
		}
		r, err := enqueue.Handle(ctx, called(http.MethodPost, "/jobs/note.write", map[string]string{"task": "note.write"}, string(body)))
		if err := answered(r, err, http.StatusAccepted); err != nil {
			return err
		}
		id := job.ID(strings.TrimPrefix(r.Headers["Location"], "/jobs/"))
		rec, err := w.exact.Get(ctx, id)
		if err != nil {
			w.failf("202 for a job that can't be read: %v", err)
		}
		if known := w.named(name); known != nil && known.id != id {
			w.failf("one request made the jobs %s and %s", known.id, id)
		}
		w.accept(rec, name, true)
		return nil
	}}
}

// look asks for a job over HTTP until it has ended.
func look(at time.Duration, name string) step {
	return step{at, "API", func(w *world, p *process, ctx context.Context) error {
		status, err := httpapi.NewStatus(httpapi.JobsConfig{Jobs: p.jobs, Objects: p.objects})
		if err != nil {
			return err
		}
		id := w.idNamed(name)
		r, err := status.Handle(ctx, called(http.MethodGet, "/jobs/"+id, map[string]string{"id": id}, ""))
		if err := answered(r, err, http.StatusOK); err != nil {
			return err
		}
		var shown struct {
			State  string  `json:"state"`
			Result outcome `json:"result"`
		}
		if err := json.Unmarshal([]byte(r.Body), &shown); err != nil {
			w.failf("the status %s: %v", r.Body, err)
		}
		if shown.State != "done" {
			return fmt.Errorf("it is %s", shown.State)
		}
		if shown.Result.Run == 0 {
			w.failf("%s is shown with the result %.100s", name, r.Body)
		}
		return nil
	}}
}

// remove cancels a job over HTTP. That it has ended is an answer too.
func remove(at time.Duration, name string) step {
	return step{at, "API", func(w *world, p *process, ctx context.Context) error {
		cancel, err := httpapi.NewCancel(httpapi.JobsConfig{Jobs: p.jobs, Objects: p.objects})
		if err != nil {
			return err
		}
		id := w.idNamed(name)
		r, err := cancel.Handle(ctx, called(http.MethodDelete, "/jobs/"+id, map[string]string{"id": id}, ""))
		return answered(r, err, http.StatusAccepted, http.StatusConflict)
	}}
}

func (w *world) idNamed(name string) string {
	if j := w.named(name); j != nil {
		return string(j.id)
	}
	return string(idOf(name))
}

// operate lets an operator do something with the dead-letter queue, by a program
// that is run again until it ends well.
func operate(at time.Duration, do func(ctx context.Context, q *deadletter.Queue) error) step {
	return step{at, "operator", func(w *world, p *process, ctx context.Context) error {
		q, err := deadletter.New(deadletter.Config{
			Jobs: p.jobs, SQS: p.queue, Hold: 30 * time.Second, Random: func() float64 { return 0 },
			Address: queue.Address{URL: account + w.notes.name, Letters: account + w.letters.name},
		})
		if err != nil {
			return err
		}
		if err := do(ctx, q); err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, j := range w.everyJob() {
			if j.rec.State == lifecycle.Dead {
				return fmt.Errorf("%s is still dead", j) // its letter was in other hands
			}
		}
		return nil
	}}
}

// redriveAll redrives every letter, at a rate that makes holds be renewed.
func redriveAll(ctx context.Context, q *deadletter.Queue) error {
	_, err := q.Redrive(ctx, deadletter.Options{Unreadable: true, Rate: 0.1})
	return err
}

// fire is an event of a schedule: each occurrence is one job, however often the
// event comes.
func fire(at, occurrence time.Duration) step {
	return step{at, "schedule", func(w *world, p *process, ctx context.Context) error {
		make, err := producer.New(producer.Config{Jobs: p.jobs, Objects: p.objects}, write)
		if err != nil {
			return err
		}
		each, err := periodic.New(periodic.Config{Jobs: p.jobs, Producer: make}, periodic.Job{
			Name: "digest", Expression: "rate(2 minutes)", Request: func(time.Time) job.Request { return write.With(note{Does: []string{"ok"}}) },
		})
		if err != nil {
			return err
		}
		return each.Occur(ctx, "digest", w.start.Add(occurrence))
	}}
}
