package sweep_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

// Whatever comes to the backstop: no panic; what can't be read stays; the answer
// names ids of the event only, none empty and none twice.
func FuzzBackstop(f *testing.F) {
	fixture, err := os.ReadFile("../../events/backstop.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fixture)
	f.Add([]byte(`{"Records":[{"messageId":"m","receiptHandle":"r","body":"?","eventSourceARN":":"},{"messageId":"m","body":""},{"messageId":"\u0000"}]}`))
	f.Add([]byte(`{"Records":[{"messageId":"m","body":"{\"id\":\"0123456789abcdefghjkmnpqrs\",\"n\":1,\"letter\":{}}"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var event events.SQSEvent
		if json.Unmarshal(data, &event) != nil {
			t.Skip()
		}
		b, _ := newBackstop(t, newWorld(t))
		answer, err := b.Handle(t.Context(), event)
		if err != nil {
			return
		}
		failed := map[string]bool{}
		for _, failure := range answer.BatchItemFailures {
			if failure.ItemIdentifier == "" || failed[failure.ItemIdentifier] {
				t.Errorf("%q is empty or named twice", failure.ItemIdentifier)
			}
			failed[failure.ItemIdentifier] = true
		}
		known := map[string]bool{}
		for _, record := range event.Records {
			known[record.MessageId] = true
			if _, err := queue.DecodeMessage(record.Body); err != nil && !failed[record.MessageId] {
				t.Errorf("%q can't be read and was dropped", record.Body)
			}
		}
		for id := range failed {
			if !known[id] {
				t.Errorf("%q is of no record", id)
			}
		}
	})
}
