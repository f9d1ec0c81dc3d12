package deadletter_test

import (
	"fmt"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// An endpoint is SQS as the local AWS has it.
type endpoint struct {
	t      *testing.T
	client *sqs.Client
	sqs    *queue.SQS
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	server, err := localaws.New(localaws.Config{Dir: localaws.InMemory})
	if err != nil {
		t.Fatal(err)
	}
	http := httptest.NewServer(server)
	t.Cleanup(func() {
		http.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	client := sqs.New(sqs.Options{BaseEndpoint: &http.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", localaws.DefaultSecret, "")})
	return &endpoint{t, client, queue.New(client)}
}

// create makes a queue and gives its URL and ARN.
func (e *endpoint) create(name string, attributes map[string]string) (url, arn string) {
	e.t.Helper()
	made, err := e.client.CreateQueue(e.t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		e.t.Fatal(err)
	}
	out, err := e.client.GetQueueAttributes(e.t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: made.QueueUrl, AttributeNames: []types.QueueAttributeName{"QueueArn"}})
	if err != nil {
		e.t.Fatal(err)
	}
	return *made.QueueUrl, out.Attributes["QueueArn"]
}

// withDead gives the attributes of a queue that moves messages after so many
// receives, and shows at once what was received.
func withDead(arn string, receives int) map[string]string {
	return map[string]string{"VisibilityTimeout": "0", "RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, arn, receives)}
}

func (e *endpoint) send(url string, m queue.Outgoing) {
	e.t.Helper()
	if err := e.sqs.Send(e.t.Context(), url, []queue.Outgoing{m})[0]; err != nil {
		e.t.Fatal(err)
	}
}

func (e *endpoint) receive(url string) []queue.Incoming {
	e.t.Helper()
	came, err := e.sqs.Receive(e.t.Context(), url, queue.Ask{Most: 10})
	if err != nil {
		e.t.Fatal(err)
	}
	return came
}

// failAll receives until a queue gives nothing more, and tells how often its first
// message came.
func (e *endpoint) failAll(url string) (receives int) {
	e.t.Helper()
	for len(e.receive(url)) > 0 {
		receives++
	}
	return receives
}

func (e *endpoint) letters(address queue.Address) *deadletter.Queue {
	e.t.Helper()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		e.t.Fatal(err)
	}
	q, err := deadletter.New(deadletter.Config{Jobs: jobs, SQS: e.sqs, Address: address})
	if err != nil {
		e.t.Fatal(err)
	}
	return q
}

// Two queues share a
// dead-letter queue. A message comes as often as its queue says, is moved at the
// next receive, and goes back to its own queue with all that it had, its receives
// counted anew.
func TestQueuesThatShareADeadLetterQueue(t *testing.T) {
	e := newEndpoint(t)
	dead, arn := e.create("dead", nil)
	attributes := map[string]queue.Attribute{"text": queue.String("a"), "number": {Type: "Number", Text: "7"}, "bytes": {Type: "Binary", Binary: []byte{0, 0xff}}}
	const trace = "Root=1-5759e988-bd862e3fe1be46a994272793"
	urls := map[string]string{}
	for _, name := range []string{"one", "two"} {
		urls[name], _ = e.create(name, withDead(arn, 3))
		e.send(urls[name], queue.Outgoing{Body: name, Attributes: attributes, Trace: trace})
		if receives := e.failAll(urls[name]); receives != 3 {
			t.Errorf("queue %s: received %d times, want 3", name, receives)
		}
	}
	if depth, err := e.sqs.Depth(t.Context(), dead); err != nil || depth.Visible != 2 {
		t.Fatalf("the dead-letter queue: %+v, %v", depth, err)
	}
	summary, err := e.letters(queue.Address{Letters: dead}).Redrive(t.Context(), deadletter.Options{Unreadable: true})
	if err != nil || summary.By[deadletter.Returned] != 2 {
		t.Fatalf("%+v, %v", summary, err)
	}
	for name, url := range urls {
		came := e.receive(url)
		if len(came) != 1 || came[0].Body != name || came[0].Receives != 1 || came[0].Trace != trace || !reflect.DeepEqual(came[0].Attributes, attributes) {
			t.Errorf("queue %s: %+v", name, came)
		}
	}
}

// Into a FIFO queue a message goes back with its group, and
// is not taken for the one that was sent a moment ago.
func TestAFIFOQueueTakesBackWhatItHadAMomentAgo(t *testing.T) {
	e := newEndpoint(t)
	dead, arn := e.create("dead.fifo", map[string]string{"FifoQueue": "true"})
	settings := withDead(arn, 1)
	settings["FifoQueue"] = "true"
	url, _ := e.create("work.fifo", settings)
	e.send(url, queue.Outgoing{Body: "Hello?", Group: "g", Dedup: "d"})
	e.failAll(url)
	letters := e.letters(queue.Address{Letters: dead})
	if summary, err := letters.Redrive(t.Context(), deadletter.Options{Unreadable: true}); err != nil || summary.By[deadletter.Returned] != 1 {
		t.Fatalf("%+v, %v", summary, err)
	}
	if came := e.receive(url); len(came) != 1 || came[0].Group != "g" || came[0].Body != "Hello?" {
		t.Errorf("%+v", came)
	}
	if summary, err := letters.List(t.Context(), deadletter.Options{}); err != nil || summary.Seen != 0 {
		t.Errorf("left in the dead-letter queue: %+v, %v", summary, err)
	}
}

// A FIFO queue hides a group of which somebody has a message. Letters are groups of
// their own, so that all are listed.
func TestAllLettersOfAFIFOQueueAreListed(t *testing.T) {
	e := newEndpoint(t)
	dead, _ := e.create("dead.fifo", map[string]string{"FifoQueue": "true"})
	w := newWorld(t, nil)
	for i := range 25 {
		id := w.enqueue(func(n *store.NewJob) { n.ID = n.ID.InGroup("orders", "customer") })
		out, err := queue.Message{ID: id, N: int64(i + 1), Letter: &queue.Letter{Reason: "boom", DiedAt: time.Now()}}.LetterOut(true)
		if err != nil {
			t.Fatal(err)
		}
		e.send(dead, out)
	}
	for range 2 {
		if summary, err := e.letters(queue.Address{Letters: dead}).List(t.Context(), deadletter.Options{}); err != nil || summary.By[deadletter.Listed] != 25 || summary.Hidden != 0 {
			t.Errorf("%+v, %v", summary, err)
		}
	}
}
