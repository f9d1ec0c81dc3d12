package storetest

import (
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func cancelWaiting(f fixture) {
	for _, at := range []time.Duration{0, time.Hour} {
		made := f.enqueue(func(n *store.NewJob) { n.NotBefore = f.clock.Now().Add(at) })
		for range 2 { // the second finds it done
			rec, err := f.jobs.Cancel(f.Context(), made.ID, "")
			if err != nil || rec.State != lifecycle.Cancelled || rec.Publication != nil || rec.Expires.IsZero() {
				f.Fatalf("Cancel = %+v, %v", rec, err)
			}
		}
		claim, err := f.jobs.Claim(f.Context(), made.ID, f.lease())
		if err != nil || claim.Finding != lifecycle.Finished {
			f.Errorf("Claim = %+v, %v", claim, err)
		}
	}
}

func cancelRunning(f fixture) {
	ends := map[lifecycle.State]lifecycle.State{
		lifecycle.Done: lifecycle.Done, lifecycle.Dead: lifecycle.Dead,
		lifecycle.Queued: lifecycle.Cancelled, lifecycle.Scheduled: lifecycle.Cancelled,
	}
	for to, want := range ends {
		claimed := f.claim(f.enqueue().ID)
		rec, err := f.jobs.Cancel(f.Context(), claimed.ID, "")
		if err != nil || rec.State != lifecycle.Running || !rec.CancelRequested {
			f.Fatalf("Cancel = %+v, %v", rec, err)
		}
		if beat, err := f.jobs.Heartbeat(f.Context(), claimed, f.clock.Now().Add(time.Minute)); err != nil || !beat.CancelRequested {
			f.Errorf("a heartbeat does not learn of the cancellation: %+v, %v", beat, err)
		}
		if rec = f.finish(claimed, lifecycle.Outcome{To: to, Wait: time.Hour, Err: errors.New("boom")}); rec.State != want {
			f.Errorf("%s after a cancellation ended as %s, want %s", to, rec.State, want)
		}
		if want.Final() && want != lifecycle.Cancelled {
			if _, err := f.jobs.Cancel(f.Context(), claimed.ID, ""); !errors.Is(err, store.ErrFinished) {
				f.Errorf("cancelling a finished job: %v, want ErrFinished", err)
			}
		}
	}
	orphaned := f.enqueue()
	f.orphan(orphaned.ID, true)
	if _, err := f.jobs.Cancel(f.Context(), orphaned.ID, ""); err != nil {
		f.Fatal(err)
	}
	f.takeOver(orphaned.ID)
	f.want(orphaned.ID, lifecycle.Cancelled)
}

func cancelForeign(f fixture) {
	made := f.enqueue(func(n *store.NewJob) { n.Client = "ann" })
	if _, err := f.jobs.Cancel(f.Context(), made.ID, "bob"); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("bob cancels ann's job: %v, want ErrNotFound", err)
	}
	f.claim(made.ID)
	if _, err := f.jobs.Cancel(f.Context(), made.ID, "bob"); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("bob cancels ann's running job: %v, want ErrNotFound", err)
	}
	if f.get(made.ID).CancelRequested {
		f.Error("bob's request was noted")
	}
	if _, err := f.jobs.Cancel(f.Context(), made.ID, "ann"); err != nil {
		f.Error(err)
	}
	if _, err := f.jobs.Cancel(f.Context(), job.IDOf([16]byte{9}), ""); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("cancelling no job: %v, want ErrNotFound", err)
	}
}

func heartbeat(f fixture) {
	claimed := f.claim(f.enqueue().ID)
	f.clock.Advance(50 * time.Second)
	until := f.clock.Now().Add(time.Minute)
	if rec, err := f.jobs.Heartbeat(f.Context(), claimed, until); err != nil || !rec.LeaseUntil.Equal(until) {
		f.Fatalf("Heartbeat = %+v, %v", rec, err)
	}
	f.clock.Advance(30 * time.Second)
	if claim, err := f.jobs.Claim(f.Context(), claimed.ID, f.lease()); err != nil || claim.Finding != lifecycle.Busy {
		f.Errorf("Claim = %+v, %v", claim, err)
	}
}

// dueNow gives all that is due up to a time, from a minute's shards.
func (f fixture) dueNow(minute, until time.Time) []store.DueJob {
	f.Helper()
	var all []store.DueJob
	for shard := range store.DueShards {
		var start store.Item
		for {
			due, next, err := f.jobs.Due(f.Context(), minute, shard, until, start)
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, due...)
			if start = next; next == nil {
				break
			}
		}
	}
	return all
}

func promote(f fixture) {
	due := f.clock.Now().Truncate(time.Minute).Add(time.Hour)
	made := map[job.ID]bool{}
	for range 40 {
		made[f.enqueue(func(n *store.NewJob) { n.NotBefore = due.Add(20 * time.Second) }).ID] = true
	}
	later := f.enqueue(func(n *store.NewJob) { n.NotBefore = due.Add(50 * time.Second) })
	f.clock.Advance(time.Hour)
	found := f.dueNow(due, due.Add(30*time.Second))
	if len(found) != len(made) {
		f.Fatalf("%d due, want %d", len(found), len(made))
	}
	for _, d := range found {
		if !made[d.ID] || !d.Due.Equal(due.Add(20*time.Second)) {
			f.Fatalf("due %+v", d)
		}
	}
	moved := found[0]
	f.must(f.jobs.Move(f.Context(), moved.ID, due.Add(2*time.Hour)))
	f.mustNot(f.jobs.Promote(f.Context(), moved))
	f.must(f.jobs.Promote(f.Context(), found[1]))
	f.mustNot(f.jobs.Promote(f.Context(), found[1]))
	rec := f.want(found[1].ID, lifecycle.Queued)
	if rec.Publication == nil || rec.Publication.N != 1 || rec.Publication.At.Before(due.Add(20*time.Second)) {
		f.Errorf("promoted %+v", rec)
	}
	if len(f.dueNow(due, due.Add(30*time.Second))) != len(made)-2 {
		f.Error("a promoted or moved job is still in the index")
	}
	f.want(later.ID, lifecycle.Scheduled)
}

func moveParkReplace(f fixture) {
	queued := f.enqueue()
	f.mustNot(f.jobs.Move(f.Context(), queued.ID, f.clock.Now().Add(time.Hour)))
	_, replaced, err := f.jobs.Replace(f.Context(), queued.ID, store.NewJob{Args: []byte(`{"key":"newer"}`), Version: 2})
	f.must(replaced, err)
	f.must(f.jobs.Park(f.Context(), queued, f.clock.Now().Add(time.Hour)))
	f.mustNot(f.jobs.Park(f.Context(), queued, f.clock.Now().Add(time.Hour)))
	rec := f.want(queued.ID, lifecycle.Scheduled)
	if rec.Publication != nil || string(rec.Args) != `{"key":"newer"}` || rec.Version != 2 {
		f.Errorf("parked %+v", rec)
	}
	f.must(f.jobs.Move(f.Context(), queued.ID, f.clock.Now().Add(-time.Hour)))
	if rec = f.want(queued.ID, lifecycle.Scheduled); !rec.NotBefore.Equal(f.clock.Now()) {
		f.Errorf("moved into the past, it is due at %v", rec.NotBefore)
	}
	running := f.claim(f.enqueue().ID)
	_, replaced, err = f.jobs.Replace(f.Context(), running.ID, store.NewJob{Args: []byte(`{}`)})
	f.mustNot(replaced, err)
	f.mustNot(f.jobs.Move(f.Context(), running.ID, f.clock.Now()))
}

func healing(f fixture) {
	queued := f.enqueue()
	f.must(f.jobs.Republish(f.Context(), queued))
	f.mustNot(f.jobs.Republish(f.Context(), queued))
	if rec := f.get(queued.ID); rec.N != 2 || rec.Publication.N != 2 {
		f.Errorf("published again %+v", rec)
	}
	for _, alone := range []bool{false, true} {
		made := f.enqueue()
		orphan := f.orphan(made.ID, alone)
		f.must(f.jobs.Requeue(f.Context(), orphan))
		f.mustNot(f.jobs.Requeue(f.Context(), orphan))
		rec := f.want(made.ID, lifecycle.Queued)
		if rec.Publication == nil || rec.Publication.N != 2 || !rec.LeaseUntil.IsZero() {
			f.Errorf("requeued %+v", rec)
		}
		want := 1
		if alone {
			want = 2
		}
		if claim, err := f.jobs.Claim(f.Context(), made.ID, f.lease()); err != nil || claim.Finding != lifecycle.Suspect {
			f.Errorf("a job whose worker died was claimed among others: %+v, %v", claim, err)
		}
		if claimed := f.claim(made.ID, func(l *store.Lease) { l.Alone = true }); claimed.Attempt != want || claimed.Suspect {
			f.Errorf("attempt %d after a death (alone %v), want %d", claimed.Attempt, alone, want)
		}
	}
	last := f.enqueue(func(n *store.NewJob) { n.MaxAttempts = 1 })
	f.must(f.jobs.Requeue(f.Context(), f.orphan(last.ID, true)))
	f.want(last.ID, lifecycle.Dead)
}

func undeliverable(f fixture) {
	made := f.enqueue()
	if err := f.jobs.Undeliverable(f.Context(), made, errors.New("InvalidMessageContents")); err != nil {
		f.Fatal(err)
	}
	rec := f.want(made.ID, lifecycle.Dead)
	if rec.Error == nil || rec.Error.Message != "InvalidMessageContents" || rec.Publication == nil || rec.Publication.To != store.ToLetters("photos") {
		f.Errorf("dead %+v", rec)
	}
	claimed := f.claim(f.enqueue().ID)
	if err := f.jobs.Undeliverable(f.Context(), claimed, errors.New("late")); err != nil {
		f.Fatal(err)
	}
	f.want(claimed.ID, lifecycle.Running)
}

func fifo(f fixture) {
	var ids []job.ID
	for range 3 {
		made := f.enqueue(func(n *store.NewJob) {
			n.ID, n.FIFO, n.Queue = n.ID.InGroup("orders", "customer/7"), true, "orders"
			n.NotBefore = f.clock.Now().Add(time.Hour) // waits stay in the queue
		})
		if made.State != lifecycle.Queued {
			f.Errorf("a FIFO job was %s", made.State)
		}
		ids = append(ids, made.ID)
	}
	f.clock.Advance(time.Hour)
	for _, id := range ids {
		f.finish(f.claim(id), lifecycle.Outcome{To: lifecycle.Done})
	}
}
