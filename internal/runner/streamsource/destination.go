package streamsource

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// Why a batch was discarded.
const (
	conditionRetries = "RetryAttemptsExhausted"
	conditionAge     = "RecordAgeExceeded"
)

// A Failure is the invocation record of a discarded batch.
// https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
type Failure struct {
	RequestContext  RequestContext   `json:"requestContext"`
	ResponseContext *ResponseContext `json:"responseContext,omitempty"`
	Version         string           `json:"version"`
	Timestamp       string           `json:"timestamp"`
	Batch           BatchInfo        `json:"DDBStreamBatchInfo"`
	// Payload is the whole event as a string; only S3 gets it.
	Payload string `json:"payload,omitempty"`

	mapping string
	at      time.Time
}

// RequestContext tells of the last invocation.
type RequestContext struct {
	RequestID              string `json:"requestId"`
	FunctionARN            string `json:"functionArn"`
	Condition              string `json:"condition"`
	ApproximateInvokeCount int    `json:"approximateInvokeCount"`
}

// ResponseContext tells how the last invocation ended.
type ResponseContext struct {
	StatusCode      int    `json:"statusCode"`
	ExecutedVersion string `json:"executedVersion"`
	FunctionError   string `json:"functionError,omitempty"`
}

// BatchInfo tells where the records are in the stream.
type BatchInfo struct {
	ShardID       string `json:"shardId"`
	StartSequence string `json:"startSequenceNumber"`
	EndSequence   string `json:"endSequenceNumber"`
	FirstArrival  string `json:"approximateArrivalOfFirstRecord"`
	LastArrival   string `json:"approximateArrivalOfLastRecord"`
	BatchSize     int    `json:"batchSize"`
	StreamARN     string `json:"streamArn"`
}

// A Destination takes discarded batches.
type Destination interface {
	Deliver(ctx context.Context, f Failure) error
}

// Bucket is an on-failure destination in S3. It gets whole records.
type Bucket struct {
	// Client and Name are the bucket's.
	Client interface {
		PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	}
	Name string
}

// Deliver writes the object aws/lambda/ESM/SHARD/YYYY/MM/DD/TIME-UUID.
func (b Bucket) Deliver(ctx context.Context, f Failure) error {
	body, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("streamsource: encoding a failure: %w", err)
	}
	at := f.at.UTC()
	key := fmt.Sprintf("aws/lambda/%s/%s/%s/%s-%s", f.mapping, f.Batch.ShardID, at.Format("2006/01/02"), at.Format("2006-01-02T15.04.05"), lambdaruntime.NewUUID())
	_, err = b.Client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.Name, Key: &key, Body: bytes.NewReader(body), ContentType: aws.String("application/json")})
	if err != nil {
		return fmt.Errorf("streamsource: writing s3://%s/%s: %w", b.Name, key, err)
	}
	return nil
}

// Queue is an on-failure destination in SQS. It learns where the records are,
// not what they were.
type Queue struct {
	// Client and URL are the queue's.
	Client interface {
		SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
	}
	URL string
}

// Deliver sends one message.
func (q Queue) Deliver(ctx context.Context, f Failure) error {
	f.Payload = ""
	body, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("streamsource: encoding a failure: %w", err)
	}
	if _, err := q.Client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.URL, MessageBody: aws.String(string(body))}); err != nil {
		return fmt.Errorf("streamsource: sending to %s: %w", q.URL, err)
	}
	return nil
}

// deliveries bounds the attempts to hand a discarded batch over.
const deliveries = 5

// discard gives a batch up. The shard goes on even where the destination cannot
// be reached, as Lambda's does; the log then holds all that is left. An error
// means that ctx ended before the batch was handed over.
func (s *Source) discard(ctx context.Context, shard, condition string, b batch) error {
	f, err := s.failure(shard, condition, b)
	if err != nil {
		return err
	}
	s.config.Log(fmt.Sprintf("discarding %d records from %s to %s of shard %s: %s", f.Batch.BatchSize, f.Batch.StartSequence, f.Batch.EndSequence, shard, condition))
	if s.config.OnFailure == nil {
		return nil
	}
	for attempt := 1; ; attempt++ {
		err := s.config.OnFailure.Deliver(ctx, f)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case attempt == deliveries:
			s.config.Log(fmt.Sprintf("the on-failure destination did not get them: %v", err))
			return nil
		}
		if err := s.config.Sleep(ctx, s.retryWait(attempt)); err != nil {
			return err
		}
	}
}

func (s *Source) failure(shard, condition string, b batch) (Failure, error) {
	now := s.config.Now()
	first, last := b.records[0], b.records[len(b.records)-1]
	payload, err := event(b.records)
	f := Failure{
		RequestContext: RequestContext{RequestID: b.last.RequestID, FunctionARN: s.config.FunctionARN, Condition: condition, ApproximateInvokeCount: b.invoked},
		Version:        "1.0", Timestamp: now.UTC().Format("2006-01-02T15:04:05.000Z"),
		Batch: BatchInfo{
			ShardID: shard, StartSequence: first.sequence, EndSequence: last.sequence,
			FirstArrival: first.created.UTC().Format(time.RFC3339), LastArrival: last.created.UTC().Format(time.RFC3339),
			BatchSize: len(b.records), StreamARN: s.config.StreamARN,
		},
		Payload: string(payload), mapping: s.config.UUID, at: now,
	}
	if b.invoked > 0 {
		f.ResponseContext = &ResponseContext{StatusCode: 200, ExecutedVersion: "$LATEST", FunctionError: b.last.FunctionError}
	}
	return f, err
}
