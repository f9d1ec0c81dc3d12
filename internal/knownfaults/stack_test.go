package knownfaults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/streamimage"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type note struct {
	Text string `json:"text"`
}

var silent = slog.New(slog.DiscardHandler)

// A stack is the whole way of a job, for a test whose clock is synctest's: it goes
// from one wait to the next.
type stack struct {
	t      *testing.T
	memory *memstore.Driver
	jobs   *store.Jobs
	sqs    *simulatedSQS
	relay  *relay.Relay
	sweep  *sweep.Sweep
	// workers take turns.
	workers []*worker.Worker
	queue   job.Queue
	// published is how much of the table's stream the relay has seen.
	published int
	ids       []job.ID
	// everyMinute has the sweep run every minute, also where nothing is due.
	everyMinute bool
}

// newStack makes a stack with some workers. random spreads every wait.
func newStack(t *testing.T, workers int, random float64, task job.Task[note], f func(context.Context, *job.Job[note]) error) *stack {
	t.Helper()
	s := &stack{t: t, memory: memstore.New(memstore.Config{}), queue: task.Definition().Policy.Queue}
	s.sqs = &simulatedSQS{visibility: time.Minute}
	url := "https://sqs.eu-west-1.amazonaws.com/123456789012/notes"
	if s.queue.FIFO {
		url += ".fifo"
	}
	addresses := map[string]queue.Address{"notes": {URL: url, Letters: "letters"}}
	draw := func() float64 { return random }
	var problems [3]error
	s.jobs, problems[0] = store.New(store.Config{Driver: s.memory})
	s.relay, problems[1] = relay.New(relay.Config{Jobs: s.jobs, Queue: s.sqs, Addresses: addresses, Logger: silent, Random: draw})
	s.sweep, problems[2] = sweep.New(sweep.Config{
		Jobs: s.jobs, Depths: s.sqs, Addresses: addresses, Logger: silent,
		Plans: map[string]sizing.Plan{"notes": {Queue: s.queue, Visibility: s.sqs.visibility}},
	})
	for range workers {
		w, err := worker.New(worker.Config{Jobs: s.jobs, Queue: s.sqs, Addresses: addresses, Logger: silent, Random: draw}, worker.Handle(task, f))
		problems[0] = errors.Join(problems[0], err)
		s.workers = append(s.workers, w)
	}
	if err := errors.Join(problems[:]...); err != nil {
		t.Fatal(err)
	}
	return s
}

// enqueue writes a job's row, as a producer does.
func (s *stack) enqueue(n store.NewJob) job.ID {
	s.t.Helper()
	id, err := s.jobs.NewID()
	if err != nil {
		s.t.Fatal(err)
	}
	if s.queue.FIFO {
		id = id.InGroup("notes", "g")
	}
	n.ID, n.Task, n.Queue, n.FIFO = id, "note.write", "notes", s.queue.FIFO
	if n.Args == nil {
		n.Args = []byte(`{"text":"x"}`)
	}
	if _, _, err := s.jobs.Create(s.t.Context(), n); err != nil {
		s.t.Fatal(err)
	}
	s.ids = append(s.ids, id)
	return id
}

func (s *stack) get(id job.ID) store.Record {
	s.t.Helper()
	rec, err := s.jobs.Get(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return rec
}

// run goes on until every job has ended, from one wait to the next.
func (s *stack) run() {
	s.t.Helper()
	for steps := 0; s.open(); steps++ {
		if steps > 10_000 {
			s.t.Fatalf("stuck: %+v", s.get(s.ids[0]))
		}
		s.publish()
		if s.work() {
			continue
		}
		at, due := s.next()
		if due && !s.everyMinute {
			// The sweep runs every minute; the runs before this one find nothing
			// and move the mark.
			at = at.Truncate(time.Minute).Add(-time.Minute)
			s.skipTo(at)
		}
		time.Sleep(max(time.Until(at), 0))
		if due {
			if err := s.sweep.Handle(s.t.Context()); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

func (s *stack) open() bool {
	return slices.ContainsFunc(s.ids, func(id job.ID) bool { return !s.get(id).State.Final() })
}

// next tells when something happens: a message is visible, a row is due for the
// sweep, or, where there is neither, the sweep may look for what was lost.
func (s *stack) next() (at time.Time, sweeping bool) {
	visible, waiting := s.sqs.next()
	due, lost := time.Time{}, time.Now()
	for _, id := range s.ids {
		switch rec := s.get(id); rec.State {
		case lifecycle.Scheduled:
			if due.IsZero() || rec.NotBefore.Before(due) {
				due = rec.NotBefore
			}
		case lifecycle.Queued:
			if rec.NotBefore.After(lost) {
				lost = rec.NotBefore
			}
		}
	}
	minute := time.Now().Truncate(time.Minute).Add(time.Minute)
	switch {
	case s.everyMinute && waiting && visible.Before(minute):
		return visible, false
	case s.everyMinute:
		return minute, true
	case waiting && (due.IsZero() || visible.Before(due.Add(-sweep.Ahead))):
		return visible, false
	case !due.IsZero():
		return due, true
	}
	return lost.Add(2 * time.Minute), true
}

// skipTo moves the sweep's mark as runs do that find nothing due.
func (s *stack) skipTo(at time.Time) {
	s.t.Helper()
	mark, err := s.jobs.Mark(s.t.Context(), "checkpoint")
	if err != nil {
		s.t.Fatal(err)
	}
	if to := at.Add(-5 * time.Minute).UTC().Format("2006-01-02T15:04Z"); to > mark {
		if _, err := s.jobs.SetMark(s.t.Context(), "checkpoint", mark, to); err != nil {
			s.t.Fatal(err)
		}
	}
}

// publish lets the relay read the stream to its end.
func (s *stack) publish() {
	s.t.Helper()
	changes, _ := s.memory.Changes(s.published)
	if len(changes) == 0 {
		return
	}
	event := events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{}}
	for _, change := range changes {
		s.published++
		event.Records = append(event.Records, events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			SequenceNumber: fmt.Sprint(s.published), NewImage: streamimage.Of(change.New), OldImage: streamimage.Of(change.Old),
		}})
	}
	answer, err := s.relay.Handle(s.t.Context(), event)
	if err != nil || len(answer.BatchItemFailures) != 0 {
		s.t.Fatalf("%+v, %v", answer, err)
	}
}

// work gives each worker what is visible, in turn; false where nothing is.
func (s *stack) work() bool {
	s.t.Helper()
	worked := false
	for _, w := range s.workers {
		batch := s.sqs.receive(s.queue.BatchSize())
		if len(batch) == 0 {
			continue
		}
		worked = true
		ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
		answer, err := w.Invoke(ctx, eventOf(batch, s.queue.FIFO))
		cancel()
		var response events.SQSEventResponse
		if err := errors.Join(err, json.Unmarshal(answer, &response)); err != nil {
			s.t.Fatalf("%s: %v", answer, err)
		}
		for _, m := range batch {
			if !slices.ContainsFunc(response.BatchItemFailures, func(f events.SQSBatchItemFailure) bool { return f.ItemIdentifier == m.id }) {
				s.sqs.remove(m)
			}
		}
	}
	return worked
}

func eventOf(batch []*message, fifo bool) []byte {
	arn := "arn:aws:sqs:eu-west-1:123456789012:notes"
	if fifo {
		arn += ".fifo"
	}
	records := []map[string]any{}
	for _, m := range batch {
		attributes := map[string]string{"ApproximateReceiveCount": "1"}
		if m.group != "" {
			attributes["MessageGroupId"] = m.group
		}
		records = append(records, map[string]any{
			"messageId": m.id, "receiptHandle": m.id, "body": m.body, "attributes": attributes, "eventSource": "aws:sqs", "eventSourceARN": arn,
		})
	}
	encoded, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		panic(err)
	}
	return encoded
}
