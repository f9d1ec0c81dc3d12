package sweep_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/internal/streamimage"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// The relay gets what was written after relayLag, the sweep runs once a minute.
const relayLag = time.Second

// Wherever in its minute a job is due, and whenever the sweep runs: its message may be
// received at its time, and at most two seconds later.
func TestJobsComeAtTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := memstore.New(memstore.Config{})
		sqs := sqssim.New(sqssim.Config{})
		addresses := map[string]queue.Address{"mail": {URL: sqs.Add("mail", sqssim.Queue{}), Letters: sqs.Add("mail-dlq", sqssim.Queue{})}}
		r, err := relay.New(relay.Config{Jobs: jobsOn(t, memory), Queue: queue.New(sqs), Addresses: addresses, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := sweep.New(sweep.Config{Jobs: jobsOn(t, memory), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}

		station := &station{t: t, jobs: jobsOn(t, memory)}
		random := rand.New(rand.NewPCG(7, 7))
		begin := time.Now()
		due := map[job.ID]time.Time{}
		for range 200 {
			at := begin.Add(time.Duration(random.Int64N(int64(time.Hour))).Truncate(time.Millisecond))
			due[station.enqueue(1, at)[0]] = at
		}
		relayed := 0
		for time.Since(begin) < time.Hour+5*time.Minute {
			if err := s.Handle(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(relayLag)
			relayed = relayAll(t, r, memory, relayed)
			// EventBridge fires somewhere within the minute.
			next := begin.Add(time.Since(begin).Truncate(time.Minute) + time.Minute + time.Duration(random.Int64N(int64(50*time.Second))))
			time.Sleep(time.Until(next))
		}
		messages := sqs.Peek("mail")
		if len(messages) != len(due) {
			t.Errorf("%d messages of %d jobs", len(messages), len(due))
		}
		for _, m := range messages {
			message, err := queue.DecodeMessage(m.Body)
			if err != nil {
				t.Fatal(err)
			}
			at := due[message.ID]
			if late := m.Visible.Sub(at); late < 0 || late > 2*time.Second {
				t.Errorf("a job that is due at %v (+%v) may be received %v after that", at, at.Sub(begin), late)
			}
		}
	})
}

// relayAll hands what is new in the table's stream to the relay.
func relayAll(t *testing.T, r *relay.Relay, memory *memstore.Driver, from int) int {
	t.Helper()
	changes, _ := memory.Changes(from)
	var records []events.DynamoDBEventRecord
	for i, change := range changes {
		if _, asks := change.New[store.Publish]; asks {
			records = append(records, events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
				SequenceNumber: fmt.Sprint(from + i + 1), NewImage: streamimage.Of(change.New), OldImage: streamimage.Of(change.Old),
			}})
		}
	}
	if len(records) > 0 {
		if answer, err := r.Handle(t.Context(), events.DynamoDBEvent{Records: records}); err != nil || len(answer.BatchItemFailures) > 0 {
			t.Fatalf("%v, %+v", err, answer)
		}
	}
	return from + len(changes)
}
