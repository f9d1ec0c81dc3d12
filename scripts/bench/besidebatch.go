package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/scripts/bench/work"
)

// make enqueues jobs and gives the batches that Lambda would hand out for them.
// All contenders get such batches; only the worker needs the jobs.
func (b *beside) make(ctx context.Context, n int) ([][]byte, error) {
	batches := make([][]byte, n)
	var group errgroup.Group
	group.SetLimit(8)
	for i := range batches {
		first := b.messages
		b.messages += besideBatch
		group.Go(func() (err error) {
			batches[i], err = b.batch(ctx, first)
			return err
		})
	}
	return batches, group.Wait()
}

// batch makes an event with messages numbered from first on.
func (b *beside) batch(ctx context.Context, first int) ([]byte, error) {
	var event events.SQSEvent
	for n := first; n < first+besideBatch; n++ {
		id, err := b.producer.Enqueue(ctx, work.Noop.With(arguments))
		if err != nil {
			return nil, err
		}
		body, err := queue.Message{ID: id, N: 1}.Encode()
		if err != nil {
			return nil, err
		}
		sent := strconv.FormatInt(time.Now().UnixMilli(), 10)
		event.Records = append(event.Records, events.SQSMessage{
			MessageId: fmt.Sprintf("059f36b4-87a3-44ab-83d2-%012d", n), ReceiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0aEXAMPLEwJnKyrHigUMZj6rYigCgxlaS3SLy0aEXAMPLE",
			Body: body, Md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3",
			Attributes: map[string]string{
				"ApproximateReceiveCount": "1", "SentTimestamp": sent, "ApproximateFirstReceiveTimestamp": sent, "SenderId": "AROAEXAMPLEID0RELAY:Relay",
			},
			EventSource: "aws:sqs", EventSourceARN: "arn:aws:sqs:us-east-1:000000000000:bench", AWSRegion: "us-east-1",
		})
	}
	return json.Marshal(event)
}
