package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const bucketTemplate = `
Resources:
  Told: {Type: AWS::SQS::Queue}
  Uploads:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: uploads
`

const notifyTemplate = `
      NotificationConfiguration:
        QueueConfigurations:
          - Event: s3:ObjectCreated:*
            Queue: !GetAtt Told.Arn
            Filter: {S3Key: {Rules: [{Name: suffix, Value: .jpg}, {Name: prefix, Value: photos/}]}}
`

// A bucket notifies whom the template says, at each start; what a program configured
// stays.
func TestNotificationsFollowTheTemplate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "template.yaml")
	for _, c := range []struct {
		name, template, says string
		tested               bool // a test event is sent when something changes
		told                 []string
	}{
		{"none", bucketTemplate, "", false, nil},
		{"new", bucketTemplate + notifyTemplate, "", true, []string{"photos/1.jpg"}},
		{"the same", bucketTemplate + notifyTemplate, "", false, []string{"photos/1.jpg"}},
		{"another prefix", bucketTemplate + strings.ReplaceAll(notifyTemplate, "photos/", "films/"), "", true, []string{"films/1.jpg"}},
		{"gone", bucketTemplate, "", false, nil},
		{"a topic", bucketTemplate + strings.ReplaceAll(strings.ReplaceAll(notifyTemplate, "QueueConf", "TopicConf"), "Queue:", "Topic:"), "not topics", false, nil},
		{"no such event", bucketTemplate + strings.ReplaceAll(notifyTemplate, "Created", "Moved"), "not supported for notifications", false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.template), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Start(t.Context(), Config{Template: path, DataDir: filepath.Join(dir, "data"), Prebuilt: true})
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %q", err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			for _, key := range []string{"photos/1.jpg", "photos/1.png", "films/1.jpg"} {
				if _, err := s.clients.s3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("uploads"), Key: &key, Body: strings.NewReader("x")}); err != nil {
					t.Fatal(err)
				}
			}
			messages := c.told
			if c.tested {
				messages = append([]string{"s3:TestEvent"}, messages...)
			}
			for _, want := range messages {
				if body := receive(t, s); !strings.Contains(body, want) {
					t.Errorf("told of %s, want %s", body, want)
				}
			}
			got, err := s.clients.s3.GetBucketNotificationConfiguration(t.Context(), &s3.GetBucketNotificationConfigurationInput{Bucket: aws.String("uploads")})
			if err != nil || len(got.QueueConfigurations) != min(1, len(c.told)) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// receive takes the next message of the only queue.
func receive(t *testing.T, s *Stack) string {
	t.Helper()
	out, err := s.clients.sqs.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &s.queues[0].url, WaitTimeSeconds: 20})
	if err != nil || len(out.Messages) != 1 {
		t.Fatalf("%d messages, %v", len(out.Messages), err)
	}
	if _, err := s.clients.sqs.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: &s.queues[0].url, ReceiptHandle: out.Messages[0].ReceiptHandle}); err != nil {
		t.Fatal(err)
	}
	return *out.Messages[0].Body
}

// A bucket tells a function of the stack, asynchronously, and a queue, whose worker is
// invoked.
func TestObjectsInvokeFunctions(t *testing.T) {
	s, written := start(t, nil)
	created := []s3types.Event{"s3:ObjectCreated:*"}
	_, err := s.clients.s3.PutBucketNotificationConfiguration(t.Context(), &s3.PutBucketNotificationConfigurationInput{Bucket: aws.String("bucket"), NotificationConfiguration: &s3types.NotificationConfiguration{
		LambdaFunctionConfigurations: []s3types.LambdaFunctionConfiguration{{LambdaFunctionArn: &s.function("tail").arn, Events: created}},
		QueueConfigurations:          []s3types.QueueConfiguration{{QueueArn: &s.queues[1].arn, Events: []s3types.Event{"s3:ObjectRemoved:*"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	key := aws.String("photos/red flower.jpg")
	if _, err := s.clients.s3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: key, Body: strings.NewReader("x")}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.clients.s3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String("bucket"), Key: key}); err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{"tail: object photos/red flower.jpg": true, "ObjectRemoved:Delete": true}
	for timeout := time.After(patience); len(wanted) > 0; {
		select {
		case line := <-written:
			for text := range wanted {
				if strings.Contains(line, text) {
					delete(wanted, text)
				}
			}
		case <-timeout:
			t.Fatalf("still wanted: %v", wanted)
		}
	}
}
