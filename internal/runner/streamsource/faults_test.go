package streamsource

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// A record that is reported at every try spends the mapping's retries, though the
// function itself never fails: then it is at the destination, and the next flows.
func TestAReportedRecordUsesUpItsRetries(t *testing.T) {
	for retries, batches := range map[int]string{
		0: "0 1 2 3 4 5|5|6", // cut at the report, which spends nothing, and tried once more
		3: "0 1 2 3 4 5|5|5|5|5|6",
	} {
		w := run(t, newStream(7), func(c *Config) {
			c.BatchSize, c.ReportBatchItemFailures, c.BisectOnError, c.MaximumRetryAttempts = 6, true, true, &retries
		}, reporting("5"))
		if got := strings.Join(w.batches, "|"); got != batches {
			t.Errorf("%d retries: batches %s, want %s", retries, got, batches)
		}
		if len(w.failed) != 1 || w.failed[0].Batch.StartSequence != "1005" || w.failed[0].Batch.EndSequence != "1005" ||
			w.failed[0].RequestContext.Condition != "RetryAttemptsExhausted" {
			t.Errorf("%d retries: discarded %+v", retries, w.failed)
		}
		if w.saved["esmshard-1"] != "1006" {
			t.Errorf("%d retries: the checkpoint is %s", retries, w.saved["esmshard-1"])
		}
	}
}

// aging is an open shard whose iterators die after a quarter of an hour.
type aging struct {
	*stream
	clock  func() time.Time
	issued map[string]time.Time
	asked  []string // the kinds of iterator that were asked for
	write  func()   // called when a page is read
}

func (a *aging) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	out, err := a.stream.GetShardIterator(ctx, in)
	if err == nil {
		a.asked = append(a.asked, string(in.ShardIteratorType))
		a.issued[*out.ShardIterator] = a.clock()
	}
	return out, err
}

func (a *aging) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	if a.clock().Sub(a.issued[*in.ShardIterator]) > 15*time.Minute {
		return nil, &types.ExpiredIteratorException{Message: aws.String("Iterator expired")}
	}
	out, err := a.stream.GetRecords(ctx, in)
	if err != nil {
		return nil, err
	}
	if out.NextShardIterator == nil && a.write != nil {
		out.NextShardIterator = aws.String(*in.ShardIterator) // the shard is open, and silent
		if len(out.Records) > 0 {
			out.NextShardIterator = aws.String("7")
		}
	}
	if out.NextShardIterator != nil {
		a.issued[*out.NextShardIterator] = a.clock()
	}
	if a.write != nil {
		a.write()
	}
	return out, nil
}

// An iterator that died in a quiet quarter of an hour is replaced by one that goes
// on where reading had come to: no record is missing, none comes twice, and the
// error is told once.
func TestADeadIteratorIsReplaced(t *testing.T) {
	w := &world{now: start.Add(time.Second), saved: memory{}}
	clock := func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }
	records := newStream(8)
	eighth := records.records[7]
	eighth.Dynamodb.ApproximateCreationDateTime = aws.Time(start.Add(17 * time.Minute))
	records.records = records.records[:7]
	a := &aging{stream: records, clock: clock, issued: map[string]time.Time{}}
	reads := 0
	a.write = func() {
		if reads++; reads == 2 { // a silent quarter of an hour, then one more record
			w.mu.Lock()
			w.now = w.now.Add(16 * time.Minute)
			w.mu.Unlock()
			records.records = append(records.records, eighth)
			a.write = nil
		}
	}
	var told []string
	s, err := New(Config{
		UUID: "esm", StreamARN: "arn:stream", StartingPosition: "TRIM_HORIZON", Now: clock, Log: func(m string) { told = append(told, m) },
		Sleep: func(ctx context.Context, d time.Duration) error { return ctx.Err() },
	}, a, scripted{w, func(string, events.DynamoDBEvent) (lambdaruntime.Result, error) { return lambdaruntime.Result{}, nil }}, w.saved)
	if err != nil {
		t.Fatal(err)
	}
	if !s.readShard(t.Context(), "shard-1") {
		t.Fatal("the shard was not read to its end")
	}
	if got := strings.Join(w.batches, "|"); got != "0 1 2 3 4 5 6|7" {
		t.Errorf("batches %s", got)
	}
	if got := strings.Join(a.asked, " "); got != "TRIM_HORIZON AFTER_SEQUENCE_NUMBER" {
		t.Errorf("iterators %s", got)
	}
	if len(told) != 1 || !strings.Contains(told[0], "ExpiredIterator") {
		t.Errorf("told %q", told)
	}
}
