package streamsource

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/nightshift-go/nightshift/internal/runner/filter"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

func TestRetriesBisectionAndCheckpoints(t *testing.T) {
	retries := func(n int) func(*Config) { return func(c *Config) { c.MaximumRetryAttempts = &n } }
	both := func(changes ...func(*Config)) func(*Config) {
		return func(c *Config) {
			for _, change := range changes {
				change(c)
			}
		}
	}
	bisect := func(c *Config) { c.BisectOnError = true }
	report := func(c *Config) { c.ReportBatchItemFailures = true }
	once := func() script {
		called := false
		return func(b string, e events.DynamoDBEvent) (lambdaruntime.Result, error) {
			if called {
				return ok(b, e)
			}
			called = true
			return broken, nil
		}
	}
	for _, c := range []struct {
		name      string
		change    func(*Config)
		function  script
		batches   string
		discarded string
	}{
		{"success", func(c *Config) { c.BatchSize = 3 }, ok, "0 1 2|3 4 5", ""},
		{"retry", func(*Config) {}, once(), "0 1 2 3 4 5|0 1 2 3 4 5", ""},
		{"used up", retries(1), failing("2"), "0 1 2 3 4 5|0 1 2 3 4 5", "1000-1005"},
		{"no retry", retries(0), failing("2"), "0 1 2 3 4 5", "1000-1005"},
		{"bisect", both(retries(1), bisect), failing("4"), "0 1 2 3 4 5|0 1 2|3 4 5|3|4 5|4|4|5", "1004-1004"},
		{"bisect finds two", both(retries(0), bisect), failing("0", "5"), "0 1 2 3 4 5|0 1 2|0|1 2|3 4 5|3|4 5|4|5", "1000-1000 1005-1005"},
		{"lowest reported is the checkpoint", both(retries(1), report), reporting("3", "5"), "0 1 2 3 4 5|3 4 5", "1003-1005"},
		{"reported, cut there for nothing", both(retries(1), report, bisect), reporting("3"), "0 1 2 3 4 5|3 4 5|3 4 5", "1003-1005"},
		{"error bisects whatever is reported", both(retries(0), report, bisect), failing("1"), "0 1 2 3 4 5|0 1 2|0|1 2|1|2|3 4 5", "1001-1001"},
		{"malformed answer fails the batch", both(retries(0), report), func(string, events.DynamoDBEvent) (lambdaruntime.Result, error) {
			return lambdaruntime.Result{Payload: []byte(`{"batchItemFailures":[{"itemIdentifier":""}]}`)}, nil
		}, "0 1 2 3 4 5", "1000-1005"},
		{"without the setting the answer is ignored", retries(0), reporting("3"), "0 1 2 3 4 5", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := run(t, newStream(6), c.change, c.function)
			if got := strings.Join(w.batches, "|"); got != c.batches {
				t.Errorf("batches %s, want %s", got, c.batches)
			}
			var discarded []string
			for _, f := range w.failed {
				discarded = append(discarded, f.Batch.StartSequence+"-"+f.Batch.EndSequence)
			}
			if got := strings.Join(discarded, " "); got != c.discarded {
				t.Errorf("discarded %s, want %s", got, c.discarded)
			}
			if w.saved["esmshard-1"] != "1005" {
				t.Errorf("checkpoint %s", w.saved["esmshard-1"])
			}
		})
	}
}

func TestBackoffDoublesUpTo60(t *testing.T) {
	w := run(t, newStream(1), func(c *Config) { n := 8; c.MaximumRetryAttempts = &n }, failing("0"))
	if got := fmt.Sprint(w.waits); got != "[1s 2s 4s 8s 16s 32s 1m0s 1m0s]" {
		t.Errorf("waited %s", got)
	}
}

func TestThrottlesSpendNoRetry(t *testing.T) {
	calls := 0
	w := run(t, newStream(1), func(c *Config) { n := 0; c.MaximumRetryAttempts = &n }, func(string, events.DynamoDBEvent) (lambdaruntime.Result, error) {
		if calls++; calls < 5 {
			return lambdaruntime.Result{}, lambdaruntime.ErrThrottled
		}
		return lambdaruntime.Result{}, nil
	})
	if calls != 5 || len(w.failed) != 0 {
		t.Errorf("%d calls, discarded %v", calls, w.failed)
	}
}

func TestRecordsThatAreTooOld(t *testing.T) {
	records := newStream(4)
	for i := range 2 {
		records.records[i].Dynamodb.ApproximateCreationDateTime = aws.Time(start.Add(-time.Hour))
	}
	w := run(t, records, func(c *Config) { c.MaximumRecordAge = time.Minute }, ok)
	if strings.Join(w.batches, "|") != "2 3" || len(w.failed) != 1 || w.failed[0].Batch.BatchSize != 2 || w.failed[0].RequestContext.Condition != "RecordAgeExceeded" || w.failed[0].ResponseContext != nil {
		t.Errorf("batches %q, discarded %+v", w.batches, w.failed)
	}
	w = run(t, newStream(1), func(c *Config) { c.MaximumRecordAge = time.Minute }, failing("0"))
	if len(w.failed) != 1 || w.failed[0].RequestContext.Condition != "RecordAgeExceeded" || w.failed[0].RequestContext.ApproximateInvokeCount != 6 {
		t.Errorf("discarded %+v", w.failed)
	}
}

func TestFilteredRecordsAdvanceTheCheckpoint(t *testing.T) {
	f, err := filter.Compile([]string{`{"dynamodb":{"NewImage":{"n":{"N":["3"]}}}}`})
	if err != nil {
		t.Fatal(err)
	}
	w := run(t, newStream(6), func(c *Config) { c.Filter = f }, ok)
	if strings.Join(w.batches, "|") != "3" || w.saved["esmshard-1"] != "1005" {
		t.Errorf("batches %q, checkpoint %v", w.batches, w.saved)
	}
}

func TestCheckpointIsWhereReadingGoesOn(t *testing.T) {
	records := newStream(6)
	w := run(t, records, func(*Config) {}, ok)
	w.batches = nil
	w.saved["esmshard-1"] = "1003"
	s, err := New(Config{UUID: "esm", StartingPosition: "TRIM_HORIZON", Now: func() time.Time { return start }}, records, scripted{w, ok}, w.saved)
	if err != nil {
		t.Fatal(err)
	}
	s.readShard(t.Context(), "shard-1")
	if strings.Join(w.batches, "|") != "4 5" || records.iterator != "AFTER_SEQUENCE_NUMBER" {
		t.Errorf("batches %q from %s", w.batches, records.iterator)
	}
}

func TestItemsKeepTheirOrderInParallel(t *testing.T) {
	perItem := map[string][]string{}
	w := run(t, newStream(60), func(c *Config) { c.ParallelizationFactor, c.BatchSize = 4, 5 }, func(_ string, e events.DynamoDBEvent) (lambdaruntime.Result, error) {
		for _, r := range e.Records {
			pk := r.Change.Keys["pk"].String()
			perItem[pk] = append(perItem[pk], r.Change.SequenceNumber)
		}
		return lambdaruntime.Result{}, nil
	})
	total := 0
	for pk, sequence := range perItem {
		total += len(sequence)
		if !slices.IsSorted(sequence) {
			t.Errorf("%s: %v", pk, sequence)
		}
	}
	if total != 60 || w.saved["esmshard-1"] != "1059" {
		t.Errorf("%d records, checkpoint %v", total, w.saved)
	}
}

func TestEventRecord(t *testing.T) {
	records := newStream(1)
	d := records.records[0].Dynamodb
	d.NewImage = map[string]types.AttributeValue{
		"m": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{
			&types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberB{Value: []byte("b")}}}}},
		"s": &types.AttributeValueMemberSS{Value: []string{"a", "b"}}, "n": &types.AttributeValueMemberNS{Value: []string{"1"}},
		"b": &types.AttributeValueMemberBS{Value: [][]byte{[]byte("x")}},
	}
	records.records[0].EventName = types.OperationTypeRemove
	records.records[0].UserIdentity = &types.Identity{Type: aws.String("Service"), PrincipalId: aws.String("dynamodb.amazonaws.com")}
	run(t, records, func(*Config) {}, func(_ string, e events.DynamoDBEvent) (lambdaruntime.Result, error) {
		r := e.Records[0]
		if r.EventName != "REMOVE" || r.EventSource != "aws:dynamodb" || r.EventSourceArn != "arn:stream" || r.AWSRegion != "us-east-1" || r.EventID != "e1000" ||
			!r.Change.ApproximateCreationDateTime.Time.Equal(start) || r.UserIdentity.PrincipalID != "dynamodb.amazonaws.com" {
			t.Errorf("record %+v", r)
		}
		image := r.Change.NewImage
		if l := image["m"].Map()["l"].List(); !l[0].IsNull() || !l[1].Boolean() || string(l[2].Binary()) != "b" {
			t.Errorf("image %v", image)
		}
		if len(image["s"].StringSet()) != 2 || image["n"].NumberSet()[0] != "1" || string(image["b"].BinarySet()[0]) != "x" {
			t.Errorf("image %v", image)
		}
		return lambdaruntime.Result{}, nil
	})
}

func TestNewRefuses(t *testing.T) {
	many, c := -2, Config{BatchSize: 10_001, Window: time.Hour, ParallelizationFactor: 11, MaximumRecordAge: time.Second}
	c.MaximumRetryAttempts = &many
	_, err := New(c, newStream(0), scripted{}, memory{})
	if err == nil || strings.Count(err.Error(), "\n") != 5 {
		t.Errorf("want six complaints, got %v", err)
	}
}
