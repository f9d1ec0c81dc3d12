package worker_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// letterWorld has workers to which nothing happens but letters.
func letterWorld(t *testing.T, edit func(*job.Queue)) *world {
	t.Helper()
	q := notes(edit)
	return newWorld(t, q, worker.Handle(task(q), func(context.Context, *job.Job[note]) error { return nil }))
}

func TestUndecodable(t *testing.T) {
	w := letterWorld(t, nil)
	bad := sent{id: "m-bad", body: "Hello?"}
	w.sqs.sendErr = errors.New("down")
	if failed := w.deliver(bad); len(failed) != 1 {
		t.Errorf("nobody has the message, and it was acknowledged: %v", failed)
	}
	w.sqs.sendErr = nil
	if failed := w.deliver(bad); len(failed) != 0 {
		t.Errorf("failed: %v", failed)
	}
	letters := w.sqs.sent["letters"]
	if len(letters) != 1 || letters[0].Body != "Hello?" {
		t.Fatalf("letters: %+v", letters)
	}
	if a := letters[0].Attributes; a[queue.CodeAttribute].Text != "undecodable" || a[queue.ReasonAttribute].Text == "" {
		t.Errorf("attributes: %v", a)
	}
}

// Whoever sent what can't be read may send it with
// attributes, and finds them on the letter, byte by byte.
func TestUndecodableKeepsItsAttributes(t *testing.T) {
	w := letterWorld(t, nil)
	event := w.event(sent{id: "m", body: "Hello?"})
	event = bytes.Replace(event, []byte(`"messageAttributes":{}`), []byte(`"messageAttributes":{`+
		`"text":{"stringValue":"a","stringListValues":[],"binaryListValues":[],"dataType":"String"},`+
		`"number":{"stringValue":"7","dataType":"Number.int"},"bytes":{"binaryValue":"AP8=","dataType":"Binary"}}`), 1)
	event = bytes.Replace(event, []byte(`"ApproximateReceiveCount"`), []byte(`"AWSTraceHeader":"Root=1-2-3","ApproximateReceiveCount"`), 1)
	answer, err := w.worker.Invoke(t.Context(), event)
	if err != nil || len(failures(t, answer)) != 0 {
		t.Fatalf("%s, %v", answer, err)
	}
	want := map[string]queue.Attribute{"text": queue.String("a"), "number": {Type: "Number.int", Text: "7"}, "bytes": {Type: "Binary", Binary: []byte{0, 0xff}}}
	letter := w.sqs.sent["letters"][0]
	if !reflect.DeepEqual(queue.Own(letter.Attributes), want) || letter.Trace != "Root=1-2-3" {
		t.Errorf("the letter is %+v", letter)
	}
	if letter.Attributes[queue.ReasonAttribute].Text == "" {
		t.Error("it does not say why")
	}

	odd := bytes.Replace(event, []byte(`"AP8="`), []byte(`"%%%"`), 1)
	if answer, err := w.worker.Invoke(t.Context(), odd); err != nil || len(failures(t, answer)) != 0 || len(w.sqs.sent["letters"]) != 2 {
		t.Errorf("attributes that make no sense kept a message from the dead-letter queue: %s, %v", answer, err)
	}
}

// letterOf is the letter of a dead job, as the relay writes it.
func (w *world) letterOf(id job.ID) sent {
	w.t.Helper()
	rec := w.get(id)
	body, err := queue.Message{ID: id, N: rec.N, Trace: rec.Trace, Letter: &queue.Letter{Task: rec.Task, Reason: "boom", DiedAt: rec.Finished}}.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	return sent{id: "letter-" + string(id), body: body}
}

func (w *world) dead(edit func(*store.NewJob)) (job.ID, sent) {
	w.t.Helper()
	id := w.enqueue("x", edit)
	endAs(w.t, w, id, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
	return id, w.letterOf(id)
}

func TestALetterThatComesBack(t *testing.T) {
	w := letterWorld(t, nil)
	dead, letter := w.dead(nil)
	done := w.enqueue("y", nil)
	endAs(t, w, done, lifecycle.Outcome{To: lifecycle.Done})
	gone, err := w.jobs.NewID()
	if err != nil {
		t.Fatal(err)
	}
	lost := sent{id: "lost", body: strings.Replace(letter.body, string(dead), string(gone), 1)}
	if failed := w.deliver(letter, w.letterOf(done), lost); len(failed) != 0 {
		t.Errorf("failed: %v", failed)
	}
	if rec := w.get(dead); rec.State != lifecycle.Queued || rec.Attempt != 0 || rec.Publication == nil {
		t.Errorf("the dead job was not redriven: %+v", rec)
	}
	if rec := w.get(done); rec.State != lifecycle.Done {
		t.Errorf("the done job is %s", rec.State)
	}

	w.faults.At = func(int) fault.Kind { return fault.Down }
	if failed := w.deliver(letter); len(failed) != 1 || w.hiddenFor(letter) <= 0 {
		t.Errorf("the table was down, and the letter acknowledged or not put off: %v", failed)
	}
}

// A letter that is delivered twice, or came back before, must not redrive a job
// that died again since: the console would loop.
func TestALetterRedrivesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := letterWorld(t, nil)
		id, letter := w.dead(nil)
		if failed := w.deliver(letter); len(failed) != 0 || w.get(id).State != lifecycle.Queued {
			t.Fatalf("failed %v, the job is %s", failed, w.get(id).State)
		}
		time.Sleep(time.Minute) // of the simulated clock
		endAs(t, w, id, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom again")})
		if failed := w.deliver(letter); len(failed) != 0 || w.get(id).State != lifecycle.Dead {
			t.Errorf("failed %v; the old letter made the job %s", failed, w.get(id).State)
		}
		if failed := w.deliver(w.letterOf(id)); len(failed) != 0 || w.get(id).State != lifecycle.Queued {
			t.Errorf("failed %v; the new letter left the job %s", failed, w.get(id).State)
		}
	})
}

// The sweep asks for a letter again at the very moment at which it comes back: the
// redrive must not be lost.
func TestARedriveThatLosesARaceIsTriedAgain(t *testing.T) {
	w := letterWorld(t, nil)
	id, letter := w.dead(nil)
	w.faults.At = func(call int) fault.Kind {
		if call == 1 { // the job was read, and not written yet
			if ok, err := w.jobs.RepublishLetter(t.Context(), w.get(id)); !ok || err != nil {
				t.Error(ok, err)
			}
		}
		return fault.None
	}
	if failed := w.deliver(letter); len(failed) != 0 || w.get(id).State != lifecycle.Queued {
		t.Errorf("failed %v, the job is %s", failed, w.get(id).State)
	}
}

// While another job has the key of a unique one, its letter stays a letter.
func TestALetterWhoseKeyIsTakenGoesBack(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { sendBackAUniqueJob(t, fifo) })
	}
}

func sendBackAUniqueJob(t *testing.T, fifo bool) {
	unique := func(n *store.NewJob) { n.Unique = &store.Unique{Key: "k"} }
	w := letterWorld(t, func(q *job.Queue) { q.FIFO = fifo })
	id, letter := w.dead(unique)
	letter.group = "g"
	holder := w.enqueue("y", unique)
	w.sqs.sendErr = errors.New("down")
	if failed := w.deliver(letter); len(failed) != 1 {
		t.Errorf("nobody has the letter, and it was acknowledged: %v", failed)
	}
	w.sqs.sendErr = nil
	if failed := w.deliver(letter); len(failed) != 0 || w.get(id).State != lifecycle.Dead {
		t.Fatalf("failed %v, the job is %s", failed, w.get(id).State)
	}
	out := w.sqs.sent["letters"]
	if len(out) != 1 {
		t.Fatalf("letters: %+v", out)
	}
	m, err := queue.DecodeMessage(out[0].Body)
	if err != nil || m.ID != id || m.N != w.get(id).N || !strings.Contains(m.Letter.Refused, string(holder)) || m.Letter.Reason != "boom" {
		t.Errorf("%s, %v", out[0].Body, err)
	}
	if fifo != (out[0].Dedup == letter.id) || fifo != (out[0].Group != "") {
		t.Errorf("FIFO %v: group %q, dedup %q", fifo, out[0].Group, out[0].Dedup)
	}
	endAs(t, w, holder, lifecycle.Outcome{To: lifecycle.Done})
	back := sent{id: "again", body: out[0].Body, group: "g"}
	if failed := w.deliver(back); len(failed) != 0 || w.get(id).State != lifecycle.Queued {
		t.Errorf("FIFO %v: the key is free; failed %v, the job is %s", fifo, failed, w.get(id).State)
	}
}
