package sweep_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// markAt moves the sweep's mark to a time.
func (w *world) markAt(at time.Time) {
	w.t.Helper()
	const name = "checkpoint"
	seen, err := w.jobs.Mark(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	if moved, err := w.jobs.SetMark(w.t.Context(), name, seen, at.UTC().Format("2006-01-02T15:04Z")); !moved || err != nil {
		w.t.Fatal(moved, err)
	}
}

// What is due and was not handed over counts from when it was due, by its queue.
func TestOverdue(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	overdue := sweep.NewLate(w.jobs, func() time.Time { return now })
	look := func() map[string]time.Time {
		t.Helper()
		oldest, err := overdue.Oldest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(11 * time.Second)
		return oldest
	}
	first := w.get(w.enqueue("slow", 20*time.Minute)).NotBefore
	w.enqueue("slow", 20*time.Minute+20*time.Second)
	other := w.get(w.enqueue("idle", 22*time.Minute)).NotBefore
	if got := look(); len(got) != 0 {
		t.Errorf("before any sweep: %v", got)
	}
	w.markAt(first)
	if got := look(); len(got) != 0 {
		t.Errorf("nothing is due: %v", got)
	}
	now = first.Add(5 * time.Minute) // a sweep that is in time has its mark so far back
	if got := look(); len(got) != 0 {
		t.Errorf("the sweep is in time: %v", got)
	}
	now = first.Add(7 * time.Minute)
	if got := look(); len(got) != 1 || !got["slow"].Equal(first) {
		t.Errorf("%v, want slow since %v", got, first)
	}
	w.markAt(first.Add(time.Minute + 59*time.Second)) // the first minute is done with
	now = first.Add(10 * time.Minute)
	if got := look(); len(got) == 0 || !got["idle"].Equal(other) {
		t.Errorf("%v, want idle since %v", got, other)
	}
}

func TestOverdueIsLookedAtSeldom(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	reads := 0
	w.faults.At = func(int) fault.Kind { reads++; return fault.None }
	overdue := sweep.NewLate(jobsOn(t, w.faults), func() time.Time { return now })
	for range 30 {
		if _, err := overdue.Oldest(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	if reads != 3 {
		t.Errorf("%d reads in half a minute", reads)
	}
}

func TestOverdueFails(t *testing.T) {
	w := newWorld(t)
	w.faults.At = func(int) fault.Kind { return fault.Throttled }
	if _, err := sweep.NewLate(jobsOn(t, w.faults), time.Now).Oldest(t.Context()); !errors.Is(err, store.ErrThrottled) {
		t.Errorf("%v", err)
	}
}
