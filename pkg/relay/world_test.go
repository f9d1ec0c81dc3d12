package relay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// sqsFake takes messages, except where refuse says otherwise.
type sqsFake struct {
	mu     sync.Mutex
	sent   map[string][]queue.Outgoing
	calls  map[string]int
	refuse func(url string, m queue.Outgoing) error
	hang   string // the URL whose calls last until their context ends
}

func (s *sqsFake) Send(ctx context.Context, url string, messages []queue.Outgoing) []error {
	errs := make([]error, len(messages))
	if url == s.hang {
		<-ctx.Done()
		for i := range errs {
			errs[i] = ctx.Err()
		}
		return errs
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[url]++
	for i, m := range messages {
		if s.refuse != nil {
			errs[i] = s.refuse(url, m)
		}
		if errs[i] == nil {
			s.sent[url] = append(s.sent[url], m)
		}
	}
	return errs
}

func (s *sqsFake) count(url string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sent[url])
}

// A world is everything that a relay works with.
type world struct {
	t      *testing.T
	sqs    *sqsFake
	memory *memstore.Driver
	faults *fault.Driver
	jobs   *store.Jobs // without faults
	relay  *relay.Relay
	seen   int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, memory: memstore.New(memstore.Config{})}
	w.sqs = &sqsFake{sent: map[string][]queue.Outgoing{}, calls: map[string]int{}}
	w.faults = &fault.Driver{Inner: w.memory}
	w.jobs = jobsOn(t, w.memory)
	var err error
	w.relay, err = relay.New(relay.Config{
		Jobs: jobsOn(t, w.faults), Queue: w.sqs, Random: func() float64 { return 0.5 },
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Addresses: map[string]queue.Address{
			"notes":  {URL: "notes", Letters: "notes letters"},
			"photos": {URL: "photos", Letters: "photos letters"},
			"videos": {URL: "videos", Letters: "videos letters", Fair: true},
			"ledger": {URL: "ledger.fifo", Letters: "ledger letters.fifo"},
		},
	})
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

// enqueue writes a job's row, as a producer does. group makes it a FIFO job.
func (w *world) enqueue(queue, group string, edit func(*store.NewJob)) job.ID {
	w.t.Helper()
	id, err := w.jobs.NewID()
	if err != nil {
		w.t.Fatal(err)
	}
	if group != "" {
		id = id.InGroup(queue, group)
	}
	n := store.NewJob{ID: id, Task: "note.write", Queue: queue, FIFO: group != "", MaxAttempts: 3, Args: []byte(`{}`), Trace: "Root=1"}
	if edit != nil {
		edit(&n)
	}
	if _, _, err := w.jobs.Create(w.t.Context(), n); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// die runs a job to its death.
func (w *world) die(id job.ID) {
	w.t.Helper()
	claim, err := w.jobs.Claim(w.t.Context(), id, store.Lease{Token: "t", Until: time.Now().Add(time.Minute)})
	if err != nil || !claim.Granted {
		w.t.Fatalf("%+v, %v", claim, err)
	}
	if _, err := w.jobs.Finish(w.t.Context(), claim.Record, lifecycle.Outcome{To: lifecycle.Dead, Err: fmt.Errorf("boom \x00")}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(id job.ID) store.Record {
	w.t.Helper()
	rec, err := w.jobs.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return rec
}

// batch gives what the table's stream has had since the last call, through the
// wire form of Lambda's event; sequence numbers count from 1 over all.
func (w *world) batch() events.DynamoDBEvent {
	w.t.Helper()
	changes, _ := w.memory.Changes(w.seen)
	records := []map[string]any{}
	for _, change := range changes {
		w.seen++
		records = append(records, map[string]any{
			"eventID": fmt.Sprint(w.seen), "eventName": "MODIFY", "eventSource": "aws:dynamodb",
			"dynamodb": map[string]any{
				"SequenceNumber": fmt.Sprint(w.seen), "StreamViewType": "NEW_AND_OLD_IMAGES",
				"NewImage": wire(w.t, change.New), "OldImage": wire(w.t, change.Old),
			},
		})
	}
	encoded, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		w.t.Fatal(err)
	}
	var event events.DynamoDBEvent
	if err := json.Unmarshal(encoded, &event); err != nil {
		w.t.Fatal(err)
	}
	return event
}

// wire gives an item as JSON has it.
func wire(t *testing.T, item store.Item) map[string]any {
	t.Helper()
	encoded := map[string]any{}
	for name, av := range item {
		switch v := av.(type) {
		case *types.AttributeValueMemberS:
			encoded[name] = map[string]any{"S": v.Value}
		case *types.AttributeValueMemberN:
			encoded[name] = map[string]any{"N": v.Value}
		case *types.AttributeValueMemberBOOL:
			encoded[name] = map[string]any{"BOOL": v.Value}
		case *types.AttributeValueMemberM:
			encoded[name] = map[string]any{"M": wire(t, v.Value)}
		default:
			t.Fatalf("%s is a %T: rows have none", name, av)
		}
	}
	return encoded
}

// handle gives the failed sequence numbers.
func (w *world) handle(event events.DynamoDBEvent) []string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	answer, err := w.relay.Handle(ctx, event)
	if err != nil || answer.BatchItemFailures == nil {
		w.t.Fatalf("%+v, %v", answer, err)
	}
	failed := []string{}
	for _, f := range answer.BatchItemFailures {
		failed = append(failed, f.ItemIdentifier)
	}
	return failed
}
