package sweep_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// An event that the relay did not publish is asked for again, once.
func TestAnEventThatWasNotPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		n := store.NewEvent{ID: "e1", Name: "recipe.published", Topic: "recipes", Version: 1, Data: []byte(`{}`)}
		sent := n
		sent.ID = "e2"
		if err := w.jobs.Transact(t.Context(), w.jobs.EventWrite(n), w.jobs.EventWrite(sent)); err != nil {
			t.Fatal(err)
		}
		event := func(n store.NewEvent) store.Event {
			e, err := w.jobs.GetEvent(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		if err := w.jobs.EventSent(t.Context(), event(sent)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(sweep.RelayPatience)
		w.scanAll()
		if e := event(n); e.N != 1 {
			t.Errorf("resent while the relay still tries: n %d", e.N)
		}
		time.Sleep(time.Second)
		for range 2 {
			w.scanAll()
		}
		if e := event(n); e.N != 2 || e.Publication == nil {
			t.Errorf("resent %+v", e)
		}
		if e := event(sent); e.N != 1 {
			t.Errorf("a published event was resent: %+v", e)
		}
	})
}

// An event that was put off is the due index's, until it should have come up.
func TestAnEventThatWasPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		n := store.NewEvent{ID: "e1", Name: "recipe.published", Topic: "recipes", Version: 1, Data: []byte(`{}`)}
		event := func() store.Event {
			e, err := w.jobs.GetEvent(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		if err := w.jobs.Transact(t.Context(), w.jobs.EventWrite(n)); err != nil {
			t.Fatal(err)
		}
		if put, err := w.jobs.PutOffEvent(t.Context(), event(), time.Now().Add(2*time.Hour)); !put || err != nil {
			t.Fatalf("put off %v, %v", put, err)
		}
		time.Sleep(2*time.Hour + sweep.RelayPatience)
		w.scanAll()
		if e := event(); e.N != 1 || e.Due.IsZero() {
			t.Errorf("resent before the due index had its time: %+v", e)
		}
		time.Sleep(time.Second)
		w.scanAll()
		if e := event(); e.N != 2 || !e.Due.IsZero() {
			t.Errorf("resent %+v", e)
		}
	})
}

// The lock of a unique job goes when the job has ended, and not before.
func TestALockWhoseJobHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		only := func(key string) store.Record {
			id, err := w.jobs.NewID()
			if err != nil {
				t.Fatal(err)
			}
			rec, made, err := w.jobs.Create(t.Context(), store.NewJob{
				ID: id, Task: "list.count", Queue: "slow", Args: []byte(`{}`), MaxAttempts: 1, Unique: &store.Unique{Key: key},
			})
			if err != nil || !made {
				t.Fatalf("made %v, %v", made, err)
			}
			return rec
		}
		only("waits")
		w.finish(w.claim(only("dead").ID, time.Minute), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
		w.finish(w.claim(only("done").ID, time.Minute), lifecycle.Outcome{To: lifecycle.Done})
		w.scanAll()
		found, err := w.jobs.ScanPage(t.Context(), store.Scan{})
		if err != nil || len(found.Locks) != 1 || found.Locks[0].Key != "waits" {
			t.Errorf("locks %+v, %v", found.Locks, err)
		}
	})
}
