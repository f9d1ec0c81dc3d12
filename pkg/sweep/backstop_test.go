package sweep_test

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
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

type hider struct {
	url    string
	hidden []queue.Hidden
	sentTo string
	sent   []queue.Outgoing
	refuse error
}

func (h *hider) Send(_ context.Context, url string, messages []queue.Outgoing) []error {
	h.sentTo, h.sent = url, append(h.sent, messages...)
	return []error{h.refuse}
}

func (h *hider) Hide(_ context.Context, url string, messages []queue.Hidden) []error {
	h.url, h.hidden = url, append(h.hidden, messages...)
	return make([]error, len(messages))
}

func newBackstop(t *testing.T, w *world) (*sweep.Backstop, *hider) {
	t.Helper()
	h := &hider{}
	b, err := sweep.NewBackstop(sweep.BackstopConfig{
		Jobs: jobsOn(t, w.faults), Queue: h, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Beside: queue.Address{URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/Crumb-Photos"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b, h
}

func moved(t *testing.T, m queue.Message) events.SQSEvent {
	t.Helper()
	body, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: "m", ReceiptHandle: "r", Body: body, EventSource: "aws:sqs",
		EventSourceARN: "arn:aws:sqs:eu-west-1:123456789012:Crumb-Backstop",
	}}}
}

func TestWhatComesToTheBackstop(t *testing.T) {
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // where the simulated clock starts
	die := func(w *world, id job.ID) {
		w.finish(w.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
	}
	tests := []struct {
		name   string
		before func(w *world, id job.ID)
		in     time.Duration
		letter *queue.Letter
		hidden time.Duration // 0: the message is dropped
		state  lifecycle.State
		n      int64
	}{
		{"queued", nil, 0, nil, 0, lifecycle.Queued, 2},
		{"running", func(w *world, id job.ID) { w.claim(id, time.Minute) }, 0, nil, time.Minute + lifecycle.LeaseMargin, lifecycle.Running, 1},
		{"its worker dead", func(w *world, id job.ID) { w.claim(id, -time.Minute) }, 0, nil, 0, lifecycle.Queued, 2},
		{"done", func(w *world, id job.ID) { w.finish(w.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Done}) }, 0, nil, 0, lifecycle.Done, 1},
		{"dead", die, 0, nil, 0, lifecycle.Dead, 2},
		{"scheduled", nil, time.Hour, nil, 0, lifecycle.Scheduled, 0},
		{"a letter of a dead job", die, 0, &queue.Letter{DiedAt: begin}, 0, lifecycle.Queued, 3},
		{"a letter of an earlier death", die, 0, &queue.Letter{DiedAt: begin.Add(-time.Hour)}, 0, lifecycle.Dead, 2},
		{"a letter of a running job", func(w *world, id job.ID) { w.claim(id, -time.Minute) }, 0, &queue.Letter{}, 0, lifecycle.Queued, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				b, h := newBackstop(t, w)
				id := w.enqueue("idle", tt.in)
				if tt.before != nil {
					tt.before(w, id)
				}
				event := moved(t, queue.Message{ID: id, N: 1, Letter: tt.letter})
				answer, err := b.Handle(t.Context(), event)
				if err != nil || (len(answer.BatchItemFailures) == 1) != (tt.hidden > 0) {
					t.Errorf("%+v, %v", answer, err)
				}
				if tt.hidden > 0 && (len(h.hidden) != 1 || h.hidden[0].For != tt.hidden || h.hidden[0].Receipt != "r" ||
					h.url != "https://sqs.eu-west-1.amazonaws.com/123456789012/Crumb-Backstop") {
					t.Errorf("hidden %+v at %s, want for %v", h.hidden, h.url, tt.hidden)
				}
				if rec := w.get(id); rec.State != tt.state || rec.N != tt.n {
					t.Errorf("the row is %s, n %d; want %s, %d", rec.State, rec.N, tt.state, tt.n)
				}
			})
		})
	}
}

func TestTheBackstopKeepsWhatItCanNotHandle(t *testing.T) {
	w := newWorld(t)
	b, _ := newBackstop(t, w)
	id := w.enqueue("idle", 0)
	event := moved(t, queue.Message{ID: id, N: 1})
	bad := events.SQSMessage{MessageId: "bad", Body: "Hello?", EventSourceARN: event.Records[0].EventSourceARN}
	event.Records = append(event.Records, bad)
	answer, err := b.Handle(t.Context(), event)
	if err != nil || len(answer.BatchItemFailures) != 1 || answer.BatchItemFailures[0].ItemIdentifier != "bad" {
		t.Errorf("%+v, %v; want the undecodable one", answer, err)
	}
	for call := range 2 {
		w.faults.At = fault.Once(w.faults.Calls()+call, fault.Down)
		answer, err := b.Handle(t.Context(), moved(t, queue.Message{ID: id, N: 1}))
		if err != nil || len(answer.BatchItemFailures) != 1 {
			t.Errorf("the table was down at call %d: %+v, %v", call, answer, err)
		}
	}
	for name, event := range map[string]events.SQSEvent{
		"no records": {},
		"no id":      {Records: []events.SQSMessage{{Body: "x"}}},
	} {
		if _, err := b.Handle(t.Context(), event); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The message may be the only one that the job has.
func TestTheBackstopLooksAgainWhereTheJobChanged(t *testing.T) {
	for name, change := range map[string]func(w *world, rec store.Record){
		"a cancellation was asked for": func(w *world, rec store.Record) {
			if _, err := w.jobs.Cancel(w.t.Context(), rec.ID, ""); err != nil {
				w.t.Error(err)
			}
		},
		"its worker was slow": func(w *world, rec store.Record) { w.finish(rec, lifecycle.Outcome{To: lifecycle.Queued}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b, _ := newBackstop(t, w)
			rec := w.claim(w.enqueue("idle", 0), -time.Minute)
			event := moved(t, queue.Message{ID: rec.ID, N: 1})
			w.faults.At = func(call int) fault.Kind {
				if call == 1 { // the job was read, and not written yet
					change(w, rec)
				}
				return fault.None
			}
			if answer, err := b.Handle(t.Context(), event); err != nil || len(answer.BatchItemFailures) != 1 {
				t.Errorf("%+v, %v; want the message to stay", answer, err)
			}
			if answer, err := b.Handle(t.Context(), event); err != nil || len(answer.BatchItemFailures) != 0 {
				t.Errorf("again: %+v, %v", answer, err)
			}
			if now := w.get(rec.ID); now.State != lifecycle.Cancelled && now.N != 2 {
				t.Errorf("the job is %s, n %d", now.State, now.N)
			}
		})
	}
}

func TestBackstopFixture(t *testing.T) {
	data, err := os.ReadFile("../../events/backstop.json")
	if err != nil {
		t.Fatal(err)
	}
	var event events.SQSEvent
	if err := json.Unmarshal(data, &event); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	b, _ := newBackstop(t, w)
	// Its job does not exist: the message is dropped.
	if answer, err := b.Handle(t.Context(), event); err != nil || len(answer.BatchItemFailures) != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestNewBackstopReportsEveryMistake(t *testing.T) {
	_, err := sweep.NewBackstop(sweep.BackstopConfig{})
	for _, want := range []string{"Jobs is missing", "Queue is missing", "Beside is missing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from: %v", want, err)
		}
	}
}
