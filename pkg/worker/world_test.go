package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type note struct {
	Text string `json:"text"`
}

func notes(edit func(*job.Queue)) job.Queue {
	q := job.Queue{Name: "notes", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute, Batch: 10}
	if edit != nil {
		edit(&q)
	}
	return q
}

func task(q job.Queue) job.Task[note] {
	return job.Define[note]("note.write", job.Policy{Queue: q, MaxAttempts: 3, Timeout: 20 * time.Second})
}

// sqsFake remembers what it was told.
type sqsFake struct {
	mu       sync.Mutex
	sent     map[string][]queue.Outgoing
	hidden   map[string]time.Duration // by receipt
	sendErr  error
	hideErr  error
	sendings int
}

func (s *sqsFake) Send(_ context.Context, url string, messages []queue.Outgoing) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sendings++
	errs := make([]error, len(messages))
	for i, m := range messages {
		if errs[i] = s.sendErr; errs[i] == nil {
			s.sent[url] = append(s.sent[url], m)
		}
	}
	return errs
}

func (s *sqsFake) Hide(_ context.Context, _ string, messages []queue.Hidden) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(messages))
	for i, m := range messages {
		if errs[i] = s.hideErr; errs[i] == nil {
			s.hidden[m.Receipt] = m.For
		}
	}
	return errs
}

// A world is everything that a worker works with.
type world struct {
	t      *testing.T
	queue  job.Queue
	sqs    *sqsFake
	faults *fault.Driver
	jobs   *store.Jobs // without faults
	worker *worker.Worker
	gauge  gaugeFake
	exits  []int
}

func newWorld(t *testing.T, q job.Queue, handlers ...worker.Handler) *world {
	t.Helper()
	w := &world{t: t, queue: q, sqs: &sqsFake{sent: map[string][]queue.Outgoing{}, hidden: map[string]time.Duration{}}}
	memory := memstore.New(memstore.Config{})
	w.faults = &fault.Driver{Inner: memory}
	w.jobs = jobsOn(t, memory)
	url := "https://sqs.eu-west-1.amazonaws.com/123456789012/notes"
	if q.FIFO {
		url += ".fifo"
	}
	var err error
	w.worker, err = worker.New(worker.Config{
		Jobs: jobsOn(t, w.faults), Queue: w.sqs, Gauge: &w.gauge, Random: func() float64 { return 0.5 },
		Addresses: map[string]queue.Address{q.Name: {URL: url, Letters: "letters"}},
		Logger:    slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Exit:      func(code int) { w.exits = append(w.exits, code) },
	}, handlers...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func jobsOn(t *testing.T, driver store.Driver) *store.Jobs {
	t.Helper()
	jobs, err := store.New(store.Config{Driver: driver})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// enqueue writes a job's row, as a producer does.
func (w *world) enqueue(text string, edit func(*store.NewJob)) job.ID {
	w.t.Helper()
	id, err := w.jobs.NewID()
	if err != nil {
		w.t.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "note.write", Queue: w.queue.Name, FIFO: w.queue.FIFO, MaxAttempts: 3, Args: []byte(fmt.Sprintf(`{"text":%q}`, text))}
	if edit != nil {
		edit(&n)
	}
	if _, _, err := w.jobs.Create(w.t.Context(), n); err != nil {
		w.t.Fatal(err)
	}
	return n.ID
}

func (w *world) get(id job.ID) store.Record {
	w.t.Helper()
	rec, err := w.jobs.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return rec
}

// A sent is one message of an event; its receipt is "r-" and its id.
type sent struct{ id, body, group string }

// message is the message of a job.
func message(id job.ID) sent {
	body, err := queue.Message{ID: id, N: 1}.Encode()
	if err != nil {
		panic(err)
	}
	_, group, _ := id.Group()
	return sent{id: "m-" + string(id), body: body, group: group}
}

func (w *world) event(messages ...sent) []byte {
	w.t.Helper()
	arn := "arn:aws:sqs:eu-west-1:123456789012:notes"
	if w.queue.FIFO {
		arn += ".fifo"
	}
	records := []map[string]any{}
	for _, m := range messages {
		attributes := map[string]string{"ApproximateReceiveCount": "1", "SentTimestamp": "1795942800123"}
		if m.group != "" {
			attributes["MessageGroupId"] = m.group
		}
		records = append(records, map[string]any{
			"messageId": m.id, "receiptHandle": "r-" + m.id, "body": m.body, "attributes": attributes,
			"messageAttributes": map[string]any{}, "md5OfBody": "d41d8cd98f00b204e9800998ecf8427e",
			"eventSource": "aws:sqs", "eventSourceARN": arn, "awsRegion": "eu-west-1",
		})
	}
	event, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		w.t.Fatal(err)
	}
	return event
}

// deliver makes one invocation of a minute and gives the ids that failed.
func (w *world) deliver(messages ...sent) []string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	answer, err := w.worker.Invoke(ctx, w.event(messages...))
	if err != nil {
		w.t.Fatal(err)
	}
	return failures(w.t, answer)
}

func failures(t *testing.T, answer []byte) []string {
	t.Helper()
	var response struct {
		Failures []struct {
			ID string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(answer, &response); err != nil || response.Failures == nil {
		t.Fatalf("the answer %s: %v", answer, err)
	}
	ids := []string{}
	for _, f := range response.Failures {
		ids = append(ids, f.ID)
	}
	return ids
}

// hiddenFor tells how long a message was hidden; -1 where it was not.
func (w *world) hiddenFor(m sent) time.Duration {
	w.sqs.mu.Lock()
	defer w.sqs.mu.Unlock()
	if d, ok := w.sqs.hidden["r-"+m.id]; ok {
		return d
	}
	return -1
}
