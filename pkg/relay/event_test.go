package relay_test

import (
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// An event of another kind must not pass for a batch that was published.
func TestWhatIsNoStreamBatchIsRefused(t *testing.T) {
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	r, err := relay.New(relay.Config{Jobs: jobs, Queue: queue.New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	for name, event := range map[string]events.DynamoDBEvent{
		"no records":                       {},
		"a record without its number":      {Records: []events.DynamoDBEventRecord{{EventName: "INSERT"}}},
		"one of two records without one's": {Records: []events.DynamoDBEventRecord{{Change: events.DynamoDBStreamRecord{SequenceNumber: "1"}}, {}}},
	} {
		if answer, err := r.Handle(t.Context(), event); err == nil {
			t.Errorf("%s: answered %+v", name, answer)
		}
	}
	if _, err := r.Handle(t.Context(), events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{}}); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
}
