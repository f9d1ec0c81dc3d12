package sweep_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

func TestAnEventGoesBackToTheQueueItCameFrom(t *testing.T) {
	event := &queue.Event{ID: "e1", Name: "recipe.published", Version: 1, At: time.Unix(1, 0).UTC(), Data: []byte(`{}`)}
	for _, tt := range []struct {
		name, source, group string
		refuse              error
		to                  string
		stays               bool
	}{
		{"a queue", "arn:aws:sqs:eu-west-1:123456789012:Crumb-Search", "", nil, "https://sqs.eu-west-1.amazonaws.com/123456789012/Crumb-Search", false},
		{"a FIFO queue", "arn:aws:sqs:eu-west-1:123456789012:Crumb-Search.fifo", "recipe/1", nil, "https://sqs.eu-west-1.amazonaws.com/123456789012/Crumb-Search.fifo", false},
		{"nobody knows which", "", "", nil, "", true},
		{"the queue takes nothing", "arn:aws:sqs:eu-west-1:123456789012:Crumb-Search", "", errors.New("throttled"), "https://sqs.eu-west-1.amazonaws.com/123456789012/Crumb-Search", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			b, h := newBackstop(t, w)
			h.refuse = tt.refuse
			batch := moved(t, queue.Message{Trace: "Root=1", Event: event})
			batch.Records[0].Attributes = map[string]string{"DeadLetterQueueSourceArn": tt.source, "MessageGroupId": tt.group}
			answer, err := b.Handle(t.Context(), batch)
			if err != nil || (len(answer.BatchItemFailures) == 1) != tt.stays || h.sentTo != tt.to {
				t.Fatalf("Handle = %+v, %v; sent to %q", answer, err, h.sentTo)
			}
			if tt.to == "" {
				return
			}
			if out := h.sent[0]; out.Body != batch.Records[0].Body || out.Group != tt.group || (out.Dedup != "") != (tt.group != "") {
				t.Errorf("sent %+v", out)
			}
		})
	}
}
