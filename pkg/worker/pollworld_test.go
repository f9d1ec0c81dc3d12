package worker_test

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A polled is a world whose worker polls a line.
type polled struct {
	*world
	line   *line
	memory *memstore.Driver
	config worker.PollConfig
}

func newPolled(t *testing.T, q job.Queue, handlers ...worker.Handler) *polled {
	t.Helper()
	w := &polled{
		world: &world{t: t, queue: q}, line: newLine(q.FIFO), memory: memstore.New(memstore.Config{}),
		config: worker.PollConfig{Pollers: map[string]int{q.Name: 1}},
	}
	w.jobs = jobsOn(t, w.memory)
	w.faults = &fault.Driver{Inner: w.memory}
	w.worker = w.process(w.faults, w.line, handlers...)
	w.config.Receiver = w.line
	return w
}

// process makes a worker of its own over the world's table and line.
func (w *polled) process(driver store.Driver, q worker.Queue, handlers ...worker.Handler) *worker.Worker {
	w.t.Helper()
	url := "https://sqs.eu-west-1.amazonaws.com/123456789012/notes"
	if w.queue.FIFO {
		url += ".fifo"
	}
	made, err := worker.New(worker.Config{
		Jobs: jobsOn(w.t, driver), Queue: q, Random: func() float64 { return 0.5 },
		Addresses: map[string]queue.Address{w.queue.Name: {URL: url, Letters: "letters"}},
		Logger:    slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Exit:      func(code int) { w.exits = append(w.exits, code) },
	}, handlers...)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// add enqueues a job and its message.
func (w *polled) add(text string, edit func(*store.NewJob)) job.ID {
	id := w.enqueue(text, edit)
	w.line.put(message(id))
	return id
}

// poll lets the worker poll; stop ends it and gives what Poll returned.
func (w *polled) poll() (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.worker.Poll(ctx, w.config) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// until waits, a second at a time, until the jobs are all final.
func (w *polled) until(ids ...job.ID) {
	w.t.Helper()
	for range 30 * 24 * 3600 {
		left := 0
		for _, id := range ids {
			if !w.get(id).State.Final() {
				left++
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(time.Second)
	}
	w.t.Fatal("the jobs do not end")
}

// is checks a job's row.
func (w *polled) is(id job.ID, state lifecycle.State, attempt int) {
	w.t.Helper()
	if rec := w.get(id); rec.State != state || rec.Attempt != attempt {
		w.t.Errorf("the row is %s, attempt %d, error %+v; want %s, %d", rec.State, rec.Attempt, rec.Error, state, attempt)
	}
}

// mortal is a line as a process sees it that can be killed.
type mortal struct {
	*line
	dead *atomic.Bool
}

func (m mortal) Receive(ctx context.Context, url string, ask queue.Ask) ([]queue.Incoming, error) {
	if m.dead.Load() {
		return nil, fault.ErrDead
	}
	return m.line.Receive(ctx, url, ask)
}

func (m mortal) Hide(ctx context.Context, url string, messages []queue.Hidden) []error {
	if m.dead.Load() {
		return []error{fault.ErrDead}
	}
	return m.line.Hide(ctx, url, messages)
}

func (m mortal) Delete(ctx context.Context, url string, receipts []string) []error {
	if m.dead.Load() {
		return []error{fault.ErrDead}
	}
	return m.line.Delete(ctx, url, receipts)
}
