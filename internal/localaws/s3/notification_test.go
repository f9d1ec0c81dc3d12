package s3

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	photosARN = "arn:aws:sqs:us-east-1:000000000000:photos"
	resizeARN = "arn:aws:lambda:us-east-1:000000000000:function:resize"
)

// listeners are who is notified.
type listeners struct {
	mu     sync.Mutex
	told   chan string
	refuse error
	// keep has functions never come to an end.
	keep bool
}

func newListeners() *listeners { return &listeners{told: make(chan string, 1000)} }

func (l *listeners) config(c *Config) {
	c.Send = func(_ context.Context, arn, body string) error { return l.hear(arn, body, func() {}) }
	c.Invoke = func(_ context.Context, arn string, payload []byte, concluded func()) error {
		return l.hear(arn, string(payload), concluded)
	}
}

func (l *listeners) set(refuse error, keep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse, l.keep = refuse, keep
}

func (l *listeners) hear(arn, body string, concluded func()) error {
	l.mu.Lock()
	refuse, keep := l.refuse, l.keep
	l.mu.Unlock()
	l.told <- arn + " " + body
	if refuse == nil && !keep {
		concluded()
	}
	return refuse
}

// next gives what is told next: to whom, and the event; the test event is a record
// without a name.
func (l *listeners) next(t *testing.T) (arn string, r events.S3EventRecord) {
	t.Helper()
	select {
	case text := <-l.told:
		arn, body, _ := strings.Cut(text, " ")
		var e events.S3Event
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if strings.Contains(body, "s3:TestEvent") {
			return arn, r
		}
		if len(e.Records) != 1 {
			t.Fatalf("%d records: %s", len(e.Records), body)
		}
		return arn, e.Records[0]
	case <-time.After(20 * time.Second):
		t.Fatal("nobody was told")
		return "", r
	}
}

func (l *listeners) silent(t *testing.T) {
	t.Helper()
	if n := len(l.told); n > 0 {
		t.Errorf("%d events too many: %s", n, <-l.told)
	}
}

func filter(rules ...string) *types.NotificationConfigurationFilter {
	f := &types.NotificationConfigurationFilter{Key: &types.S3KeyFilter{}}
	for i := 0; i < len(rules); i += 2 {
		f.Key.FilterRules = append(f.Key.FilterRules, types.FilterRule{Name: types.FilterRuleName(rules[i]), Value: &rules[i+1]})
	}
	return f
}

func (s *service) notify(c *types.NotificationConfiguration) error {
	_, err := s.PutBucketNotificationConfiguration(context.Background(), &client.PutBucketNotificationConfigurationInput{Bucket: aws.String("data"), NotificationConfiguration: c})
	return err
}

func toFunction(f *types.NotificationConfigurationFilter, happenings ...types.Event) *types.NotificationConfiguration {
	return &types.NotificationConfiguration{LambdaFunctionConfigurations: []types.LambdaFunctionConfiguration{{Id: aws.String("resize"), LambdaFunctionArn: aws.String(resizeARN), Events: happenings, Filter: f}}}
}

// openTelling opens a service that notifies.
func openTelling(t *testing.T) (*service, *listeners) {
	t.Helper()
	l := newListeners()
	s := open(t, l.config)
	s.db.Notify()
	return s, l
}

func TestEventsOfObjects(t *testing.T) {
	s, l := openTelling(t)
	all := &types.NotificationConfiguration{
		LambdaFunctionConfigurations: []types.LambdaFunctionConfiguration{{Id: aws.String("f"), LambdaFunctionArn: aws.String(resizeARN), Events: []types.Event{"s3:ObjectCreated:*"}, Filter: filter("prefix", "uploads/", "Suffix", ".jpg")}},
		QueueConfigurations:          []types.QueueConfiguration{{QueueArn: aws.String(photosARN), Events: []types.Event{"s3:ObjectRemoved:*"}}},
	}
	if err := s.notify(all); err != nil {
		t.Fatal(err)
	}
	if arn, r := l.next(t); arn != photosARN || r.EventName != "" {
		t.Errorf("the queue's test event: %s %+v", arn, r)
	}
	key := "uploads/red flower+ä/1.jpg"
	etag := s.mustPut(key, "flower")
	s.mustPut("uploads/notes.txt", "not told of")
	s.mustPut("other/1.jpg", "not told of")
	arn, r := l.next(t)
	if arn != resizeARN || r.EventVersion != "2.1" || r.EventSource != "aws:s3" || r.AWSRegion != "us-east-1" || r.EventName != "ObjectCreated:Put" ||
		time.Since(r.EventTime).Abs() > time.Minute || r.S3.SchemaVersion != "1.0" || r.S3.ConfigurationID != "f" || r.S3.Bucket.Name != "data" ||
		r.S3.Bucket.Arn != "arn:aws:s3:::data" || r.S3.Object.Key != "uploads/red+flower%2B%C3%A4/1.jpg" || r.S3.Object.URLDecodedKey != key ||
		r.S3.Object.Size != 6 || quote(r.S3.Object.ETag) != etag || r.S3.Object.Sequencer == "" || r.RequestParameters.SourceIPAddress != "127.0.0.1" {
		t.Errorf("told %s of %+v", arn, r)
	}
	created := r.S3.Object.Sequencer

	copied := &client.CopyObjectInput{Bucket: aws.String("data"), Key: aws.String("uploads/2.jpg"), CopySource: aws.String("data/other/1.jpg")}
	if _, err := s.CopyObject(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if _, r := l.next(t); r.EventName != "ObjectCreated:Copy" || r.S3.Object.Key != "uploads/2.jpg" || r.S3.Object.Size != 11 {
		t.Errorf("a copy: %+v", r)
	}
	id := s.begin("uploads/3.jpg")
	part, err := s.UploadPart(t.Context(), &client.UploadPartInput{Bucket: aws.String("data"), Key: aws.String("uploads/3.jpg"), UploadId: &id, PartNumber: aws.Int32(1), Body: bytes.NewReader([]byte("film"))})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.CompleteMultipartUpload(t.Context(), &client.CompleteMultipartUploadInput{Bucket: aws.String("data"), Key: aws.String("uploads/3.jpg"), UploadId: &id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: part.ETag}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, r := l.next(t); r.EventName != "ObjectCreated:CompleteMultipartUpload" || r.S3.Object.Size != 4 {
		t.Errorf("an upload in parts: %+v", r)
	}

	for range 2 { // the second deletes nothing
		if _, err := s.DeleteObject(t.Context(), &client.DeleteObjectInput{Bucket: aws.String("data"), Key: &key}); err != nil {
			t.Fatal(err)
		}
	}
	if arn, r := l.next(t); arn != photosARN || r.EventName != "ObjectRemoved:Delete" || r.S3.Object.URLDecodedKey != key || r.S3.Object.ETag != "" || r.S3.Object.Sequencer <= created {
		t.Errorf("removed: %s %+v", arn, r)
	}
	_, err = s.DeleteObjects(t.Context(), &client.DeleteObjectsInput{Bucket: aws.String("data"), Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String("uploads/2.jpg")}, {Key: aws.String("other/1.jpg")}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, a := l.next(t)
	_, b := l.next(t)
	if got := []string{a.S3.Object.Key, b.S3.Object.Key}; !slices.Equal(got, []string{"uploads/2.jpg", "other/1.jpg"}) {
		t.Errorf("removed together: %v", got)
	}
	l.silent(t)
}

// A write that is refused tells nothing; nor does a bucket whose configuration was
// emptied.
func TestNothingHappened(t *testing.T) {
	s, l := openTelling(t)
	if err := s.notify(toFunction(nil, "s3:ObjectCreated:Put")); err != nil {
		t.Fatal(err)
	}
	s.mustPut("a", "1")
	l.next(t)
	_, err := s.put("a", "2", func(in *client.PutObjectInput) { in.IfNoneMatch = aws.String("*") })
	wantCode(t, "a condition that does not hold", err, "PreconditionFailed")
	if err := s.notify(&types.NotificationConfiguration{}); err != nil {
		t.Fatal(err)
	}
	s.mustPut("b", "1")
	if err := s.notify(toFunction(nil, "s3:ObjectCreated:Put")); err != nil {
		t.Fatal(err)
	}
	s.mustPut("c", "1")
	if _, r := l.next(t); r.S3.Object.Key != "c" {
		t.Errorf("told of %s", r.S3.Object.Key)
	}
}

func TestNotificationConfigurations(t *testing.T) {
	s, l := openTelling(t)
	put := toFunction(filter("prefix", "uploads/", "suffix", ".jpg"), "s3:ObjectCreated:*")
	put.QueueConfigurations = []types.QueueConfiguration{{Id: aws.String("q"), QueueArn: aws.String(photosARN), Events: []types.Event{"s3:ObjectRemoved:Delete"}}}
	if err := s.notify(put); err != nil {
		t.Fatal(err)
	}
	got, err := s.GetBucketNotificationConfiguration(t.Context(), &client.GetBucketNotificationConfigurationInput{Bucket: aws.String("data")})
	if err != nil || len(got.LambdaFunctionConfigurations) != 1 || len(got.QueueConfigurations) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	f, q := got.LambdaFunctionConfigurations[0], got.QueueConfigurations[0]
	if *f.LambdaFunctionArn != resizeARN || *f.Id != "resize" || len(f.Filter.Key.FilterRules) != 2 || *f.Filter.Key.FilterRules[0].Value != "uploads/" ||
		*q.QueueArn != photosARN || q.Events[0] != "s3:ObjectRemoved:Delete" || q.Filter != nil {
		t.Errorf("got %+v and %+v", f, q)
	}
	twice := func(a, b types.LambdaFunctionConfiguration) *types.NotificationConfiguration {
		a.LambdaFunctionArn, b.LambdaFunctionArn = aws.String(resizeARN), aws.String(resizeARN)
		return &types.NotificationConfiguration{LambdaFunctionConfigurations: []types.LambdaFunctionConfiguration{a, b}}
	}
	created, puts := []types.Event{"s3:ObjectCreated:*"}, []types.Event{"s3:ObjectCreated:Put"}
	for name, c := range map[string]struct {
		config *types.NotificationConfiguration
		code   string
	}{
		"an unknown event":     {toFunction(nil, "s3:ObjectMoved:*"), "InvalidArgument"},
		"an event of others":   {toFunction(nil, "s3:ObjectTagging:*"), "NotImplemented"},
		"no event":             {toFunction(nil, []types.Event{}...), "MalformedXML"},
		"an unknown rule":      {toFunction(filter("infix", "a"), "s3:ObjectCreated:*"), "InvalidArgument"},
		"a rule twice":         {toFunction(filter("prefix", "a", "Prefix", "b"), "s3:ObjectCreated:*"), "InvalidArgument"},
		"overlapping events":   {twice(types.LambdaFunctionConfiguration{Events: created}, types.LambdaFunctionConfiguration{Events: puts}), "InvalidArgument"},
		"overlapping prefixes": {twice(types.LambdaFunctionConfiguration{Events: puts, Filter: filter("prefix", "a")}, types.LambdaFunctionConfiguration{Events: puts, Filter: filter("prefix", "ab")}), "InvalidArgument"},
		"prefixes apart":       {twice(types.LambdaFunctionConfiguration{Events: puts, Filter: filter("prefix", "a")}, types.LambdaFunctionConfiguration{Events: puts, Filter: filter("prefix", "b")}), ""},
		"suffixes apart":       {twice(types.LambdaFunctionConfiguration{Events: puts, Filter: filter("suffix", ".jpg")}, types.LambdaFunctionConfiguration{Events: puts, Filter: filter("suffix", ".png")}), ""},
		"events apart":         {twice(types.LambdaFunctionConfiguration{Events: puts}, types.LambdaFunctionConfiguration{Events: []types.Event{"s3:ObjectCreated:Copy"}}), ""},
		"a FIFO queue":         {&types.NotificationConfiguration{QueueConfigurations: []types.QueueConfiguration{{QueueArn: aws.String(photosARN + ".fifo"), Events: puts}}}, "InvalidArgument"},
		"a topic":              {&types.NotificationConfiguration{TopicConfigurations: []types.TopicConfiguration{{TopicArn: aws.String("arn:aws:sns:us-east-1:000000000000:t"), Events: puts}}}, "NotImplemented"},
		"EventBridge":          {&types.NotificationConfiguration{EventBridgeConfiguration: &types.EventBridgeConfiguration{}}, "NotImplemented"},
	} {
		err := s.notify(c.config)
		if c.code == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.code != "" {
			wantCode(t, name, err, c.code)
		}
	}
	l.set(ErrNoTarget, false)
	wantCode(t, "a queue that is not there", s.notify(&types.NotificationConfiguration{QueueConfigurations: []types.QueueConfiguration{{QueueArn: aws.String(photosARN), Events: puts}}}), "InvalidArgument")
}

// An event is told until it was heard, also by the next process.
func TestEventsAreToldAtLeastOnce(t *testing.T) {
	l := newListeners()
	s := open(t, l.config)
	if err := s.notify(toFunction(nil, "s3:ObjectCreated:*")); err != nil {
		t.Fatal(err)
	}
	s.mustPut("a", "1")
	l.silent(t) // nobody tells yet
	l.set(errors.New("busy"), false)
	s.db.Notify()
	l.next(t)
	l.set(nil, true) // now it runs, and does not come to its end
	l.next(t)
	s.db.messenger.close()
	s.db.messenger = newMessenger(s.db) // as after a death
	l.set(nil, false)
	s.db.Notify()
	if _, r := l.next(t); r.S3.Object.Key != "a" {
		t.Errorf("told of %s", r.S3.Object.Key)
	}
	// What nobody is there to hear is dropped, and holds up nothing.
	l.set(fmt.Errorf("%w: gone", ErrNoTarget), false)
	s.mustPut("b", "1")
	l.next(t)
	l.set(nil, false)
	s.mustPut("c", "1")
	if _, r := l.next(t); r.S3.Object.Key != "c" {
		t.Errorf("told of %s", r.S3.Object.Key)
	}
}
