package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Nothing is acknowledged by accident.
func TestWhatIsNoBatchFailsWhole(t *testing.T) {
	const good = `"messageId":"m","receiptHandle":"r","body":"{}","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:notes"`
	q := notes(nil)
	w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
	for name, event := range map[string]string{
		"nothing":            ``,
		"null":               `null`,
		"text":               `"Records"`,
		"no records":         `{}`,
		"other names":        `{"records":[]}`,
		"empty records":      `{"Records":[]}`,
		"null records":       `{"Records":null}`,
		"a null record":      `{"Records":[null]}`,
		"no id":              `{"Records":[{"body":"{}","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:notes"}]}`,
		"an empty id":        `{"Records":[{"messageId":"","body":"{}","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:notes"}]}`,
		"an id twice":        `{"Records":[{"messageId":"n",` + good + `}]}`,
		"a stream":           `{"Records":[{"messageId":"m","eventSource":"aws:dynamodb","eventSourceARN":"arn:aws:dynamodb:eu-west-1:1:table/x"}]}`,
		"two queues":         `{"Records":[{` + good + `},{"messageId":"n","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:other"}]}`,
		"trailing text":      `{"Records":[]} {}`,
		"a schedule's event": `{"version":"0","source":"aws.scheduler","detail":"{}"}`,
	} {
		answer, err := w.worker.Invoke(t.Context(), []byte(event))
		if !errors.Is(err, worker.ErrNotABatch) || answer != nil {
			t.Errorf("%s: answer %s, error %v", name, answer, err)
		}
	}
}

func TestAnIDThatComesTwiceIsAnsweredOnce(t *testing.T) {
	q := notes(nil)
	w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return errors.New("boom") }))
	m := message(w.enqueue("x", nil))
	if failed := w.deliver(m, m); len(failed) != 1 {
		t.Errorf("failed: %v", failed)
	}
}

func TestNewReportsEveryMistake(t *testing.T) {
	q := notes(nil)
	other := q
	other.LongestWait *= 2
	fifo := job.Queue{Name: "ledger", PeakArrivals: 1, ServiceTime: 1, LongestWait: 1, FIFO: true}
	run := func(context.Context, *job.Job[note]) error { return nil }
	_, err := worker.New(worker.Config{Addresses: map[string]queue.Address{"ledger": {URL: "https://sqs/ledger", Letters: "x"}}},
		worker.Handle(task(q), run),
		worker.Handle(task(other), run),
		worker.Handle(job.Define[note]("note.nil", job.Policy{Queue: q}), nil),
		worker.Handle(job.Define[note]("Bad Name", job.Policy{Queue: q}), run),
		worker.Handle(job.Define[note]("ledger.post", job.Policy{Queue: fifo}), run),
	)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"Jobs is missing", "Queue is missing", "two handlers", "declares queue \"notes\" otherwise",
		"note.nil\" is nil", "Bad Name", "lacks the queue \"notes\"", "FIFO is true",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from:\n%v", want, err)
		}
	}
	if _, err := worker.New(worker.Config{}); err == nil || !strings.Contains(err.Error(), "no handler") {
		t.Errorf("no handler: %v", err)
	}
}

// Of several queues, the ARN says which.
func TestAWorkerOfTwoQueues(t *testing.T) {
	q := notes(nil)
	second := q
	second.Name = "second"
	sqs := &sqsFake{sent: map[string][]queue.Outgoing{}}
	world := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
	run := func(context.Context, *job.Job[note]) error { return nil }
	w, err := worker.New(worker.Config{
		Jobs: world.jobs, Queue: sqs,
		Addresses: map[string]queue.Address{
			"notes":  {URL: "https://sqs/1/Crumb-Notes-1", Letters: "notes letters"},
			"second": {URL: "https://sqs/1/Crumb-Second-2", Letters: "second letters"},
		},
	}, worker.Handle(task(q), run), worker.Handle(job.Define[note]("note.second", job.Policy{Queue: second}), run))
	if err != nil {
		t.Fatal(err)
	}
	event := func(name string) []byte {
		return []byte(`{"Records":[{"messageId":"m","body":"?","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:` + name + `"}]}`)
	}
	if _, err := w.Invoke(t.Context(), event("Crumb-Second-2")); err != nil || len(sqs.sent["second letters"]) != 1 {
		t.Errorf("%v, %v", err, sqs.sent)
	}
	if _, err := w.Invoke(t.Context(), event("Crumb-Third-3")); err == nil {
		t.Error("a queue that is not served was taken")
	}
}

// Whatever comes: no panic, and either an error or an answer that names ids of
// the event only, none empty, none twice.
func FuzzInvoke(f *testing.F) {
	q := notes(nil)
	f.Add([]byte(`{"Records":[{"messageId":"m","receiptHandle":"r","body":"{\"id\":\"01hz7vq3k8m5n9p2r4s6t8w0xy\",\"n\":1}","attributes":{"MessageGroupId":"g"},"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:notes"}]}`))
	f.Add([]byte(`{"Records":[{"messageId":"\u0000\ud800","body":"","eventSource":"aws:sqs","eventSourceARN":":"}]}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		w := newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
		w.sqs.sendErr = errors.New("down")
		answer, err := w.worker.Invoke(t.Context(), event)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, id := range failures(t, answer) {
			quoted, err := json.Marshal(id)
			if err != nil || id == "" || seen[id] {
				t.Errorf("id %s: empty, twice or unprintable in %s", quoted, answer)
			}
			seen[id] = true
		}
	})
}
