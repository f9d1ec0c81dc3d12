package e2e_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// deadLetters reads the letters of the photos.
func (q directQueue) deadLetters() (*deadletter.Queue, string) {
	q.t.Helper()
	out, err := q.sqs.GetQueueUrl(q.t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("PhotosDeadLetterQueue")})
	if err != nil {
		q.t.Fatal(err)
	}
	jobs, err := store.New(store.Config{Driver: dynamo.New(q.table, "JobsTable")})
	if err != nil {
		q.t.Fatal(err)
	}
	letters, err := deadletter.New(deadletter.Config{Jobs: jobs, SQS: queue.New(q.sqs), Address: queue.Address{URL: q.url, Letters: *out.QueueUrl}})
	if err != nil {
		q.t.Fatal(err)
	}
	return letters, *out.QueueUrl
}

// letter waits for a letter of an id that is not the one of before.
func letter(t *testing.T, letters *deadletter.Queue, id string, before deadletter.Letter) (found deadletter.Letter) {
	t.Helper()
	until(t, "the letter of "+id, func() bool {
		o := deadletter.Options{Filter: deadletter.Filter{IDs: []string{id}}, Each: func(r deadletter.Result) {
			if r.Letter.Standing != deadletter.Stale && r.Letter.N > before.N {
				found = r.Letter
			}
		}}
		if _, err := letters.List(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return found.MessageID != ""
	})
	return found
}

// AWS's console moves letters back to their queue: that is a redrive.
func TestLettersMovedByTheConsole(t *testing.T) {
	photos := queueOf(t, crumb)
	letters, lettersURL := photos.deadLetters()
	c, ctx := newClient(t)
	key, err := c.Upload(ctx, "image/jpeg", []byte("no picture at all"))
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Enqueue(ctx, "photo.resize", tasks.ResizePhoto{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if job, err = c.Wait(ctx, job.ID); err != nil || job.State != "dead" {
		t.Fatalf("%+v, %v", job, err)
	}
	first := letter(t, letters, string(job.ID), deadletter.Letter{})
	if first.Task != "photo.resize" || first.Queue != "photos" || first.Attempts != 1 || first.Reason == "" || first.Standing != deadletter.Current {
		t.Errorf("the letter is %+v", first)
	}

	if _, err := photos.sqs.StartMessageMoveTask(ctx, &sqs.StartMessageMoveTaskInput{SourceArn: aws.String(photos.arn(lettersURL)), DestinationArn: aws.String(photos.arn(photos.url))}); err != nil {
		t.Fatal(err)
	}
	second := letter(t, letters, string(job.ID), first)
	if !second.DiedAt.After(first.DiedAt) || second.Attempts != 1 {
		t.Errorf("the job died at %v after %d attempts, and again at %v after %d", first.DiedAt, first.Attempts, second.DiedAt, second.Attempts)
	}
	summary, err := letters.Redrive(ctx, deadletter.Options{Filter: deadletter.Filter{IDs: []string{string(job.ID)}}})
	if err != nil || summary.By[deadletter.Redriven] != 1 {
		t.Fatalf("%+v, %v", summary, err)
	}
	letter(t, letters, string(job.ID), second)
}

// What can't be read goes through the stack with all that it has.
func TestWhatCanNotBeRead(t *testing.T) {
	photos := queueOf(t, crumb)
	letters, _ := photos.deadLetters()
	if _, err := photos.sqs.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &photos.url, MessageBody: aws.String("Hello?"),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"kind": {DataType: aws.String("String"), StringValue: aws.String("greeting")}, "bytes": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 0xff}},
		}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]queue.Attribute{"kind": queue.String("greeting"), "bytes": {Type: "Binary", Binary: []byte{0, 0xff}}}
	undecodable := deadletter.Filter{Code: queue.CodeUndecodable}
	var got deadletter.Letter
	find := func() bool {
		got = deadletter.Letter{}
		if _, err := letters.List(t.Context(), deadletter.Options{Filter: undecodable, Each: func(r deadletter.Result) { got = r.Letter }}); err != nil {
			t.Fatal(err)
		}
		return got.Body == "Hello?"
	}
	until(t, "the letter of what can't be read", find)
	if !reflect.DeepEqual(got.Attributes, want) || got.Reason == "" {
		t.Errorf("%+v", got)
	}
	before, redriven := got.MessageID, time.Now().Truncate(time.Millisecond)
	summary, err := letters.Redrive(t.Context(), deadletter.Options{Filter: undecodable, Unreadable: true})
	if err != nil || summary.By[deadletter.Returned] != 1 {
		t.Fatalf("%+v, %v", summary, err)
	}
	until(t, "the letter again", func() bool { return find() && got.MessageID != before })
	if !reflect.DeepEqual(got.Attributes, want) || got.ArrivedAt.Before(redriven) {
		t.Errorf("the second time: %+v", got)
	}
	if summary, err := letters.Drop(t.Context(), deadletter.Options{Filter: undecodable}); err != nil || summary.By[deadletter.Dropped] != 1 {
		t.Errorf("%+v, %v", summary, err)
	}
}

func (q directQueue) arn(url string) string {
	q.t.Helper()
	out, err := q.sqs.GetQueueAttributes(q.t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn}})
	if err != nil {
		q.t.Fatal(err)
	}
	return out.Attributes["QueueArn"]
}
