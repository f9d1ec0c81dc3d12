package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A noDriver answers from memory: claims with the job's running row, ends with
// its done one. Nothing is evaluated, so that what is measured is the worker's own
// time.
type noDriver struct {
	store.Driver
	running, done map[string]store.Item // by partition key
}

func newNoDriver(size int) noDriver {
	d := noDriver{running: map[string]store.Item{}, done: map[string]store.Item{}}
	for i := range size {
		running := store.KeyOf(benchID(i))
		for name, text := range map[string]string{"state": "running", "task": "note.write", "queue": "notes", "args": `{"text":"hello"}`, "trace": benchTrace} {
			running[name] = &types.AttributeValueMemberS{Value: text}
		}
		for name, n := range map[string]int{"n": 1, "attempt": 1, "max_attempts": 3, "created_ms": 1795942800123, "started_ms": 1795942800456, "lease_until_ms": 1795942860456} {
			running[name] = &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
		}
		done := maps.Clone(running)
		done["state"] = &types.AttributeValueMemberS{Value: "done"}
		delete(done, "lease_until_ms")
		done["finished_ms"] = &types.AttributeValueMemberN{Value: "1795942800999"}
		done["ttl"] = &types.AttributeValueMemberN{Value: "1798362004"}
		key := partition(running)
		d.running[key], d.done[key] = running, done
	}
	return d
}

func partition(row store.Item) string {
	key, ok := row[store.PartitionKey].(*types.AttributeValueMemberS)
	if !ok {
		panic("a row without a key")
	}
	return key.Value
}

func (d noDriver) Write(_ context.Context, w store.Write) (store.Item, error) {
	if _, ends := w.Values[":to"]; ends {
		return d.done[partition(w.Key)], nil
	}
	return d.running[partition(w.Key)], nil
}

const benchTrace = "Root=1-6931a3d0-5f1c9f7f2b1e4f6c8a9b0c1d"

func benchID(i int) job.ID { return job.ID(fmt.Sprintf("01hz7vq3k8m5n9p2r4s6t8w%03d", i)) }

// benchEvent is a batch as Lambda sends it.
func benchEvent(b testing.TB, size int) []byte {
	b.Helper()
	var event events.SQSEvent
	for i := range size {
		body, err := queue.Message{ID: benchID(i), N: 1, Trace: benchTrace}.Encode()
		if err != nil {
			b.Fatal(err)
		}
		event.Records = append(event.Records, events.SQSMessage{
			MessageId: fmt.Sprintf("059f36b4-87a3-44ab-83d2-661975830a%02d", i), ReceiptHandle: "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0aEXAMPLEwJnKyrHigUMZj6rYigCgxlaS3SLy0aEXAMPLE",
			Body: body, Md5OfBody: "e4e68fb7bd0e697a0ae8f1bb342846b3", MessageAttributes: map[string]events.SQSMessageAttribute{},
			Attributes: map[string]string{
				"ApproximateReceiveCount": "1", "SentTimestamp": "1795942800123", "ApproximateFirstReceiveTimestamp": "1795942800131",
				"SenderId": "AROAEXAMPLEID0RELAY:Crumb-RelayFunction", "AWSTraceHeader": benchTrace,
			},
			EventSource: "aws:sqs", EventSourceARN: "arn:aws:sqs:eu-west-1:123456789012:notes", AWSRegion: "eu-west-1",
		})
	}
	encoded, err := json.Marshal(event)
	if err != nil {
		b.Fatal(err)
	}
	return encoded
}

func eachSize(b *testing.B, bench func(b *testing.B, size int)) {
	for _, size := range []int{1, 10} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
			bench(b, size)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/job")
		})
	}
}

// BenchmarkInvoke is the worker's own time: everything but AWS.
func BenchmarkInvoke(b *testing.B) {
	eachSize(b, func(b *testing.B, size int) {
		jobs, err := store.New(store.Config{Driver: newNoDriver(size)})
		if err != nil {
			b.Fatal(err)
		}
		q := notes(nil)
		w, err := worker.New(worker.Config{
			Jobs: jobs, Queue: &sqsFake{}, Logger: slog.New(slog.DiscardHandler),
			Addresses: map[string]queue.Address{"notes": {URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notes", Letters: "letters"}},
		}, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
		if err != nil {
			b.Fatal(err)
		}
		event := benchEvent(b, size)
		b.ReportAllocs()
		for b.Loop() {
			if answer, err := w.Invoke(b.Context(), event); err != nil || len(answer) != len(`{"batchItemFailures":[]}`) {
				b.Fatalf("%s, %v", answer, err)
			}
		}
	})
}

// BenchmarkBare is the least that a handler in the style of aws-lambda-go does
// with the same batch: parse it, parse each body, answer.
func BenchmarkBare(b *testing.B) {
	eachSize(b, func(b *testing.B, size int) {
		event := benchEvent(b, size)
		b.ReportAllocs()
		for b.Loop() {
			var batch events.SQSEvent
			if err := json.Unmarshal(event, &batch); err != nil {
				b.Fatal(err)
			}
			for _, record := range batch.Records {
				var m queue.Message
				if err := json.Unmarshal([]byte(record.Body), &m); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := json.Marshal(events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
