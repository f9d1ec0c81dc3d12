package invariants

import (
	"errors"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/storetest"
)

// tracked is what the test knows of a job besides its row.
type tracked struct {
	script    []string // what its runs do; the last one is repeated
	runs      int
	successes int
	// failures and deaths spend attempts; a redrive forgets them.
	failures, deaths int
	refused          bool // a handler failed it for good, or dropped it
}

// check follows the stream: every change of a row is one of the state machine's,
// and has its reason.
func (w *world) check() {
	changes, _ := w.memory.Changes(w.checked)
	for _, change := range changes {
		w.checked++
		storetest.CheckHistory(w.t, change.Old, change.New)
		old, was := w.decode(change.Old)
		now, is := w.decode(change.New)
		if was && is {
			w.checkChange(w.jobs[now.ID], old, now)
		}
	}
}

func (w *world) decode(item store.Item) (store.Record, bool) {
	if item == nil {
		return store.Record{}, false
	}
	rec, err := store.Decode(item)
	if err != nil && !errors.Is(err, store.ErrNotAJob) {
		w.failf("a row can't be read: %v", err)
	}
	return rec, err == nil
}

func (w *world) checkChange(j *tracked, old, now store.Record) {
	died := now.Error != nil && now.Error.Code == "worker_died" && old.State == lifecycle.Running
	healed := old.State == lifecycle.Running && now.State == lifecycle.Queued && now.N != old.N
	if old.State == lifecycle.Running && (now.Token != old.Token || healed) {
		if w.now.Before(old.LeaseUntil.Add(lifecycle.LeaseMargin)) {
			w.failf("%s was taken from its owner before its lease had ended", now.ID)
		}
		if old.Alone {
			j.deaths++
		}
		if spent := now.Attempt - old.Attempt; now.State == lifecycle.Running && (spent == 1) != old.Alone {
			w.failf("%s: a death spent %d attempts; alone: %v", now.ID, spent, old.Alone)
		}
	}
	switch {
	case now.State == lifecycle.Queued && old.State == lifecycle.Dead:
		j.failures, j.deaths, j.refused = 0, 0, false
	case now.State == lifecycle.Done && old.State != now.State && j.successes == 0:
		w.failf("%s is done, and no run succeeded", now.ID)
	case now.State == lifecycle.Dead && old.State == lifecycle.Running && !j.refused:
		if j.failures+j.deaths < now.MaxAttempts || died && j.deaths == 0 {
			w.failf("%s is dead after %d failures and %d deaths; it may have %d", now.ID, j.failures, j.deaths, now.MaxAttempts)
		}
	}
	if now.N < old.N || now.Publication != nil && now.Publication.N != now.N {
		w.failf("%s: n went from %d to %d, and what is published is %+v", now.ID, old.N, now.N, now.Publication)
	}
	w.log("%s %s -> %s, attempt %d, n %d", short(now.ID), old.State, now.State, now.Attempt, now.N)
}

func short(id job.ID) string { return string(id[len(id)-4:]) }
