package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/runner"
)

// photosLimit is what the queue of photos may hold: 20 a second, 3 s each, 70 %,
// 10 minutes.
const photosLimit = 18_000

// TestAFullQueueRefuses fills a queue that nobody polls.
func TestAFullQueueRefuses(t *testing.T) {
	idle, _ := ownStack(t, runner.InMemory, &lines{})
	turn(t, idle, "PhotosFunction", false)
	photos := queueOf(t, idle)
	enqueue := func(headers ...string) reply {
		return send(t, "POST", idle.HTTPURL()+"/jobs/photo.resize", `{"key":"uploads/everyone/0123456789abcdefghjkmnpqrs"}`, headers...)
	}
	once := []string{"Idempotency-Key", "before"}
	upload := func() reply {
		return send(t, "POST", idle.HTTPURL()+"/uploads", `{"content_type":"image/jpeg","bytes":9}`)
	}

	if got := enqueue(once...); got.status != http.StatusAccepted {
		t.Fatalf("an empty queue: %d %s", got.status, got.body)
	}
	photos.fill(photosLimit)
	refusedSoon(t, "POST /jobs", func() reply { return enqueue() })
	before := photos.jobs()
	refusedSoon(t, "POST /jobs", func() reply { return enqueue("Idempotency-Key", "while-full") })
	refusedSoon(t, "POST /uploads", upload)
	if got := enqueue(once...); got.status != http.StatusAccepted {
		t.Errorf("what was accepted before: %d %s", got.status, got.body)
	}
	if jobs := photos.jobs(); jobs != before {
		t.Errorf("refusals wrote %d jobs", jobs-before)
	}

	photos.purge()
	for name, ask := range map[string]func() reply{"POST /jobs": func() reply { return enqueue() }, "POST /uploads": upload} {
		until(t, name+" of an empty queue", func() bool { return ask().status < 300 })
	}
}

// refusedSoon waits until a request is refused, as the function may have looked
// at the queue a moment before it filled, and looks at the refusal.
func refusedSoon(t *testing.T, name string, ask func() reply) {
	t.Helper()
	const full = "urn:nightshift:problem:queue-full"
	var got reply
	until(t, name+" of a full queue", func() bool {
		got = ask()
		return got.status == http.StatusServiceUnavailable && strings.Contains(got.body, full)
	})
	wait, err := strconv.Atoi(got.header.Get("Retry-After"))
	// It drains 30 a second, and is open again at a twentieth below its limit.
	if err != nil || wait < 30 || wait > 60 || got.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: %v %s", name, got.header, got.body)
	}
	if p := decode[struct {
		Type   string
		Status int
	}](t, got); p.Type != full || p.Status != 503 {
		t.Errorf("%s: %s", name, got.body)
	}
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// A directQueue goes past the HTTP API, to a stack's own SQS and table.
type directQueue struct {
	t     *testing.T
	sqs   *sqs.Client
	table *dynamodb.Client
	url   string
}

func queueOf(t *testing.T, stack *runner.Stack) directQueue {
	t.Helper()
	config := aws.Config{Region: "us-east-1", BaseEndpoint: aws.String(stack.AWSURL()),
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	q := directQueue{t: t, sqs: sqs.NewFromConfig(config), table: dynamodb.NewFromConfig(config)}
	out, err := q.sqs.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("PhotosQueue")})
	if err != nil {
		t.Fatal(err)
	}
	q.url = *out.QueueUrl
	return q
}

func (q directQueue) fill(messages int) {
	q.t.Helper()
	for sent := 0; sent < messages; sent += 10 {
		var entries []types.SendMessageBatchRequestEntry
		for i := range 10 {
			entries = append(entries, types.SendMessageBatchRequestEntry{Id: aws.String(fmt.Sprint(i)), MessageBody: aws.String("x")})
		}
		out, err := q.sqs.SendMessageBatch(q.t.Context(), &sqs.SendMessageBatchInput{QueueUrl: &q.url, Entries: entries})
		if err != nil || len(out.Failed) > 0 {
			q.t.Fatal(err, out)
		}
	}
}

func (q directQueue) purge() {
	q.t.Helper()
	if _, err := q.sqs.PurgeQueue(q.t.Context(), &sqs.PurgeQueueInput{QueueUrl: &q.url}); err != nil {
		q.t.Fatal(err)
	}
}

// jobs counts those that resize photos: the stack's own schedules write other rows.
func (q directQueue) jobs() int32 {
	q.t.Helper()
	out, err := q.table.Scan(q.t.Context(), &dynamodb.ScanInput{
		TableName: aws.String("JobsTable"), Select: "COUNT", FilterExpression: aws.String("#task = :task"),
		ExpressionAttributeNames:  map[string]string{"#task": "task"},
		ExpressionAttributeValues: map[string]dynamodbtypes.AttributeValue{":task": &dynamodbtypes.AttributeValueMemberS{Value: "photo.resize"}},
	})
	if err != nil {
		q.t.Fatal(err)
	}
	return out.Count
}
