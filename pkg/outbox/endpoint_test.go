package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	lambdaclient "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
	"github.com/nightshift-go/nightshift/internal/runner/streamsource"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/topic"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A site is tables, a topic and queues behind the SDK's clients, a relay that reads
// the stream as fast as it can, and workers.
type site struct {
	t        *testing.T
	tables   *dynamodb.Client
	topics   *sns.Client
	queues   *sqs.Client
	jobs     *store.Jobs
	topicARN string
	// heard gets what each subscriber is given: "search soup".
	heard chan string
	ctx   context.Context
	going sync.WaitGroup
}

func newSite(t *testing.T) *site {
	t.Helper()
	server, err := localaws.New(localaws.Config{Dir: localaws.InMemory})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := httptest.NewServer(server)
	config := aws.Config{BaseEndpoint: &endpoint.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}
	s := &site{
		t: t, tables: dynamodb.NewFromConfig(config), topics: sns.NewFromConfig(config), queues: sqs.NewFromConfig(config),
		heard: make(chan string, 1000),
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.ctx = ctx
	t.Cleanup(func() {
		cancel()
		s.going.Wait()
		endpoint.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	s.jobs, err = store.New(store.Config{Driver: dynamo.New(s.tables, "jobs")})
	s.must(err)
	s.table("recipes", "id")
	stream := s.table("jobs", store.PartitionKey, store.SortKey)
	made, err := s.topics.CreateTopic(t.Context(), &sns.CreateTopicInput{Name: aws.String("recipes")})
	s.must(err)
	s.topicARN = *made.TopicArn
	s.relay(dynamodbstreams.NewFromConfig(config), stream)
	return s
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// table makes a table and gives the ARN of its stream.
func (s *site) table(name string, keys ...string) (stream string) {
	s.t.Helper()
	in := &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	}
	for i, key := range keys {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &key, AttributeType: types.ScalarAttributeTypeS})
		in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: &key, KeyType: []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[i]})
	}
	made, err := s.tables.CreateTable(s.t.Context(), in)
	s.must(err)
	return *made.TableDescription.LatestStreamArn
}

// An inProcess is a function that runs here.
type inProcess struct{ lambdaclient.Handler }

// Invoke runs it.
func (f inProcess) Invoke(ctx context.Context, payload []byte) (lambdaruntime.Result, error) {
	answer, err := f.Handler.Invoke(ctx, payload)
	return lambdaruntime.Result{Payload: answer}, err
}

// noCheckpoints begins anew.
type noCheckpoints struct{}

func (noCheckpoints) Load(string, string) (string, error) { return "", nil }
func (noCheckpoints) Save(string, string, string) error   { return nil }

func (s *site) relay(streams *dynamodbstreams.Client, arn string) {
	s.t.Helper()
	r, err := relay.New(relay.Config{
		Jobs: s.jobs, Queue: queue.New(s.queues), Logger: slog.New(slog.DiscardHandler),
		Topics: topic.New(s.topics), TopicARNs: map[string]string{"recipes": s.topicARN},
	})
	s.must(err)
	source, err := streamsource.New(streamsource.Config{
		UUID: "relay", StreamARN: arn, StartingPosition: "TRIM_HORIZON", PollInterval: time.Millisecond, ReportBatchItemFailures: true,
	}, streams, inProcess{lambdaclient.NewHandler(r.Handle)}, noCheckpoints{})
	s.must(err)
	s.going.Go(func() { source.Run(s.ctx) })
}

// subscribe makes a queue that a topic's events of some names come to, and a worker
// that reads the recipe that each event tells of.
func (s *site) subscribe(name, filter string) {
	s.t.Helper()
	url := s.queue(name)
	out, err := s.queues.GetQueueAttributes(s.t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []sqstypes.QueueAttributeName{"QueueArn"}})
	s.must(err)
	_, err = s.topics.Subscribe(s.t.Context(), &sns.SubscribeInput{
		TopicArn: &s.topicARN, Protocol: aws.String("sqs"), Endpoint: aws.String(out.Attributes["QueueArn"]),
		Attributes: map[string]string{"RawMessageDelivery": "true", "FilterPolicy": filter},
	})
	s.must(err)
	q := job.Queue{Name: name, PeakArrivals: 10, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, Polled: true}
	client := queue.New(s.queues)
	var handlers []worker.Handler
	for task, event := range map[string]job.Event[Recipe]{"heard": Published, "dropped": Withdrawn} {
		subscription := job.On(event, job.Define[Recipe](name+"."+task, job.Policy{Queue: q}))
		handlers = append(handlers, worker.On(subscription, func(ctx context.Context, j *job.Job[Recipe]) error {
			s.read(ctx, j.Args.ID)
			s.heard <- name + " " + task + " " + j.Args.ID
			return nil
		}))
	}
	w, err := worker.New(worker.Config{
		Jobs: s.jobs, Queue: client, Logger: slog.New(slog.DiscardHandler),
		Addresses: map[string]queue.Address{name: {URL: url, Letters: url}},
	}, handlers...)
	s.must(err)
	s.going.Go(func() {
		if err := w.Poll(s.ctx, worker.PollConfig{Receiver: client}); err != nil {
			s.t.Error(err)
		}
	})
}

func (s *site) queue(name string) string {
	s.t.Helper()
	made, err := s.queues.CreateQueue(s.t.Context(), &sqs.CreateQueueInput{QueueName: &name})
	s.must(err)
	return *made.QueueUrl
}

// read is what every subscriber does: it reads the recipe, which is there.
func (s *site) read(ctx context.Context, id string) {
	out, err := s.tables.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("recipes"), Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}, ConsistentRead: aws.Bool(true),
	})
	if err != nil || out.Item == nil {
		s.t.Errorf("recipe %s not found: %v", id, err)
	}
}

// publish is the publisher, which knows of no subscriber.
func (s *site) publish(event job.Event[Recipe], ids ...string) {
	s.t.Helper()
	box, err := outbox.New(outbox.Config{Jobs: s.jobs})
	s.must(err)
	for _, id := range ids {
		s.must(box.Transact(s.t.Context(), save(id), outbox.Publish(event.With("recipe/"+id, Recipe{ID: id}))))
	}
}

// hears waits for so many runs of subscribers, and gives them in order.
func (s *site) hears(n int) (all []string) {
	s.t.Helper()
	late := time.After(5 * time.Minute) // a loaded machine took half a minute
	for range n {
		select {
		case heard := <-s.heard:
			all = append(all, heard)
		case <-late:
			s.t.Fatalf("heard only %v", all)
		}
	}
	slices.Sort(all)
	return all
}

// Rows, events, topic, queues and workers, over the wire: each event reaches the
// subscribers whose filter takes it, once, and what it tells of is there.
func TestPublishAndSubscribe(t *testing.T) {
	s := newSite(t)
	s.subscribe("search", `{"event":["recipe.published","recipe.withdrawn"]}`)
	s.subscribe("feeds", `{"event":["recipe.published"]}`)
	var ids, want []string
	for i := range 40 {
		id := fmt.Sprintf("r%02d", i)
		ids, want = append(ids, id), append(want, "feeds heard "+id, "search heard "+id)
	}
	s.publish(Published, ids...)
	s.publish(Withdrawn, "old")
	want = append(want, "search dropped old")
	slices.Sort(want)
	if got := s.hears(len(want)); !slices.Equal(got, want) {
		t.Errorf("heard %v", got)
	}

	// A third subscriber comes; the publisher is the same.
	s.subscribe("spam", `{"event":["recipe.published"]}`)
	s.publish(Published, "cake")
	if got := s.hears(3); !slices.Equal(got, []string{"feeds heard cake", "search heard cake", "spam heard cake"}) {
		t.Errorf("heard %v", got)
	}
	if n := len(s.heard); n > 0 {
		t.Errorf("heard %d times more", n)
	}
}
