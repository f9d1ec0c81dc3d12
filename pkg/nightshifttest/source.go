package nightshifttest

import (
	"context"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/streamimage"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// streamBatch is how many records of the stream the relay is given at once.
const streamBatch = 100

// publish hands what asks to be published to the relay, as the mapping's filter would.
func (k *Kit) publish(ctx context.Context) (worked bool) {
	k.t.Helper()
	changes, _ := k.table.Changes(k.relayed)
	var records []events.DynamoDBEventRecord
	for i, change := range changes {
		if _, asks := change.New[store.Publish]; !asks {
			continue
		}
		records = append(records, events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			SequenceNumber: fmt.Sprint(k.relayed + i + 1), NewImage: streamimage.Of(change.New), OldImage: streamimage.Of(change.Old),
		}})
	}
	k.relayed += len(changes)
	for len(records) > 0 {
		n := min(len(records), streamBatch)
		answer, err := k.relay.Handle(ctx, events.DynamoDBEvent{Records: records[:n]})
		if err != nil || len(answer.BatchItemFailures) > 0 {
			k.t.Fatalf("nightshifttest: the relay could not publish: %v %v", err, answer.BatchItemFailures)
		}
		records, worked = records[n:], true
	}
	return worked
}

// promote hands scheduled jobs that are due to their queues, the earliest first. It is
// what the sweep does, each at its very time.
func (k *Kit) promote(ctx context.Context) (worked bool) {
	k.t.Helper()
	now := k.Now()
	for _, e := range k.scheduled() {
		if e.rec.NotBefore.After(now) {
			break
		}
		if e.rec.Spilled {
			continue
		}
		promoted, err := k.Jobs.Promote(ctx, store.DueOf(e.rec))
		if err != nil {
			k.t.Fatalf("nightshifttest: promoting job %s, which is due: %v", e.rec.ID, err)
		}
		worked = worked || promoted
	}
	return worked
}
