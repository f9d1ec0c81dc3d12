package sns_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	client "github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

// account is topics and queues behind the clients of the SDK.
type account struct {
	testing.TB
	*client.Client
	sqs *sqs.Client
}

func newAccount(t testing.TB, cfg localaws.Config) account {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = localaws.InMemory
	}
	endpoint, err := localaws.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(endpoint)
	t.Cleanup(func() {
		server.Close()
		if err := endpoint.Close(); err != nil {
			t.Error(err)
		}
	})
	config := aws.Config{BaseEndpoint: &server.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		RetryMaxAttempts: 1, RetryMode: aws.RetryModeStandard}
	return account{t, client.NewFromConfig(config), sqs.NewFromConfig(config)}
}

func (a account) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// topic makes a topic and gives its ARN.
func (a account) topic(name string, attributes map[string]string) *string {
	a.Helper()
	if strings.HasSuffix(name, ".fifo") {
		if attributes == nil {
			attributes = map[string]string{}
		}
		attributes["FifoTopic"] = "true"
	}
	out, err := a.CreateTopic(a.Context(), &client.CreateTopicInput{Name: &name, Attributes: attributes})
	a.must(err)
	return out.TopicArn
}

func arn(queue string) string { return "arn:aws:sqs:us-east-1:000000000000:" + queue }

// queue makes a queue and gives its URL.
func (a account) queue(name string) *string {
	a.Helper()
	attributes := map[string]string{}
	if strings.HasSuffix(name, ".fifo") {
		attributes["FifoQueue"] = "true"
	}
	out, err := a.sqs.CreateQueue(a.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	a.must(err)
	return out.QueueUrl
}

// subscribed subscribes a queue and gives the subscription's ARN.
func (a account) subscribed(topic *string, queue string, attributes map[string]string) *string {
	a.Helper()
	out, err := a.Subscribe(a.Context(), &client.SubscribeInput{TopicArn: topic, Protocol: aws.String("sqs"), Endpoint: aws.String(arn(queue)), Attributes: attributes})
	a.must(err)
	return out.SubscriptionArn
}

// got takes what is in a queue. Delivery comes before the answer of a publish.
func (a account) got(url *string) []sqstypes.Message {
	a.Helper()
	var all []sqstypes.Message
	for {
		out, err := a.sqs.ReceiveMessage(a.Context(), &sqs.ReceiveMessageInput{QueueUrl: url, MaxNumberOfMessages: 10,
			MessageAttributeNames: []string{"All"}, MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{"All"}})
		a.must(err)
		if len(out.Messages) == 0 {
			return all
		}
		for _, m := range out.Messages {
			_, err := a.sqs.DeleteMessage(a.Context(), &sqs.DeleteMessageInput{QueueUrl: url, ReceiptHandle: m.ReceiptHandle})
			a.must(err)
		}
		all = append(all, out.Messages...)
	}
}

// bodies are the texts of what is in a queue.
func (a account) bodies(url *string) string {
	a.Helper()
	var all []string
	for _, m := range a.got(url) {
		all = append(all, *m.Body)
	}
	return strings.Join(all, " ")
}

func text(value string) types.MessageAttributeValue {
	return types.MessageAttributeValue{DataType: aws.String("String"), StringValue: &value}
}

// refusal gives an error's code and message.
func refusal(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode() + ": " + e.ErrorMessage()
	}
	return fmt.Sprint(err)
}

func (a account) refuses(err error, want string) {
	a.Helper()
	if got := refusal(err); !strings.Contains(got, want) {
		a.Errorf("%s, want %s", got, want)
	}
}
