package streamsource

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// stream is a fake with one closed shard; an iterator is an index.
type stream struct {
	records  []types.Record
	iterator string // what was asked for
}

func newStream(n int) *stream {
	s := &stream{}
	for i := range n {
		seq := strconv.Itoa(1000 + i)
		s.records = append(s.records, types.Record{
			EventID: aws.String("e" + seq), EventName: types.OperationTypeInsert, EventVersion: aws.String("1.1"),
			Dynamodb: &types.StreamRecord{
				ApproximateCreationDateTime: aws.Time(start), SequenceNumber: &seq, SizeBytes: aws.Int64(10), StreamViewType: types.StreamViewTypeNewAndOldImages,
				Keys:     map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: fmt.Sprint("item", i%3)}},
				NewImage: map[string]types.AttributeValue{"n": &types.AttributeValueMemberN{Value: strconv.Itoa(i)}},
			},
		})
	}
	return s
}

func (s *stream) DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	return &dynamodbstreams.DescribeStreamOutput{StreamDescription: &types.StreamDescription{Shards: []types.Shard{{ShardId: aws.String("shard-1")}}}}, nil
}

func (s *stream) GetShardIterator(_ context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	s.iterator = string(in.ShardIteratorType)
	at := 0
	if in.SequenceNumber != nil {
		n, err := strconv.Atoi(*in.SequenceNumber)
		if err != nil {
			return nil, err
		}
		at = n - 1000 + 1
	}
	return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: aws.String(strconv.Itoa(at))}, nil
}

func (s *stream) GetRecords(_ context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	at, err := strconv.Atoi(*in.ShardIterator)
	if err != nil {
		return nil, err
	}
	end := min(at+int(*in.Limit), len(s.records))
	out := &dynamodbstreams.GetRecordsOutput{Records: s.records[at:end]}
	if end < len(s.records) {
		out.NextShardIterator = aws.String(strconv.Itoa(end))
	}
	return out, nil
}

type memory map[string]string

func (m memory) Load(mapping, shard string) (string, error) { return m[mapping+shard], nil }
func (m memory) Save(mapping, shard, sequence string) error {
	m[mapping+shard] = sequence
	return nil
}

// world is one run over a stream with a scripted function.
type world struct {
	mu      sync.Mutex
	now     time.Time
	batches []string
	waits   []time.Duration
	failed  []Failure
	saved   memory
}

func (w *world) Deliver(_ context.Context, f Failure) error {
	w.failed = append(w.failed, f)
	return nil
}

// numbers gives the last digits of a batch's sequence numbers: "0 1 2".
func numbers(e events.DynamoDBEvent) string {
	var all []string
	for _, r := range e.Records {
		n, _ := strconv.Atoi(r.Change.SequenceNumber)
		all = append(all, strconv.Itoa(n-1000))
	}
	return strings.Join(all, " ")
}

type script func(batch string, e events.DynamoDBEvent) (lambdaruntime.Result, error)

type scripted struct {
	w *world
	f script
}

func (s scripted) Invoke(_ context.Context, payload []byte) (lambdaruntime.Result, error) {
	var e events.DynamoDBEvent
	if err := json.Unmarshal(payload, &e); err != nil {
		return lambdaruntime.Result{}, err
	}
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.batches = append(s.w.batches, numbers(e))
	return s.f(numbers(e), e)
}

func run(t *testing.T, records *stream, change func(*Config), f script) *world {
	t.Helper()
	w := &world{now: start.Add(time.Second), saved: memory{}}
	c := Config{
		UUID: "esm", StreamARN: "arn:stream", FunctionARN: "arn:function", Region: "us-east-1", StartingPosition: "TRIM_HORIZON", OnFailure: w,
		Now: func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.now = w.now.Add(d)
			w.waits = append(w.waits, d)
			return ctx.Err()
		},
	}
	change(&c)
	s, err := New(c, records, scripted{w, f}, w.saved)
	if err != nil {
		t.Fatal(err)
	}
	if !s.readShard(t.Context(), "shard-1") {
		t.Fatal("the shard was not read to its end")
	}
	return w
}

func ok(string, events.DynamoDBEvent) (lambdaruntime.Result, error) {
	return lambdaruntime.Result{}, nil
}

var broken = lambdaruntime.Result{FunctionError: "Unhandled", RequestID: "r", Payload: []byte(`{}`)}

// failing fails every batch with one of the numbers in it.
func failing(bad ...string) script {
	return func(batch string, _ events.DynamoDBEvent) (lambdaruntime.Result, error) {
		for _, n := range strings.Fields(batch) {
			if slices.Contains(bad, n) {
				return broken, nil
			}
		}
		return lambdaruntime.Result{}, nil
	}
}

// reporting reports those of the numbers that are in the batch.
func reporting(bad ...string) script {
	return func(batch string, _ events.DynamoDBEvent) (lambdaruntime.Result, error) {
		var items []string
		for _, n := range strings.Fields(batch) {
			if slices.Contains(bad, n) {
				items = append(items, fmt.Sprintf(`{"itemIdentifier":"100%s"}`, n))
			}
		}
		slices.Reverse(items) // the lowest counts, wherever it stands
		return lambdaruntime.Result{Payload: []byte(`{"batchItemFailures":[` + strings.Join(items, ",") + `]}`)}, nil
	}
}
