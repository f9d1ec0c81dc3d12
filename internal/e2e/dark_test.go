package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/admission"
)

// turn disables, or enables, the event source mapping of a stack's function, as an
// operator does.
func turn(t *testing.T, stack *runner.Stack, function string, on bool) {
	t.Helper()
	client := lambda.New(lambda.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(stack.AWSURL()), Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
	all, err := client.ListEventSourceMappings(t.Context(), &lambda.ListEventSourceMappingsInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all.EventSourceMappings {
		if !strings.HasSuffix(*m.FunctionArn, ":"+function) {
			continue
		}
		if _, err := client.UpdateEventSourceMapping(t.Context(), &lambda.UpdateEventSourceMappingInput{UUID: m.UUID, Enabled: &on}); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("none of %d mappings is the %s's", len(all.EventSourceMappings), function)
}

// With the relay stopped, the queues behind it look empty: work is refused all the same,
// within its window and ten seconds, and accepted again by itself when the relay runs.
func TestNothingIsAcceptedWhileTheRelayStandsStill(t *testing.T) {
	stack, _ := ownStack(t, runner.InMemory, &lines{})
	enqueue := func() reply {
		return send(t, "POST", stack.HTTPURL()+"/jobs/photo.resize", `{"key":"uploads/everyone/0123456789abcdefghjkmnpqrs"}`)
	}
	eachTenth := func(most time.Duration, until func(reply) bool) (took time.Duration, last reply) {
		began := time.Now()
		for last = enqueue(); !until(last); last = enqueue() {
			if time.Since(began) > most {
				t.Fatalf("not within %v: %d %s", most, last.status, last.body)
			}
			time.Sleep(100 * time.Millisecond)
		}
		return time.Since(began), last
	}
	refused := func(r reply) bool { return r.status == http.StatusServiceUnavailable }
	accepted := func(r reply) bool { return r.status == http.StatusAccepted }

	eachTenth(time.Minute, accepted)
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if r := enqueue(); !accepted(r) {
			t.Fatalf("while it runs: %d %s", r.status, r.body)
		}
	}
	turn(t, stack, "RelayFunction", false)
	const bound = admission.DefaultWindow + 10*time.Second
	took, last := eachTenth(bound+time.Minute, refused)
	t.Logf("refused after %v", took)
	if took > bound {
		t.Errorf("work was accepted into the dark for %v, more than %v", took, bound)
	}
	if last.header.Get("Retry-After") == "" || !strings.Contains(last.body, "can't be reached") {
		t.Errorf("%v %s", last.header, last.body)
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if r := enqueue(); !refused(r) {
			t.Fatalf("while it stands still: %d %s", r.status, r.body)
		}
	}
	turn(t, stack, "RelayFunction", true)
	took, _ = eachTenth(20*time.Second, accepted)
	t.Logf("accepted again after %v", took)
}
