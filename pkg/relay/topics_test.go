package relay_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

// snsFake takes messages, except where refuse says otherwise.
type snsFake struct {
	mu        sync.Mutex
	published []topic.Outgoing
	refuse    func(m topic.Outgoing) error
}

func (s *snsFake) Publish(_ context.Context, _ string, messages []topic.Outgoing) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(messages))
	for i, m := range messages {
		if s.refuse != nil {
			errs[i] = s.refuse(m)
		}
		if errs[i] == nil {
			s.published = append(s.published, m)
		}
	}
	return errs
}

// ids gives the events that were published, in order.
func (s *snsFake) ids(t *testing.T) (ids []string) {
	t.Helper()
	for _, m := range s.published {
		message, err := queue.DecodeMessage(m.Body)
		if err != nil || message.Event == nil || m.Name != message.Event.Name {
			t.Fatalf("published %+v: %v", m, err)
		}
		ids = append(ids, message.Event.ID)
	}
	return ids
}

func newTopicWorld(t *testing.T) (*world, *snsFake) {
	t.Helper()
	w := newWorld(t)
	sns := &snsFake{}
	var err error
	w.relay, err = relay.New(relay.Config{
		Jobs: jobsOn(t, w.faults), Queue: w.sqs, Random: func() float64 { return 0.5 },
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Topics: sns, TopicARNs: map[string]string{"recipes": "arn:recipes", "ordered": "arn:ordered.fifo"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w, sns
}

func (w *world) happen(id, topic, key string) store.NewEvent {
	w.t.Helper()
	n := store.NewEvent{ID: id, Name: "recipe.published", Topic: topic, FIFO: topic == "ordered", Key: key, Version: 1, Data: []byte(`{}`)}
	if err := w.jobs.Transact(w.t.Context(), w.jobs.EventWrite(n)); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) event(n store.NewEvent) store.Event {
	w.t.Helper()
	e, err := w.jobs.GetEvent(w.t.Context(), n)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

func TestAnEventIsPublishedAndNoted(t *testing.T) {
	w, sns := newTopicWorld(t)
	n := w.happen("e1", "recipes", "recipe/1")
	w.enqueue("notes", "", nil)
	batch := w.batch()
	if failed := w.handle(batch); len(failed) != 0 {
		t.Errorf("failed %v", failed)
	}
	if e := w.event(n); e.Publication != nil || e.Sent.IsZero() {
		t.Errorf("published %+v", e)
	}
	w.handle(w.batch()) // the note itself asks for nothing
	if got := sns.ids(t); !slices.Equal(got, []string{"e1"}) {
		t.Errorf("published %v", got)
	}
	if m, err := queue.DecodeMessage(sns.published[0].Body); err != nil || m.Event.Key != "recipe/1" || m.Event.Version != 1 {
		t.Errorf("published %+v, %v", m, err)
	}
}

func TestAnEventWhoseTopicTakesNothingComesUpLater(t *testing.T) {
	for name, setup := range map[string]func(*world, *snsFake) store.NewEvent{
		"throttled": func(w *world, s *snsFake) store.NewEvent {
			s.refuse = func(topic.Outgoing) error { return errors.New("throttled") }
			return w.happen("e1", "recipes", "")
		},
		"no right to": func(w *world, s *snsFake) store.NewEvent {
			s.refuse = func(topic.Outgoing) error { return &queue.SendError{Code: "AuthorizationErrorException", Fault: true} }
			return w.happen("e1", "recipes", "")
		},
		"unknown": func(w *world, _ *snsFake) store.NewEvent { return w.happen("e1", "nowhere", "") },
		"unknown and FIFO": func(w *world, _ *snsFake) store.NewEvent {
			n := store.NewEvent{ID: "e1", Name: "recipe.published", Topic: "nowhere", FIFO: true, Key: "k", Version: 1, Data: []byte(`{}`)}
			if err := w.jobs.Transact(w.t.Context(), w.jobs.EventWrite(n)); err != nil {
				w.t.Fatal(err)
			}
			return n
		},
	} {
		w, sns := newTopicWorld(t)
		n := setup(w, sns)
		if failed := w.handle(w.batch()); len(failed) != 0 {
			t.Errorf("%s: failed %v", name, failed)
		}
		e := w.event(n)
		if e.Publication == nil || e.Refused != nil {
			t.Fatalf("%s: %+v", name, e)
		}
		due := 0
		for at := time.Now().Truncate(time.Minute); at.Before(time.Now().Add(3 * time.Minute)); at = at.Add(time.Minute) {
			for shard := range store.DueShards {
				found, _, err := w.jobs.Due(t.Context(), at, shard, at.Add(time.Minute), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range found {
					due++
					if ok, err := w.jobs.Promote(t.Context(), d); !ok || err != nil {
						t.Errorf("%s: promoted %v, %v", name, ok, err)
					}
				}
			}
		}
		if due != 1 || w.event(n).N != 2 {
			t.Errorf("%s: %d due, %+v", name, due, w.event(n))
		}
	}
}

func TestARefusedEventWaitsForAPerson(t *testing.T) {
	w, sns := newTopicWorld(t)
	sns.refuse = func(m topic.Outgoing) error {
		if m.Name == "recipe.published" && len(sns.published) == 0 {
			return &queue.SendError{Code: "InvalidParameter", Message: "too long", Fault: true}
		}
		return nil
	}
	n := w.happen("e1", "recipes", "")
	if failed := w.handle(w.batch()); len(failed) != 0 {
		t.Errorf("failed %v", failed)
	}
	if e := w.event(n); e.Publication != nil || e.Refused == nil || e.Refused.Code != "undeliverable" || !strings.HasPrefix(e.Refused.Message, "the topic refuses the event: ") {
		t.Errorf("refused %+v", e)
	}
}

func TestAKeyStopsAtItsFirstFailure(t *testing.T) {
	w, sns := newTopicWorld(t)
	broken := true // for the first event of the key alone
	sns.refuse = func(m topic.Outgoing) error {
		if m.Dedup == "a1:1" && broken {
			return errors.New("throttled")
		}
		return nil
	}
	for _, e := range []struct{ id, key string }{{"a1", "a"}, {"b1", "b"}, {"a2", "a"}, {"b2", "b"}} {
		w.happen(e.id, "ordered", e.key)
	}
	batch := w.batch()
	if failed := w.handle(batch); !slices.Equal(failed, []string{"1"}) {
		t.Errorf("failed %v, want the first of the key", failed)
	}
	if got := sns.ids(t); slices.ContainsFunc(got, func(id string) bool { return id[0] == 'a' }) {
		t.Errorf("published %v: the key should have stopped", got)
	}
	broken = false
	if failed := w.handle(batch); len(failed) != 0 {
		t.Errorf("failed %v", failed)
	}
	var a []string
	for _, id := range sns.ids(t) {
		if id[0] == 'a' {
			a = append(a, id)
		}
	}
	if !slices.Equal(a, []string{"a1", "a2"}) {
		t.Errorf("published %v", a)
	}
}

func TestAnEventUnderEveryFaultOfTheTable(t *testing.T) {
	for _, kind := range fault.Kinds() {
		w, sns := newTopicWorld(t)
		w.faults.At = fault.Once(0, kind)
		n := w.happen("e1", "recipes", "")
		if failed := w.handle(w.batch()); len(failed) != 0 {
			t.Errorf("%v: failed %v", kind, failed)
		}
		if got := sns.ids(t); len(got) != 1 {
			t.Errorf("%v: published %v", kind, got)
		}
		if e := w.event(n); (e.Publication == nil) == (e.Sent.IsZero()) {
			t.Errorf("%v: %+v", kind, e)
		}
	}
}
