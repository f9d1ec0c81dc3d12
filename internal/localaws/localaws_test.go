package localaws

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
)

func serve(t *testing.T, cfg Config) (*Server, aws.Config) {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = InMemory
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, aws.Config{BaseEndpoint: &server.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", DefaultSecret, ""),
		RetryMaxAttempts: 1, RetryMode: aws.RetryModeStandard}
}

func code(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return fmt.Sprint(err)
}

func pathStyle(o *s3.Options) { o.UsePathStyle = true }

// One port serves all services, and counts.
func TestServices(t *testing.T) {
	s, cfg := serve(t, Config{})
	ctx := t.Context()
	if _, err := sqs.NewFromConfig(cfg).CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("q")}); err != nil {
		t.Error(err)
	}
	if _, err := dynamodb.NewFromConfig(cfg).ListTables(ctx, nil); err != nil {
		t.Error(err)
	}
	if _, err := s3.NewFromConfig(cfg, pathStyle).CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("data")}); err != nil {
		t.Error(err)
	}
	who, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil)
	if err != nil || *who.Account != "000000000000" {
		t.Errorf("%v %v", who, err)
	}
	want := "map[dynamodb.ListTables:1 s3.CreateBucket:1 sqs.CreateQueue:1 sts.GetCallerIdentity:1]"
	if got := fmt.Sprint(s.Counts()); got != want {
		t.Errorf("counts %s, want %s", got, want)
	}
	url := *cfg.BaseEndpoint + countsPath
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var counts map[string]int
	if err := json.NewDecoder(answer.Body).Decode(&counts); err != nil || counts["sqs.CreateQueue"] != 1 {
		t.Errorf("%v %v", counts, err)
	}
	r, err := http.NewRequest(http.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err = http.DefaultClient.Do(r); err != nil || answer.StatusCode != http.StatusNoContent {
		t.Errorf("%v %v", answer, err)
	}
	if len(s.Counts()) != 0 {
		t.Errorf("counts after the reset: %v", s.Counts())
	}
}

// What is not supported says so, and names service and operation.
func TestUnsupported(t *testing.T) {
	_, cfg := serve(t, Config{})
	signed := func(service string) string {
		return "AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/" + service + "/aws4_request, SignedHeaders=host, Signature=0"
	}
	form := "application/x-www-form-urlencoded; charset=utf-8"
	for name, c := range map[string]struct {
		method, path, body string
		header             map[string]string
		service, operation string
	}{
		"another JSON service":   {"POST", "/", "{}", map[string]string{"X-Amz-Target": "AWSEvents.PutEvents", "Authorization": signed("events")}, "events", "PutEvents"},
		"query protocol":         {"POST", "/", "Action=AddPermission&Version=1", map[string]string{"Content-Type": form, "Authorization": signed("sns")}, "sns", "AddPermission"},
		"SQS's old protocol":     {"POST", "/", "Action=SendMessage", map[string]string{"Content-Type": form, "Authorization": signed("sqs")}, "sqs", "SendMessage"},
		"another call of STS":    {"POST", "/", "Action=AssumeRole", map[string]string{"Content-Type": form, "Authorization": signed("sts")}, "sts", "AssumeRole"},
		"a REST service":         {"GET", "/v1/apis", "", map[string]string{"Authorization": signed("appsync")}, "appsync", "GET /v1/apis"},
		"an operation not known": {"POST", "/", "{}", map[string]string{"X-Amz-Target": "AmazonSQS.AddPermission"}, "SQS", "AddPermission"},
	} {
		r, err := http.NewRequest(c.method, *cfg.BaseEndpoint+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range c.header {
			r.Header.Set(key, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode < 400 {
			t.Errorf("%s: %d %v", name, answer.StatusCode, err)
		}
		if text := string(body); !strings.Contains(text, "UnknownOperationException") || !strings.Contains(text, c.service) || !strings.Contains(text, c.operation) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestFaults(t *testing.T) {
	var next *Fault
	var asked string
	s, cfg := serve(t, Config{Fault: func(service, operation string, _ *http.Request) *Fault {
		asked = service + "." + operation
		return next
	}})
	ctx := t.Context()
	queues, objects := sqs.NewFromConfig(cfg), s3.NewFromConfig(cfg, pathStyle)
	create := func(name string) error {
		_, err := queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &name})
		return err
	}
	count := func() int {
		next = nil
		out, err := queues.ListQueues(ctx, &sqs.ListQueuesInput{})
		if err != nil {
			t.Fatal(err)
		}
		return len(out.QueueUrls)
	}
	next = &Fault{Code: "ThrottlingException"}
	if err := create("refused"); code(err) != "ThrottlingException" || asked != "sqs.CreateQueue" {
		t.Errorf("%v, asked %s", err, asked)
	}
	if n := count(); n != 0 {
		t.Errorf("a refused call was carried out: %d queues", n)
	}
	next = &Fault{Drop: true}
	if err := create("dropped"); err == nil {
		t.Error("a dropped answer arrived")
	}
	if n := count(); n != 1 {
		t.Errorf("a call whose answer was dropped was not carried out: %d queues", n)
	}
	next = &Fault{Delay: 50 * time.Millisecond}
	start := time.Now()
	if err := create("late"); err != nil || time.Since(start) < next.Delay {
		t.Errorf("%v after %s", err, time.Since(start))
	}
	next = &Fault{Code: "SlowDown", Status: http.StatusServiceUnavailable}
	if _, err := objects.ListBuckets(ctx, nil); code(err) != "SlowDown" {
		t.Error(err)
	}
	next = &Fault{Code: "Throttling"}
	if _, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil); code(err) != "Throttling" {
		t.Error(err)
	}
	if s.Counts()["sqs.CreateQueue"] < 3 {
		t.Errorf("counts %v", s.Counts())
	}
}

func TestDataFolder(t *testing.T) {
	s, err := New(Config{Dir: InMemory})
	if err != nil {
		t.Fatal(err)
	}
	folder := s.temporary
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
	if _, err := New(Config{}); err == nil {
		t.Error("no folder, no error")
	}
	dir := t.TempDir()
	for round := range 2 {
		s, err := New(Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", "/", strings.NewReader(`{"QueueName":"q"}`))
		r.Header.Set("X-Amz-Target", "AmazonSQS."+[]string{"CreateQueue", "GetQueueUrl"}[round])
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "http://example.com/000000000000/q") {
			t.Errorf("round %d: %d %s", round, w.Code, w.Body)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := New(Config{Dir: dir + "/sqs.db"}); err == nil {
		t.Error("a file is no folder, but no error")
	}
}
