package knownfaults

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
	"github.com/nightshift-go/nightshift/internal/runner/sqssource"
	"github.com/nightshift-go/nightshift/internal/runner/streamsource"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A wired stack speaks AWS's protocols with the local endpoint: every row, stream
// record and message goes over the wire, as the SDKs and Lambda's event sources
// write it.
type wired struct {
	t        *testing.T
	server   *localaws.Server
	sqs      *sqs.Client
	jobs     *store.Jobs
	producer *producer.Producer
	letters  string
}

// wire makes a stack of the tasks' one queue, with their handlers. longest is the
// most bytes that the queue takes of a message; "" leaves that to SQS.
func wire(t *testing.T, longest string, tasks []job.Defined, handlers ...worker.Handler) *wired {
	t.Helper()
	server, err := localaws.New(localaws.Config{Dir: localaws.InMemory})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := httptest.NewServer(server)
	ctx, cancel := context.WithCancel(t.Context())
	var sources sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		sources.Wait()
		endpoint.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	config := aws.Config{BaseEndpoint: &endpoint.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}
	w := &wired{t: t, server: server, sqs: sqs.NewFromConfig(config)}
	table := dynamodb.NewFromConfig(config)
	stream := createTable(t, table)
	attributes, letters, suffix := map[string]string{"VisibilityTimeout": "60"}, map[string]string{}, ""
	if longest != "" {
		attributes["MaximumMessageSize"] = longest
	}
	ordered := tasks[0].Definition().Policy.Queue.FIFO
	if ordered {
		attributes["FifoQueue"], letters["FifoQueue"], suffix = "true", "true", ".fifo"
	}
	source := w.createQueue("notes"+suffix, attributes)
	w.letters = w.createQueue("letters"+suffix, letters)
	addresses := map[string]queue.Address{"notes": {URL: source, Letters: w.letters}}

	var problems [6]error
	w.jobs, problems[0] = store.New(store.Config{Driver: dynamo.New(table, "jobs")})
	w.producer, problems[1] = producer.New(producer.Config{Jobs: w.jobs}, tasks...)
	relaying, err := relay.New(relay.Config{Jobs: w.jobs, Queue: queue.New(w.sqs), Addresses: addresses, Logger: silent})
	problems[2] = err
	working, err := worker.New(worker.Config{Jobs: w.jobs, Queue: queue.New(w.sqs), Addresses: addresses, Logger: silent}, handlers...)
	problems[3] = err
	streaming, err := streamsource.New(streamsource.Config{
		UUID: "relay", StreamARN: stream, StartingPosition: "TRIM_HORIZON", ReportBatchItemFailures: true, PollInterval: 5 * time.Millisecond,
	}, dynamodbstreams.NewFromConfig(config), function(func(ctx context.Context, event []byte) (any, error) {
		var batch events.DynamoDBEvent
		if err := json.Unmarshal(event, &batch); err != nil {
			return nil, err
		}
		return relaying.Handle(ctx, batch)
	}), checkpoints{})
	problems[4] = err
	polling, err := sqssource.New(sqssource.Config{
		QueueURL: source, QueueARN: "arn:aws:sqs:us-east-1:000000000000:notes" + suffix, FIFO: ordered, Visibility: time.Minute, FunctionTimeout: 10 * time.Second,
		ReportBatchItemFailures: true, MaximumConcurrency: 2,
	}, w.sqs, function(func(ctx context.Context, event []byte) (any, error) {
		answer, err := working.Invoke(ctx, event)
		return json.RawMessage(answer), err
	}))
	problems[5] = err
	if err := errors.Join(problems[:]...); err != nil {
		t.Fatal(err)
	}
	sources.Go(func() { streaming.Run(ctx) })
	sources.Go(func() { polling.Run(ctx) })
	return w
}

// A function is invoked in this process.
type function func(ctx context.Context, event []byte) (any, error)

// Invoke runs it once.
func (f function) Invoke(ctx context.Context, event []byte) (lambdaruntime.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	answer, err := f(ctx, event)
	if err != nil {
		return lambdaruntime.Result{FunctionError: "Unhandled"}, nil
	}
	payload, err := json.Marshal(answer)
	return lambdaruntime.Result{Payload: payload}, err
}

// checkpoints forget, which a stream that is read once does not mind.
type checkpoints struct{}

func (checkpoints) Load(string, string) (string, error) { return "", nil }
func (checkpoints) Save(string, string, string) error   { return nil }

func createTable(t *testing.T, client *dynamodb.Client) (stream string) {
	t.Helper()
	attribute := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
	}
	schema := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
	}
	made, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("jobs"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute(store.PartitionKey, types.ScalarAttributeTypeS), attribute(store.SortKey, types.ScalarAttributeTypeS),
			attribute(store.DueSlot, types.ScalarAttributeTypeS), attribute(store.DueAt, types.ScalarAttributeTypeN),
		},
		KeySchema: schema(store.PartitionKey, store.SortKey),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(store.DueIndex), KeySchema: schema(store.DueSlot, store.DueAt),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	if err != nil {
		t.Fatal(err)
	}
	return *made.TableDescription.LatestStreamArn
}

func (w *wired) createQueue(name string, attributes map[string]string) (url string) {
	w.t.Helper()
	made, err := w.sqs.CreateQueue(w.t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		w.t.Fatal(err)
	}
	return *made.QueueUrl
}

// ended waits for the job's end.
func (w *wired) ended(id job.ID) store.Record {
	w.t.Helper()
	timeout := time.After(3 * time.Minute) // on a machine with other things to do as well
	for {
		changed := w.server.Changed()
		rec, err := w.jobs.Get(w.t.Context(), id)
		if err != nil {
			w.t.Fatal(err)
		}
		if rec.State.Final() {
			return rec
		}
		select {
		case <-changed:
		case <-timeout:
			w.t.Fatalf("%s is %s", id, rec.State)
		}
	}
}

// letter takes a letter from the dead-letter queue.
func (w *wired) letter() (queue.Message, sqstypes.Message) {
	w.t.Helper()
	got, err := w.sqs.ReceiveMessage(w.t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: &w.letters, MaxNumberOfMessages: 1, WaitTimeSeconds: 20, MessageAttributeNames: []string{"All"},
	})
	if err != nil || len(got.Messages) == 0 {
		w.t.Fatalf("no letter: %+v, %v", got, err)
	}
	raw := got.Messages[0]
	if _, err := w.sqs.DeleteMessage(w.t.Context(), &sqs.DeleteMessageInput{QueueUrl: &w.letters, ReceiptHandle: raw.ReceiptHandle}); err != nil {
		w.t.Fatal(err)
	}
	m, err := queue.DecodeMessage(*raw.Body)
	if err != nil && !errors.Is(err, queue.ErrUndecodable) {
		w.t.Fatal(err)
	}
	return m, raw
}
