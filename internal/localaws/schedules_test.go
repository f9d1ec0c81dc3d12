package localaws

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// schedule calls the Scheduler API as an SDK does: what tells the service is the
// scope of the signature.
func schedule(t *testing.T, cfg aws.Config, method, path, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, *cfg.BaseEndpoint+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20261123/us-east-1/scheduler/aws4_request, SignedHeaders=host, Signature=0")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

func body(expression, target, more string) string {
	return fmt.Sprintf(`{"ScheduleExpression":%q,"FlexibleTimeWindow":{"Mode":"OFF"},"Target":{"Arn":%q,"RoleArn":"arn:aws:iam::000000000000:role/r","Input":"{\"n\":1}"%s}}`, expression, target, more)
}

func TestSchedulesFireIntoQueuesAndFunctions(t *testing.T) {
	invoked := make(chan string, 1)
	s, cfg := serve(t, Config{Invoke: func(_ context.Context, arn string, payload []byte, concluded func()) error {
		invoked <- arn + " " + string(payload)
		concluded()
		return nil
	}})
	q := sqs.NewFromConfig(cfg)
	urls := map[string]*string{}
	for _, name := range []string{"work", "letters"} {
		made, err := q.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name})
		if err != nil {
			t.Fatal(err)
		}
		urls[name] = made.QueueUrl
	}
	arn := "arn:aws:sqs:us-east-1:000000000000:"
	letters := `,"DeadLetterConfig":{"Arn":"` + arn + `letters"}`
	for name, b := range map[string]string{
		"queue": body("rate(1 hour)", arn+"work", ""), "gone": body("rate(1 hour)", arn+"gone", letters),
		"function": body("rate(1 hour)", "arn:aws:lambda:us-east-1:000000000000:function:f", ""),
	} {
		if status, answer := schedule(t, cfg, http.MethodPost, "/schedules/"+name, b); status != http.StatusOK {
			t.Fatalf("%s: %d %s", name, status, answer)
		}
	}
	receive := func(name string) types.Message {
		t.Helper()
		got, err := q.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: urls[name], WaitTimeSeconds: 20, MessageAttributeNames: []string{"All"}})
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		return got.Messages[0]
	}
	if m := receive("work"); *m.Body != `{"n":1}` || len(m.MessageAttributes) != 0 {
		t.Errorf("%s %v", *m.Body, m.MessageAttributes)
	}
	m := receive("letters")
	if *m.Body != `{"n":1}` || *m.MessageAttributes["ERROR_CODE"].StringValue != "AWS.SimpleQueueService.NonExistentQueue" || *m.MessageAttributes["TARGET_ARN"].StringValue != arn+"gone" {
		t.Errorf("%s %v", *m.Body, m.MessageAttributes)
	}
	select {
	case got := <-invoked:
		if got != `arn:aws:lambda:us-east-1:000000000000:function:f {"n":1}` {
			t.Error(got)
		}
	case <-time.After(20 * time.Second):
		t.Error("the function was not invoked")
	}
	if n := s.Counts()["scheduler.CreateSchedule"]; n != 3 {
		t.Errorf("%d calls were counted", n)
	}
	if status, answer := schedule(t, cfg, http.MethodGet, "/tags/x", ""); status != http.StatusNotImplemented || !strings.Contains(answer, "ListTagsForResource") {
		t.Errorf("%d %s", status, answer)
	}
}

func TestHeldSchedulesWait(t *testing.T) {
	invoked := make(chan string, 1)
	s, cfg := serve(t, Config{HoldSchedules: true, Invoke: func(_ context.Context, arn string, _ []byte, concluded func()) error {
		invoked <- arn
		concluded()
		return nil
	}})
	if status, answer := schedule(t, cfg, http.MethodPost, "/schedules/s", body("rate(1 hour)", "arn:aws:lambda:us-east-1:000000000000:function:f", "")); status != http.StatusOK {
		t.Fatal(answer)
	}
	select {
	case <-invoked:
		t.Fatal("it fired before its time")
	default:
	}
	if err := s.FireSchedules(); err != nil {
		t.Fatal(err)
	}
	<-invoked
}

func TestFaultsOfTheScheduler(t *testing.T) {
	_, cfg := serve(t, Config{Fault: func(service, operation string, _ *http.Request) *Fault {
		if service == "scheduler" && operation == "ListSchedules" {
			return &Fault{Code: "ThrottlingException", Status: 429}
		}
		return nil
	}})
	if status, answer := schedule(t, cfg, http.MethodGet, "/schedules", ""); status != 429 || !strings.Contains(answer, "asked for") {
		t.Errorf("%d %s", status, answer)
	}
}
