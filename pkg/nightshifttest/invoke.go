package nightshifttest

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// An Invoker is a function's handler, as *worker.Worker is.
type Invoker interface {
	Invoke(ctx context.Context, event []byte) ([]byte, error)
}

// Invoke hands the event in a file to a worker and gives the ids of the messages that
// are to come again (the partial batch response); none means that all were
// acknowledged. An invocation that fails as a whole ends the test.
//
// The rows of the event's jobs must be there: enqueue them with their ids (job.WithID)
// and a worker of the same kit (Kit.Serve).
func Invoke(t testing.TB, w Invoker, file string) (failed []string) {
	t.Helper()
	event, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("nightshifttest: reading the event: %v", err)
	}
	response, err := w.Invoke(t.Context(), event)
	if err != nil {
		t.Fatalf("nightshifttest: the invocation with %s failed: %v", file, err)
	}
	var answer events.SQSEventResponse
	if err := json.Unmarshal(response, &answer); err != nil {
		t.Fatalf("nightshifttest: the invocation with %s was answered with %q, which is no batch response: %v", file, response, err)
	}
	for _, f := range answer.BatchItemFailures {
		failed = append(failed, f.ItemIdentifier)
	}
	return failed
}
