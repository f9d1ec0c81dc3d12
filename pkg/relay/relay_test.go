package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func decode(t *testing.T, out queue.Outgoing) queue.Message {
	t.Helper()
	m, err := queue.DecodeMessage(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestJobsGoToTheirQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		a := w.enqueue("notes", "", nil)
		b := w.enqueue("photos", "", nil)
		later := w.enqueue("notes", "", func(n *store.NewJob) { n.NotBefore = time.Now().Add(90 * time.Second) })
		w.enqueue("notes", "", func(n *store.NewJob) { n.NotBefore = time.Now().Add(time.Hour) }) // scheduled
		if failed := w.handle(w.batch()); len(failed) != 0 {
			t.Errorf("failed: %v", failed)
		}
		notes, photos := w.sqs.sent["notes"], w.sqs.sent["photos"]
		if len(notes) != 2 || len(photos) != 1 {
			t.Fatalf("sent %d and %d, want 2 and 1", len(notes), len(photos))
		}
		if m := decode(t, notes[0]); m.ID != a || m.N != 1 || m.Trace != "Root=1" || m.Letter != nil || notes[0].Delay != 0 {
			t.Errorf("%+v, delay %v", m, notes[0].Delay)
		}
		if m := decode(t, notes[1]); m.ID != later || notes[1].Delay != 90*time.Second {
			t.Errorf("%+v, delay %v", m, notes[1].Delay)
		}
		if m := decode(t, photos[0]); m.ID != b {
			t.Errorf("%+v", m)
		}
	})
}

// Only a new publication is published: a claim removes it, a replacement keeps it.
func TestWhatDoesNotAskIsDropped(t *testing.T) {
	w := newWorld(t)
	id := w.enqueue("notes", "", nil)
	w.handle(w.batch())
	if _, ok, err := w.jobs.Replace(t.Context(), id, store.NewJob{Args: []byte(`{"text":"newer"}`)}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, err := w.jobs.Claim(t.Context(), id, store.Lease{Token: "t", Until: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if ok, err := w.jobs.SetMark(t.Context(), "scan", "", "{}"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	event := w.batch()
	event.Records = append(event.Records, events.DynamoDBEventRecord{EventName: "REMOVE", Change: events.DynamoDBStreamRecord{SequenceNumber: "99"}})
	if failed := w.handle(event); len(failed) != 0 || w.sqs.count("notes") != 1 {
		t.Errorf("failed %v, sent %d; want the one from before", failed, w.sqs.count("notes"))
	}
}

func TestLetters(t *testing.T) {
	w := newWorld(t)
	id := w.enqueue("notes", "", nil)
	w.die(id)
	event := w.batch()
	w.sqs.refuse = func(url string, _ queue.Outgoing) error {
		if url == "notes letters" {
			return errors.New("down")
		}
		return nil
	}
	if failed := w.handle(event); len(failed) != 0 {
		t.Errorf("a letter held the stream up: %v", failed)
	}
	rec := w.get(id)
	if rec.Publication == nil {
		t.Fatal("the letter is not out, and its row no longer asks")
	}
	if due := w.dueSoon(); len(due) != 1 || due[0].ID != id || time.Until(due[0].Due) < 59*time.Second {
		t.Errorf("the letter is not put off: %+v", due)
	}
	w.sqs.refuse = nil
	if ok, err := w.jobs.RepublishLetter(t.Context(), rec); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if ok, err := w.jobs.RepublishLetter(t.Context(), rec); ok || err != nil {
		t.Errorf("published again twice: %v, %v", ok, err)
	}
	w.handle(w.batch())
	letters := w.sqs.sent["notes letters"]
	if len(letters) != 1 {
		t.Fatalf("%d letters", len(letters))
	}
	m := decode(t, letters[0])
	if m.ID != id || m.N != 3 || m.Letter == nil || m.Letter.Code != "failed" || m.Letter.Task != "note.write" ||
		m.Letter.Queue != "notes" || m.Letter.Attempts != 1 || m.Letter.DiedAt.IsZero() || !strings.HasPrefix(m.Letter.Reason, "boom") {
		t.Errorf("%+v %+v", m, m.Letter)
	}
	if rec := w.get(id); rec.Publication != nil || rec.State != lifecycle.Dead {
		t.Errorf("the letter is out, and the row is %s and asks for %+v", rec.State, rec.Publication)
	}
	if ok, err := w.jobs.RepublishLetter(t.Context(), w.get(id)); ok || err != nil {
		t.Errorf("a letter that is out was published again: %v, %v", ok, err)
	}
}

// What a send may end in, for each kind of message.
func TestWhatCanNotBeSent(t *testing.T) {
	refused := &queue.SendError{Code: "InvalidMessageContents", Message: "no", Fault: true}
	tests := []struct {
		name   string
		err    error
		fifo   bool
		failed bool
		state  lifecycle.State
	}{
		{"throttled", &queue.SendError{Code: "ThrottlingException"}, false, false, lifecycle.Scheduled},
		{"the call failed", errors.New("connection reset"), false, false, lifecycle.Scheduled},
		{"no right to its key", &queue.SendError{Code: "KmsAccessDenied", Fault: true}, false, false, lifecycle.Scheduled},
		{"refused", refused, false, false, lifecycle.Dead},
		{"throttled, FIFO", &queue.SendError{Code: "ThrottlingException"}, true, true, lifecycle.Queued},
		{"refused, FIFO", refused, true, false, lifecycle.Dead},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				name, group := "notes", ""
				if tt.fifo {
					name, group = "ledger", "g"
				}
				id := w.enqueue(name, group, nil)
				other := w.enqueue("photos", "", nil)
				w.sqs.refuse = func(url string, _ queue.Outgoing) error {
					if url == "photos" {
						return nil
					}
					return tt.err
				}
				failed := w.handle(w.batch())
				if (len(failed) == 1) != tt.failed {
					t.Errorf("failed %v, want %v", failed, tt.failed)
				}
				rec := w.get(id)
				if rec.State != tt.state {
					t.Errorf("the row is %s, want %s", rec.State, tt.state)
				}
				if w.sqs.count("photos") != 1 || w.get(other).State != lifecycle.Queued {
					t.Error("another queue was held up")
				}
				switch tt.state {
				case lifecycle.Scheduled:
					if wait := time.Until(rec.NotBefore); wait != 90*time.Second {
						t.Errorf("set aside for %v, want 90 s", wait)
					}
				case lifecycle.Dead:
					if rec.Error == nil || rec.Error.Code != "undeliverable" || rec.Publication == nil || !strings.Contains(rec.Error.Message, "InvalidMessageContents") {
						t.Errorf("%+v, publication %+v", rec.Error, rec.Publication)
					}
				}
			})
		})
	}
}

// What waits anyhow is set aside until its own time.
func TestADelayedJobIsSetAsideUntilItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		id := w.enqueue("notes", "", func(n *store.NewJob) { n.NotBefore = time.Now().Add(10 * time.Minute) })
		w.sqs.refuse = func(string, queue.Outgoing) error { return errors.New("throttled") }
		w.handle(w.batch())
		if rec := w.get(id); rec.State != lifecycle.Scheduled || time.Until(rec.NotBefore) != 10*time.Minute {
			t.Errorf("the row is %s until %v from now", rec.State, time.Until(rec.NotBefore))
		}
	})
}

func TestAQueueWithoutAnAddressIsSetAside(t *testing.T) {
	w := newWorld(t)
	id := w.enqueue("newer", "", nil)
	if failed := w.handle(w.batch()); len(failed) != 0 || w.get(id).State != lifecycle.Scheduled {
		t.Errorf("failed %v, the row is %s", failed, w.get(id).State)
	}
}

// A queue that hangs costs the shard SendTime at most, and others nothing.
func TestAQueueThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		id := w.enqueue("notes", "", nil)
		w.enqueue("photos", "", nil)
		w.sqs.hang = "notes"
		started := time.Now()
		if failed := w.handle(w.batch()); len(failed) != 0 || w.sqs.count("photos") != 1 {
			t.Errorf("failed %v, sent %d photos", failed, w.sqs.count("photos"))
		}
		if took := time.Since(started); took != relay.SendTime {
			t.Errorf("took %v", took)
		}
		if rec := w.get(id); rec.State != lifecycle.Scheduled {
			t.Errorf("the row is %s", rec.State)
		}
	})
}

func TestHowLongAJobIsSetAside(t *testing.T) {
	for want, config := range map[time.Duration]time.Duration{90 * time.Second: 0, 3 * time.Second: 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			r, err := relay.New(relay.Config{
				Jobs: w.jobs, Queue: w.sqs, SetAside: config, Random: func() float64 { return 0.5 },
				Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			id := w.enqueue("nowhere", "", nil)
			if _, err := r.Handle(t.Context(), w.batch()); err != nil {
				t.Fatal(err)
			}
			if rec := w.get(id); rec.State != lifecycle.Scheduled || time.Until(rec.NotBefore) != want {
				t.Errorf("%s for %v, want to be set aside for %v", rec.State, time.Until(rec.NotBefore), want)
			}
		})
	}
}

// Every fault at every call of the relay: a job that is neither sent, parked nor
// dead is reported as failed.
func TestEveryFaultAtEveryCall(t *testing.T) {
	for _, kind := range fault.Kinds() {
		for call := range 3 {
			w := newWorld(t)
			parked := w.enqueue("notes", "", nil)
			refused := w.enqueue("photos", "", nil)
			w.die(w.enqueue("photos", "", nil))
			w.sqs.refuse = func(url string, m queue.Outgoing) error {
				switch {
				case url == "notes":
					return errors.New("throttled")
				case url == "photos" && decode(t, m).ID == refused:
					return &queue.SendError{Code: "InvalidMessageContents", Fault: true}
				}
				return nil
			}
			w.faults.At = fault.Once(call, kind)
			event := w.batch()
			failed := w.handle(event)
			if w.faults.Calls() < 3 {
				t.Errorf("%v at %d: %d calls; 3 were expected", kind, call, w.faults.Calls())
			}
			if len(failed) == 0 && (w.get(parked).State != lifecycle.Scheduled || w.get(refused).State != lifecycle.Dead) {
				t.Errorf("%v at %d: nothing failed, and the rows are %s and %s", kind, call, w.get(parked).State, w.get(refused).State)
			}
			if w.handle(event); w.get(parked).State != lifecycle.Scheduled || w.get(refused).State != lifecycle.Dead {
				t.Errorf("%v at %d: delivered again, and the rows are %s and %s", kind, call, w.get(parked).State, w.get(refused).State)
			}
		}
	}
}

func TestARecordWithoutANumberFailsTheBatch(t *testing.T) {
	w := newWorld(t)
	w.enqueue("notes", "", nil)
	event := w.batch()
	event.Records = append(event.Records, events.DynamoDBEventRecord{})
	if _, err := w.relay.Handle(t.Context(), event); err == nil || w.sqs.count("notes") != 0 {
		t.Errorf("error %v, sent %d", err, w.sqs.count("notes"))
	}
}

// Reported as failed it would be delivered again and again, and everything behind
// it would wait.
func TestARowThatCanNotBeReadHoldsNothingUp(t *testing.T) {
	w := newWorld(t)
	w.enqueue("notes", "", nil)
	w.enqueue("notes", "", nil)
	event := w.batch()
	event.Records[0].Change.NewImage["state"] = events.NewStringAttribute("muddled")
	if failed := w.handle(event); len(failed) != 0 || w.sqs.count("notes") != 1 {
		t.Errorf("failed %v, sent %d", failed, w.sqs.count("notes"))
	}
}

func TestFixture(t *testing.T) {
	data, err := os.ReadFile("../../events/relay.json")
	if err != nil {
		t.Fatal(err)
	}
	var event events.DynamoDBEvent
	if err := json.Unmarshal(data, &event); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	if failed := w.handle(event); len(failed) != 0 || w.sqs.count("photos") != 1 || w.sqs.count("photos letters") != 1 {
		t.Errorf("failed %v, sent %v", failed, w.sqs.sent)
	}
	if m := decode(t, w.sqs.sent["photos letters"][0]); m.Letter.Code != "truncated" {
		t.Errorf("%+v", m.Letter)
	}
}

func TestNewReportsEveryMistake(t *testing.T) {
	_, err := relay.New(relay.Config{Addresses: map[string]queue.Address{"notes": {URL: "x"}}})
	for _, want := range []string{"Jobs is missing", "Queue is missing", "notes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from: %v", want, err)
		}
	}
}

// Whatever an image holds: no panic, and no more than one failure.
func FuzzHandle(f *testing.F) {
	data, err := os.ReadFile("../../events/relay.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"Records":[{"dynamodb":{"SequenceNumber":"1","NewImage":{"pk":{"S":"job#x"},"sk":{"S":"job"},"a":null,"b":{},"publish":{"M":{"n":{"N":"1"},"to":null}}}}}]}`))
	f.Add([]byte(`{"Records":[{"dynamodb":{"SequenceNumber":"1","NewImage":{"l":{"L":[{"BS":["AA=="]},{"NS":["1"]},{"SS":["x"]},{"B":"AA=="},{"NULL":true},{"BOOL":true}]},"publish":{"M":{"n":{"N":"1"}}}}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var event events.DynamoDBEvent
		if json.Unmarshal(data, &event) != nil {
			t.Skip()
		}
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		answer, err := w.relay.Handle(ctx, event)
		if err == nil && len(answer.BatchItemFailures) > 1 {
			t.Errorf("%d failures; one is enough", len(answer.BatchItemFailures))
		}
	})
}
