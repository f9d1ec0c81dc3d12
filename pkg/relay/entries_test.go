package relay_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// batchAPI is SQS's own batch call: it answers entry by entry, with HTTP 200.
type batchAPI struct {
	queue.API
	mu     sync.Mutex
	calls  int
	fails  func(call int, id job.ID) *types.BatchResultErrorEntry
	breaks int // the call that fails whole
	stored map[job.ID]int
}

func (b *batchAPI) SendMessageBatch(_ context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if b.calls == b.breaks {
		return nil, errors.New("connection reset")
	}
	out := &sqs.SendMessageBatchOutput{}
	for _, e := range in.Entries {
		m, err := queue.DecodeMessage(*e.MessageBody)
		if err != nil {
			return nil, err
		}
		if failed := b.fails(b.calls, m.ID); failed != nil {
			failed.Id = e.Id
			out.Failed = append(out.Failed, *failed)
			continue
		}
		b.stored[m.ID]++
		out.Successful = append(out.Successful, types.SendMessageBatchResultEntry{Id: e.Id})
	}
	return out, nil
}

// 25 jobs make three calls. In the first, one entry is refused for its own sake
// and one for the queue's; the second call fails whole. Nothing that was accepted is
// sent again, what was not comes later, and only the refused job is dead.
func TestEachEntryOfABatchCallIsDealtWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		api := &batchAPI{breaks: 2, stored: map[job.ID]int{}}
		sending, err := relay.New(relay.Config{
			Jobs: w.jobs, Queue: queue.New(api), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Addresses: map[string]queue.Address{"notes": {URL: "notes", Letters: "letters"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var ids []job.ID
		for range 25 {
			ids = append(ids, w.enqueue("notes", "", nil))
		}
		api.fails = func(call int, id job.ID) *types.BatchResultErrorEntry {
			switch {
			case call == 1 && id == ids[3]:
				return &types.BatchResultErrorEntry{Code: aws.String("InvalidMessageContents"), Message: aws.String("no"), SenderFault: true}
			case call == 1 && id == ids[7]:
				return &types.BatchResultErrorEntry{Code: aws.String("InternalError"), Message: aws.String("later")}
			}
			return nil
		}
		for range 3 { // the letter of the dead job is among what is published later
			answer, err := sending.Handle(t.Context(), w.batch())
			if err != nil || len(answer.BatchItemFailures) != 0 {
				t.Fatalf("%+v, %v", answer, err)
			}
			time.Sleep(3 * time.Minute)
			w.promote(ids)
		}
		for i, id := range ids {
			rec, want := w.get(id), lifecycle.Queued
			if i == 3 {
				want = lifecycle.Dead
			}
			if rec.State != want {
				t.Errorf("job %d is %s, want %s", i, rec.State, want)
			}
			if api.stored[id] != 1 { // for the dead one it is its letter
				t.Errorf("job %d was sent %d times", i, api.stored[id])
			}
		}
		if rec := w.get(ids[3]); rec.Error == nil || !strings.Contains(rec.Error.Message, "InvalidMessageContents") {
			t.Errorf("the refused job doesn't say why: %+v", rec.Error)
		}
	})
}

// promote hands the jobs that are set aside to their queues, as the sweep does.
func (w *world) promote(ids []job.ID) {
	w.t.Helper()
	for _, id := range ids {
		rec := w.get(id)
		if rec.State != lifecycle.Scheduled {
			continue
		}
		if ok, err := w.jobs.Promote(w.t.Context(), store.DueOf(rec)); !ok || err != nil {
			w.t.Fatal(ok, err)
		}
	}
}

// A row leaves the relay's care only once SQS has confirmed its entry: an answer
// that mentions it nowhere confirms nothing.
func TestNothingCountsAsSentBeforeSQSConfirmsIt(t *testing.T) {
	w := newWorld(t)
	api := &silentAPI{}
	sending, err := relay.New(relay.Config{
		Jobs: w.jobs, Queue: queue.New(api), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Addresses: map[string]queue.Address{"notes": {URL: "notes", Letters: "letters"}, "ledger": {URL: "ledger.fifo", Letters: "letters.fifo"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	waiting, dead, ordered := w.enqueue("notes", "", nil), w.enqueue("notes", "", nil), w.enqueue("ledger", "g", nil)
	w.batch()
	w.die(dead)
	if _, err := w.jobs.Republish(t.Context(), w.get(waiting)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.jobs.Republish(t.Context(), w.get(ordered)); err != nil {
		t.Fatal(err)
	}
	answer, err := sending.Handle(t.Context(), w.batch())
	if err != nil || api.calls.Load() != 3 {
		t.Fatalf("%d calls, %v", api.calls.Load(), err)
	}
	if rec := w.get(waiting); rec.State != lifecycle.Scheduled {
		t.Errorf("the job is %s: nobody sends it again", rec.State)
	}
	if rec := w.get(dead); rec.Publication == nil {
		t.Error("the letter counts as sent")
	}
	if len(answer.BatchItemFailures) != 1 {
		t.Errorf("the FIFO job counts as sent: %+v", answer)
	}
}

// silentAPI answers that all is well, and nothing of any entry.
type silentAPI struct {
	queue.API
	calls atomic.Int32
}

func (s *silentAPI) SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	s.calls.Add(1)
	return &sqs.SendMessageBatchOutput{}, nil
}

// The relay writes to the table that it reads (a letter is out, a job is parked,
// a job is dead): none of that comes back as something to send, and the stream
// falls silent.
func TestTheRelaysOwnWritesPublishNothing(t *testing.T) {
	w := newWorld(t)
	for range 10 {
		w.die(w.enqueue("notes", "", nil))
		w.enqueue("photos", "", nil)
	}
	w.sqs.refuse = func(url string, _ queue.Outgoing) error {
		if url == "photos" {
			return &queue.SendError{Code: "InvalidMessageContents", Fault: true} // each becomes a letter
		}
		return nil
	}
	rounds := 0
	for ; ; rounds++ {
		event := w.batch()
		if len(event.Records) == 0 {
			break
		}
		if rounds == 5 {
			t.Fatal("the relay feeds itself")
		}
		w.handle(event)
	}
	if jobs, letters, others := w.sqs.count("notes"), w.sqs.count("notes letters"), w.sqs.count("photos letters"); jobs != 10 || letters != 10 || others != 10 {
		t.Errorf("%d jobs, %d letters and %d letters of refused jobs were sent in %d rounds, want 10 each", jobs, letters, others, rounds)
	}
}

// A row whose time to live is over is removed by DynamoDB, which says so or, in
// a replica, does not; a person may remove one, too. Nothing follows from any of it.
func TestRowsThatAreRemovedPublishNothing(t *testing.T) {
	w := newWorld(t)
	w.enqueue("notes", "", nil)
	w.die(w.enqueue("notes", "", nil))
	images := w.batch() // each asks to be published
	w.sqs.sent = map[string][]queue.Outgoing{}
	service := &events.DynamoDBUserIdentity{Type: "Service", PrincipalID: "dynamodb.amazonaws.com"}
	for name, identity := range map[string]*events.DynamoDBUserIdentity{"by DynamoDB": service, "by somebody": nil} {
		for i, record := range images.Records {
			removed := events.DynamoDBEventRecord{EventName: "REMOVE", UserIdentity: identity, Change: events.DynamoDBStreamRecord{
				SequenceNumber: fmt.Sprint(i + 1), OldImage: record.Change.NewImage, Keys: record.Change.Keys,
				ApproximateCreationDateTime: events.SecondsEpochTime{Time: time.Now()},
			}}
			if failed := w.handle(events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{removed}}); len(failed) != 0 {
				t.Errorf("removed %s: failed %v", name, failed)
			}
		}
	}
	if len(w.sqs.sent) != 0 {
		t.Errorf("sent %v", w.sqs.sent)
	}
}
