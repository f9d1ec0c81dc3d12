package sns_test

import (
	"fmt"
	"testing"

	client "github.com/aws/aws-sdk-go-v2/service/sns"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

// A batch of ten to four queues, over HTTP.
func BenchmarkPublishBatch(b *testing.B) {
	a := newAccount(b, localaws.Config{})
	topic := a.topic("recipes", nil)
	for i := range 4 {
		name := fmt.Sprintf("q%d", i)
		a.queue(name)
		a.subscribed(topic, name, raw)
	}
	for b.Loop() {
		if _, err := a.PublishBatch(b.Context(), &client.PublishBatchInput{TopicArn: topic, PublishBatchRequestEntries: entries(10, "message")}); err != nil {
			b.Fatal(err)
		}
	}
}
