package e2e_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/nightshift-go/nightshift/internal/runner"
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
		until(t, "a change of "+function+"'s mapping", func() bool {
			_, err := client.UpdateEventSourceMapping(t.Context(), &lambda.UpdateEventSourceMappingInput{UUID: m.UUID, Enabled: &on})
			var busy *types.ResourceInUseException
			if err != nil && !errors.As(err, &busy) {
				t.Fatal(err)
			}
			return err == nil
		})
		return
	}
	t.Fatalf("none of %d mappings is the %s's", len(all.EventSourceMappings), function)
}

// With the relay stopped, the queues behind it look empty: work is refused all the same,
// and accepted again by itself when the relay runs. How soon is what package admission
// tests, under a clock of its own.
func TestNothingIsAcceptedWhileTheRelayStandsStill(t *testing.T) {
	stack, _ := ownStack(t, runner.InMemory, &lines{})
	enqueue := func() reply {
		return send(t, "POST", stack.HTTPURL()+"/jobs/photo.resize", `{"key":"uploads/everyone/0123456789abcdefghjkmnpqrs"}`)
	}
	first := func(what string, such func(reply) bool) (last reply) {
		began := time.Now()
		until(t, "an answer that is "+what, func() bool { last = enqueue(); return such(last) })
		t.Logf("%s after %v", what, time.Since(began))
		return last
	}
	refused := func(r reply) bool { return r.status == http.StatusServiceUnavailable }
	accepted := func(r reply) bool { return r.status == http.StatusAccepted }

	// A relay that is late for once, for the machine has other things to do, is rightly
	// taken for one that stands still.
	since := time.Now()
	until(t, "five seconds of acceptance", func() bool {
		if !accepted(enqueue()) {
			since = time.Now()
		}
		return time.Since(since) > 5*time.Second
	})
	turn(t, stack, "RelayFunction", false)
	last := first("refused", refused)
	if last.header.Get("Retry-After") == "" || !strings.Contains(last.body, "can't be reached") {
		t.Errorf("%v %s", last.header, last.body)
	}
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if r := enqueue(); !refused(r) {
			t.Fatalf("while it stands still: %d %s", r.status, r.body)
		}
	}
	turn(t, stack, "RelayFunction", true)
	first("accepted", accepted)
}
