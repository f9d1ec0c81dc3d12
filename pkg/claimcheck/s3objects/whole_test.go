package s3objects_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/s3objects"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type text struct {
	Text string `json:"text"`
}

var (
	ledger = job.Queue{Name: "ledger", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute, FIFO: true}
	shout  = job.DefineResult[text, text]("text.shout", job.Policy{Queue: ledger, MaxArguments: 4 << 20})
)

// A whole is everything that a job goes through, over the wire to the local
// endpoint: table, bucket, clock.
type whole struct {
	t       *testing.T
	ahead   atomic.Int64 // how far the clock is, in nanoseconds
	jobs    *store.Jobs
	driver  *dynamo.Driver
	objects *claimcheck.Objects
}

func newWhole(t *testing.T) *whole {
	t.Helper()
	w := &whole{t: t}
	server, err := localaws.New(localaws.Config{Dir: localaws.InMemory, Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := httptest.NewServer(server)
	t.Cleanup(func() {
		endpoint.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	config := aws.Config{BaseEndpoint: &endpoint.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", localaws.DefaultSecret, "")}
	table := dynamodb.NewFromConfig(config)
	bucket := s3.NewFromConfig(config, func(o *s3.Options) { o.UsePathStyle = true })
	w.driver = dynamo.New(table, createTable(t, table))
	if w.jobs, err = store.New(store.Config{Driver: w.driver, Now: w.now}); err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("objects")}); err != nil {
		t.Fatal(err)
	}
	driver, err := s3objects.New(s3objects.Config{API: bucket, Bucket: "objects"})
	if err != nil {
		t.Fatal(err)
	}
	if w.objects, err = claimcheck.New(driver); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *whole) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func createTable(t *testing.T, client *dynamodb.Client) string {
	t.Helper()
	key := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	var attributes []types.AttributeDefinition
	for name, kind := range map[string]types.ScalarAttributeType{store.PartitionKey: "S", store.SortKey: "S", store.DueSlot: "S", store.DueAt: "N"} {
		attributes = append(attributes, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: kind})
	}
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("jobs"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: attributes, KeySchema: key(store.PartitionKey, store.SortKey),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(store.DueIndex), KeySchema: key(store.DueSlot, store.DueAt), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return "jobs"
}

// hider is the part of SQS that a job without mishaps needs.
type hider struct{}

func (hider) Send(_ context.Context, _ string, m []queue.Outgoing) []error {
	return make([]error, len(m))
}
func (hider) Hide(_ context.Context, _ string, m []queue.Hidden) []error {
	return make([]error, len(m))
}

func (w *whole) deliver(id job.ID) {
	w.t.Helper()
	h, err := worker.New(worker.Config{
		Jobs: w.jobs, Queue: hider{}, Objects: w.objects, Now: w.now, Logger: slog.New(slog.DiscardHandler),
		Addresses: map[string]queue.Address{"ledger": {URL: "https://q/ledger.fifo", Letters: "l"}},
	}, worker.HandleResult(shout, func(_ context.Context, j *job.Job[text]) (text, error) {
		return text{strings.ToUpper(j.Args.Text)}, nil
	}))
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := queue.Message{ID: id, N: 1}.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	event, err := json.Marshal(map[string]any{"Records": []map[string]any{{
		"messageId": "m", "receiptHandle": "r", "body": body, "eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:r:1:ledger.fifo",
		"attributes": map[string]string{"MessageGroupId": "a/../b"},
	}}})
	if err != nil {
		w.t.Fatal(err)
	}
	if answer, err := h.Invoke(w.t.Context(), event); err != nil || string(answer) != `{"batchItemFailures":[]}` {
		w.t.Fatalf("%s, %v", answer, err)
	}
}

// sweepAfter lets time go by and sweeps. Every minute but the last was swept.
func (w *whole) sweepAfter(d time.Duration) {
	w.t.Helper()
	w.ahead.Add(int64(d))
	seen, err := w.jobs.Mark(w.t.Context(), "checkpoint")
	if err != nil {
		w.t.Fatal(err)
	}
	if ok, err := w.jobs.SetMark(w.t.Context(), "checkpoint", seen, w.now().UTC().Format("2006-01-02T15:04Z")); !ok || err != nil {
		w.t.Fatal(ok, err)
	}
	s, err := sweep.New(sweep.Config{Jobs: w.jobs, Objects: w.objects, Now: w.now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.Handle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *whole) count() int {
	w.t.Helper()
	page, _, err := w.objects.List(w.t.Context(), "", 100)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(page)
}

// A job of megabytes goes all the way, in a group with an awkward name, and leaves
// nothing behind.
func TestALargeJobFromEndToEnd(t *testing.T) {
	w := newWhole(t)
	p, err := producer.New(producer.Config{Jobs: w.jobs, Objects: w.objects, Now: w.now}, shout)
	if err != nil {
		t.Fatal(err)
	}
	id, err := p.Enqueue(t.Context(), shout.With(text{strings.Repeat("é<\x00\uffff", 200<<10)}), job.Group("a/../b"))
	if err != nil {
		t.Fatal(err)
	}
	w.deliver(id)
	rec, err := w.jobs.Get(t.Context(), id)
	if err != nil || rec.State != lifecycle.Done || rec.ArgsObject == nil || rec.ResultObject == nil || len(rec.Args)+len(rec.Result) != 0 {
		t.Fatalf("%s, %+v, %+v, %v", rec.State, rec.ArgsObject, rec.ResultObject, err)
	}

	status, err := httpapi.NewStatus(httpapi.JobsConfig{Jobs: w.jobs, Objects: w.objects})
	if err != nil {
		t.Fatal(err)
	}
	request := events.APIGatewayV2HTTPRequest{PathParameters: map[string]string{"id": string(id)}}
	request.RequestContext.HTTP.Method = "GET"
	answer, err := status.Handle(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		State  string `json:"state"`
		Result text   `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer.Body), &shown); err != nil || answer.StatusCode != 200 || shown.Result.Text != strings.Repeat("É<\x00\uffff", 200<<10) {
		t.Errorf("%d %v, %s, %d bytes: %v", answer.StatusCode, answer.Headers, shown.State, len(shown.Result.Text), err)
	}

	for range 3 {
		if w.sweepAfter(5 * sweep.PassEvery); w.count() != 2 {
			t.Fatalf("%d objects are left", w.count())
		}
	}
	if _, err := w.driver.Write(t.Context(), store.Write{Op: store.Delete, Key: store.KeyOf(id)}); err != nil {
		t.Fatal(err) // as DynamoDB does
	}
	if w.sweepAfter(sweep.PassEvery); w.count() != 0 {
		t.Errorf("%d objects are left", w.count())
	}
}
