package streamsource

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

type bucket struct{ key, body string }

func (b *bucket) PutObject(_ context.Context, in *s3.PutObjectInput, _ ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	body, err := io.ReadAll(in.Body)
	b.key, b.body = *in.Key, string(body)
	return nil, err
}

type sender struct{ body string }

func (s *sender) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	s.body = *in.MessageBody
	return nil, nil
}

func TestFailureDestinations(t *testing.T) {
	w := run(t, newStream(2), func(c *Config) { n := 0; c.MaximumRetryAttempts = &n }, failing("0"))
	b, q := &bucket{}, &sender{}
	if err := errors.Join((Bucket{Client: b, Name: "x"}).Deliver(t.Context(), w.failed[0]), (Queue{Client: q, URL: "u"}).Deliver(t.Context(), w.failed[0])); err != nil {
		t.Fatal(err)
	}
	if key := regexp.MustCompile(`^aws/lambda/esm/shard-1/2026/01/02/2026-01-02T03\.04\.06-[0-9a-f-]{36}$`); !key.MatchString(b.key) {
		t.Errorf("key %s", b.key)
	}
	want := `{"requestContext":{"requestId":"r","functionArn":"arn:function","condition":"RetryAttemptsExhausted","approximateInvokeCount":1},` +
		`"responseContext":{"statusCode":200,"executedVersion":"$LATEST","functionError":"Unhandled"},"version":"1.0","timestamp":"2026-01-02T03:04:06.000Z",` +
		`"DDBStreamBatchInfo":{"shardId":"shard-1","startSequenceNumber":"1000","endSequenceNumber":"1001","approximateArrivalOfFirstRecord":"2026-01-02T03:04:05Z",` +
		`"approximateArrivalOfLastRecord":"2026-01-02T03:04:05Z","batchSize":2,"streamArn":"arn:stream"}`
	if q.body != want+"}" {
		t.Errorf("the queue got %s", q.body)
	}
	if !strings.HasPrefix(b.body, want+`,"payload":"{\"Records\":[`) {
		t.Errorf("the bucket got %s", b.body)
	}
	var document struct{ Payload string }
	var e events.DynamoDBEvent
	if err := errors.Join(json.Unmarshal([]byte(b.body), &document), json.Unmarshal([]byte(document.Payload), &e)); err != nil || numbers(e) != "0 1" {
		t.Errorf("the payload has %q: %v", numbers(e), err)
	}
}
