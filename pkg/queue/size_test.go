package queue_test

import (
	"maps"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// realQueue is a queue at the local endpoint, which counts sizes as SQS does, in
// single messages and in sum.
func realQueue(t *testing.T) (*queue.SQS, string) {
	t.Helper()
	server, err := localaws.New(localaws.Config{Dir: localaws.InMemory})
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
	client := sqs.New(sqs.Options{
		BaseEndpoint: &endpoint.URL, Region: "us-east-1", RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("q")})
	if err != nil {
		t.Fatal(err)
	}
	return queue.New(client), *out.QueueUrl
}

func noted(name string, value queue.Attribute) map[string]queue.Attribute {
	return map[string]queue.Attribute{name: value}
}

// Body and attributes (name, type and value) count together, as
// they are sent: characters that SQS refuses have been replaced by longer ones.
// What is within the limit is never refused, by itself or for its neighbours.
func TestSizesAreTakenOfWhatIsSent(t *testing.T) {
	const limit = queue.MaxBatchBytes
	x := func(n int) string { return strings.Repeat("x", n) }
	const beside = len("n") + len("String")
	for name, messages := range map[string][]queue.Outgoing{
		"exactly the limit":                       {{Body: x(limit)}},
		"the limit with an attribute":             {{Body: x(limit - 100), Attributes: noted("n", queue.String(x(100-beside)))}},
		"two that are the limit":                  {{Body: x(limit / 2)}, {Body: x(limit / 2)}},
		"two that are a byte more":                {{Body: x(limit / 2)}, {Body: x(limit/2 + 1)}},
		"two that an attribute's name makes more": {{Body: x(limit / 2)}, {Body: x(limit/2 - beside), Attributes: noted("nn", queue.String("v"))}},
		"attributes that grow": {
			{Body: x(limit / 2), Attributes: noted("n", queue.String(strings.Repeat("\uffff\x00", 10)))},
			{Body: x(limit / 4), Attributes: noted("n", queue.String(strings.Repeat("\x00", limit/12)))},
			{Body: x(10)},
		},
		"bytes": {
			{Body: x(limit / 2), Attributes: noted("n", queue.Attribute{Type: "Binary", Binary: make([]byte, limit/4)})},
			{Body: x(limit / 4)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			q, url := realQueue(t)
			for i, err := range q.Send(t.Context(), url, messages) {
				if err != nil {
					t.Errorf("message %d: %v", i, err)
				}
			}
		})
	}
	q, url := realQueue(t)
	errs := q.Send(t.Context(), url, []queue.Outgoing{{Body: x(limit - 100), Attributes: noted("n", queue.String(x(101-beside)))}, {Body: "after it"}})
	if errs[0] == nil || errs[1] != nil {
		t.Errorf("a byte more than the limit: %v; the message after it: %v", errs[0], errs[1])
	}
}

// One character that SQS refuses does not poison its batch.
func TestOneCharacterPoisonsNoBatch(t *testing.T) {
	q, url := realQueue(t)
	var messages []queue.Outgoing
	for _, text := range []string{"plain", "\uffff", "\ufffe\x00\x0b", "\xff\xed\xa0\x80", "😀"} {
		body, err := queue.Message{ID: job.IDOf([16]byte{1}), N: 1, Trace: text, Letter: &queue.Letter{Reason: text}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, queue.Outgoing{Body: body, Attributes: noted("n", queue.String(text+"."))})
	}
	for i, err := range q.Send(t.Context(), url, messages) {
		if err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
}

// What callers pass is not written to, so that one map serves
// several messages.
func TestAttributesAreTheCallers(t *testing.T) {
	q, url := realQueue(t)
	shared := map[string]queue.Attribute{"n": queue.String("\x00"), "m": {Type: "Binary", Binary: []byte{0}}}
	before := maps.Clone(shared)
	for range 2 {
		errs := q.Send(t.Context(), url, []queue.Outgoing{{Body: "a", Attributes: shared}, {Body: "b", Attributes: shared}})
		if slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
			t.Error(errs)
		}
	}
	if !reflect.DeepEqual(shared, before) {
		t.Errorf("the map is now %v", shared)
	}
}
