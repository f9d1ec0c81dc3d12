package knownfaults

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A trace takes no room among a message's ten attributes, nor of its size: with it every
// message is taken that is taken without.
func TestATraceTakesNoRoom(t *testing.T) {
	const trace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
	writing := notes(nil)
	w := wire(t, "", []job.Defined{writing}, worker.Handle(writing, func(context.Context, *job.Job[note]) error { return nil }))
	url := w.createQueue("traced", nil)
	sender := queue.New(w.sqs)
	for _, count := range []int{0, 9, 10} {
		attributes, room := map[string]queue.Attribute{}, queue.MaxBatchBytes
		for i := range count {
			name := fmt.Sprintf("a%02d", i)
			attributes[name] = queue.String("value")
			room -= len(name) + len("String") + len("value")
		}
		for what, body := range map[string]string{"small": "x", "as large as may be": strings.Repeat("x", room)} {
			if err := sender.Send(t.Context(), url, []queue.Outgoing{{Body: body, Attributes: attributes, Trace: trace}})[0]; err != nil {
				t.Errorf("%d attributes, %s: %v", count, what, err)
				continue
			}
			got, err := w.sqs.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
				QueueUrl: &url, MessageAttributeNames: []string{"All"}, MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
			})
			if err != nil || len(got.Messages) != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			m := got.Messages[0]
			if len(m.MessageAttributes) != count || m.Attributes["AWSTraceHeader"] != trace || aws.ToString(m.Body) != body {
				t.Errorf("%d attributes, %s: %d came, the trace is %q", count, what, len(m.MessageAttributes), m.Attributes["AWSTraceHeader"])
			}
			if _, err := w.sqs.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
