package sqs_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	client "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/localaws/sqs"
)

func sdk(t testing.TB) (*client.Client, string) {
	t.Helper()
	db, err := sqs.Open(sqs.Config{Path: filepath.Join(t.TempDir(), "sqs.db")})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(db.Service())
	t.Cleanup(func() {
		server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := client.New(client.Options{BaseEndpoint: &server.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")})
	out, err := c.CreateQueue(t.Context(), &client.CreateQueueInput{QueueName: aws.String("q")})
	if err != nil {
		t.Fatal(err)
	}
	if want := server.URL + "/000000000000/q"; *out.QueueUrl != want {
		t.Fatalf("queue URL %s, want %s", *out.QueueUrl, want)
	}
	return c, *out.QueueUrl
}

// The SDK checks the MD5 of what it sends and receives by itself.
func TestSDKRoundTrip(t *testing.T) {
	c, queue := sdk(t)
	ctx := t.Context()
	_, err := c.SendMessage(ctx, &client.SendMessageInput{QueueUrl: &queue, MessageBody: aws.String("hi \u00e9 <&>"), MessageAttributes: map[string]types.MessageAttributeValue{
		"s": {DataType: aws.String("String"), StringValue: aws.String("x")},
		"n": {DataType: aws.String("Number.int"), StringValue: aws.String("7")},
		"b": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 1, 255}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.ReceiveMessage(ctx, &client.ReceiveMessageInput{QueueUrl: &queue, MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"}, WaitTimeSeconds: 5})
	if err != nil || len(out.Messages) != 1 {
		t.Fatalf("%v %v", out, err)
	}
	got := out.Messages[0]
	if *got.Body != "hi \u00e9 <&>" || string(got.MessageAttributes["b"].BinaryValue) != "\x00\x01\xff" || *got.MessageAttributes["n"].StringValue != "7" {
		t.Errorf("got %q %v", *got.Body, got.MessageAttributes)
	}
	for _, name := range []string{"SenderId", "SentTimestamp", "ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount"} {
		if got.Attributes[name] == "" {
			t.Errorf("no %s", name)
		}
	}
	if _, err := c.DeleteMessage(ctx, &client.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: got.ReceiptHandle}); err != nil {
		t.Error(err)
	}
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func TestSDKErrorsAreTyped(t *testing.T) {
	c, queue := sdk(t)
	for name, check := range map[string]func(context.Context) (func(error) bool, error){
		"QueueDoesNotExist": func(ctx context.Context) (func(error) bool, error) {
			_, err := c.GetQueueUrl(ctx, &client.GetQueueUrlInput{QueueName: aws.String("nope")})
			return is[*types.QueueDoesNotExist], err
		},
		"QueueNameExists": func(ctx context.Context) (func(error) bool, error) {
			_, err := c.CreateQueue(ctx, &client.CreateQueueInput{QueueName: aws.String("q"), Attributes: map[string]string{"DelaySeconds": "1"}})
			return is[*types.QueueNameExists], err
		},
		"ReceiptHandleIsInvalid": func(ctx context.Context) (func(error) bool, error) {
			_, err := c.DeleteMessage(ctx, &client.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: aws.String("x")})
			return is[*types.ReceiptHandleIsInvalid], err
		},
		"InvalidMessageContents": func(ctx context.Context) (func(error) bool, error) {
			_, err := c.SendMessage(ctx, &client.SendMessageInput{QueueUrl: &queue, MessageBody: aws.String("\x01")})
			return is[*types.InvalidMessageContents], err
		},
		"EmptyBatchRequest": func(ctx context.Context) (func(error) bool, error) {
			_, err := c.SendMessageBatch(ctx, &client.SendMessageBatchInput{QueueUrl: &queue, Entries: []types.SendMessageBatchRequestEntry{}})
			return is[*types.EmptyBatchRequest], err
		},
		"ResourceNotFoundException": func(ctx context.Context) (func(error) bool, error) {
			_, err := c.ListMessageMoveTasks(ctx, &client.ListMessageMoveTasksInput{SourceArn: aws.String("arn:aws:sqs:us-east-1:000000000000:nope")})
			return is[*types.ResourceNotFoundException], err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if typed, err := check(t.Context()); !typed(err) {
				t.Errorf("got %T %v", errors.Unwrap(err), err)
			}
		})
	}
}
