package localaws

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Faults of SNS and SES come in the shapes of their protocols.
func TestFaultsOfTopicsAndMail(t *testing.T) {
	s, cfg := serve(t, Config{Fault: func(service, operation string, _ *http.Request) *Fault {
		switch service + "." + operation {
		case "sns.Publish":
			return &Fault{Code: "Throttled", Status: 429}
		case "ses.SendEmail":
			return &Fault{Code: "TooManyRequestsException", Status: 429}
		}
		return nil
	}})
	topics := sns.NewFromConfig(cfg)
	topic, err := topics.CreateTopic(t.Context(), &sns.CreateTopicInput{Name: aws.String("t")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := topics.Publish(t.Context(), &sns.PublishInput{TopicArn: topic.TopicArn, Message: aws.String("m")}); code(err) != "Throttled" {
		t.Error(err)
	}
	_, err = sesv2.NewFromConfig(cfg).SendEmail(t.Context(), &sesv2.SendEmailInput{Content: &types.EmailContent{Raw: &types.RawMessage{Data: []byte("x")}}})
	if code(err) != "TooManyRequestsException" {
		t.Error(err)
	}
	if c := s.Counts(); c["sns.CreateTopic"] != 1 || c["sns.Publish"] == 0 || c["ses.SendEmail"] == 0 {
		t.Errorf("%v", c)
	}
}

// The X-Ray header of a publisher reaches the queue.
func TestTraceThroughTopic(t *testing.T) {
	_, cfg := serve(t, Config{})
	topics, queues := sns.NewFromConfig(cfg), sqs.NewFromConfig(cfg)
	topic, err := topics.CreateTopic(t.Context(), &sns.CreateTopicInput{Name: aws.String("t")})
	if err != nil {
		t.Fatal(err)
	}
	queue, err := queues.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("q")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = topics.Subscribe(t.Context(), &sns.SubscribeInput{TopicArn: topic.TopicArn, Protocol: aws.String("sqs"), Endpoint: aws.String("arn:aws:sqs:us-east-1:000000000000:q")})
	if err != nil {
		t.Fatal(err)
	}
	const trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1"
	traced := func(o *sns.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Build.Add(middleware.BuildMiddlewareFunc("trace", func(ctx context.Context, in middleware.BuildInput, next middleware.BuildHandler) (middleware.BuildOutput, middleware.Metadata, error) {
				in.Request.(*smithyhttp.Request).Header.Set("X-Amzn-Trace-Id", trace)
				return next.HandleBuild(ctx, in)
			}), middleware.After)
		})
	}
	if _, err := topics.Publish(t.Context(), &sns.PublishInput{TopicArn: topic.TopicArn, Message: aws.String("m")}, traced); err != nil {
		t.Fatal(err)
	}
	got, err := queues.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: queue.QueueUrl, MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{"All"}})
	if err != nil || len(got.Messages) != 1 || got.Messages[0].Attributes["AWSTraceHeader"] != trace {
		t.Errorf("%+v %v", got, err)
	}
}
