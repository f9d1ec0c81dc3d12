package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const topicTemplate = `
Resources:
  Recipes: {Type: AWS::SNS::Topic, Properties: {DisplayName: Recipes}}
  Ordered: {Type: AWS::SNS::Topic, Properties: {FifoTopic: true}}
  Feed: {Type: AWS::SQS::Queue}
  Letters: {Type: AWS::SQS::Queue}
  OnCall: {Type: AWS::SNS::Subscription, Properties: {TopicArn: !Ref Recipes, Protocol: email, Endpoint: a@example.com}}
`

const subscriptionTemplate = `
  ToFeed:
    Type: AWS::SNS::Subscription
    Properties:
      TopicArn: !Ref Recipes
      Protocol: sqs
      Endpoint: !GetAtt Feed.Arn
      RawMessageDelivery: true
      FilterPolicy: {event: [recipe.published]}
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Letters.Arn}
`

// The topics and subscriptions are as the template says, at each start.
func TestSubscriptionsFollowTheTemplate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "template.yaml")
	const topic = "arn:aws:sns:us-east-1:000000000000:Recipes"
	for _, c := range []struct{ name, template, delivered string }{
		{"new", topicTemplate + subscriptionTemplate, "published"},
		{"the same", topicTemplate + subscriptionTemplate, "published"},
		{"another policy", topicTemplate + strings.ReplaceAll(subscriptionTemplate, "recipe.published", "recipe.deleted"), "deleted"},
		{"of the body", topicTemplate + strings.ReplaceAll(subscriptionTemplate, "FilterPolicy: {event: [recipe.published]}", "{FilterPolicyScope: MessageBody, FilterPolicy: {n: {m: [1]}}}"), "body"},
		{"no policy", topicTemplate + strings.ReplaceAll(subscriptionTemplate, "FilterPolicy", "Metadata"), "published deleted body"},
		{"gone", topicTemplate, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.template = strings.ReplaceAll(c.template, "{FilterPolicyScope: MessageBody, FilterPolicy: {n: {m: [1]}}}", "FilterPolicyScope: MessageBody\n      FilterPolicy: {n: {m: [1]}}")
			if err := os.WriteFile(path, []byte(c.template), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Start(t.Context(), Config{Template: path, DataDir: filepath.Join(dir, "data"), Prebuilt: true})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			for body, event := range map[string]string{"published": "recipe.published", "deleted": "recipe.deleted", `{"n":{"m":1}}`: "other"} {
				publish(t, s, topic, body, event)
			}
			got := received(t, s)
			for _, want := range []string{"published", "deleted", "body"} {
				body := want
				if want == "body" {
					body = `{"n":{"m":1}}`
				}
				if strings.Contains(c.delivered, want) != strings.Contains(got, body) {
					t.Errorf("got %q, want %q", got, c.delivered)
				}
			}
			subscriptions, err := s.clients.sns.ListSubscriptions(t.Context(), nil)
			if err != nil || len(subscriptions.Subscriptions) > 1 {
				t.Errorf("%d subscriptions, %v", len(subscriptions.Subscriptions), err)
			}
			topics, err := s.clients.sns.ListTopics(t.Context(), nil)
			if err != nil || len(topics.Topics) != 2 || *topics.Topics[0].TopicArn != "arn:aws:sns:us-east-1:000000000000:Ordered.fifo" {
				t.Errorf("%v, %v", topics, err)
			}
		})
	}
}

func publish(t *testing.T, s *Stack, topic, body, event string) {
	t.Helper()
	_, err := s.clients.sns.Publish(t.Context(), &sns.PublishInput{TopicArn: &topic, Message: &body,
		MessageAttributes: snsAttribute("event", event)})
	if err != nil {
		t.Fatal(err)
	}
}

// received takes all that is in the queue Feed.
func received(t *testing.T, s *Stack) string {
	t.Helper()
	var all []string
	for {
		got, err := s.clients.sqs.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(s.AWSURL() + "/000000000000/Feed"), VisibilityTimeout: 600, MaxNumberOfMessages: 10})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Messages) == 0 {
			return strings.Join(all, " ")
		}
		for _, m := range got.Messages {
			all = append(all, *m.Body)
			if _, err := s.clients.sqs.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: aws.String(s.AWSURL() + "/000000000000/Feed"), ReceiptHandle: m.ReceiptHandle}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func snsAttribute(name, value string) map[string]types.MessageAttributeValue {
	return map[string]types.MessageAttributeValue{name: {DataType: aws.String("String"), StringValue: &value}}
}
