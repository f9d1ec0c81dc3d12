package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func countsReleased(f fixture) {
	made := f.enqueue(hard(3, 1))
	f.release(0, made)
	f.enqueue(hard(3, 1))
	claimed := f.claim(made.ID)
	f.release(0, claimed)
	ended := f.finish(claimed, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("no")})
	f.release(0, made) // as it was read
	f.release(1, ended)
	f.release(0, ended)
	f.release(0, f.get(made.ID))
	f.counted(store.CountHard, 1)
	if p := f.get(made.ID).Hard; p == nil || p.Held || p.Released.IsZero() {
		f.Errorf("the row says %+v", p)
	}
	f.release(0, f.enqueue())
}

// slowly is a table before which time passes with each transaction.
type slowly struct {
	store.Driver
	pass func()
}

func (d slowly) Transact(ctx context.Context, token string, writes []store.Write) error {
	defer d.pass()
	return d.Driver.Transact(ctx, token, writes)
}

// countsReleasedLate: however long it takes, a row says when its place was given back, or a
// recount that began meanwhile would take the job off a second time.
func countsReleasedLate(f fixture) {
	first, second := f.enqueue(hard(2, 1)), f.enqueue(hard(2, 1))
	ended := []store.Record{f.done(first.ID), f.done(second.ID)}
	f.release(1, ended[0])
	slow, err := store.New(store.Config{Driver: slowly{f.driver, func() { f.clock.Advance(time.Hour) }}, Now: f.clock.Now})
	if err != nil {
		f.Fatal(err)
	}
	began := f.clock.Now()
	if n, err := slow.Release(f.Context(), ended...); n != 1 || err != nil { // the first is out: another transaction
		f.Fatalf("%d places were given back, %v", n, err)
	}
	if at := f.get(second.ID).Hard.Released; at.Before(began.Add(time.Hour)) {
		f.Errorf("released at %v, and not before %v", at, began.Add(time.Hour))
	}
}

func countsCancelled(f fixture) {
	for range 3 {
		made := f.enqueue(hard(1, 1))
		f.full(hard(1, 1))
		if _, err := f.jobs.Cancel(f.Context(), made.ID, ""); err != nil {
			f.Fatal(err)
		}
	}
	f.counted(store.CountHard, 0)
}

func countsRedriven(f fixture) {
	dead := func(id job.ID) store.Record {
		return f.finish(f.claim(id), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("no")})
	}
	made := f.enqueue(hard(1, 1))
	held := dead(made.ID)
	f.must(f.jobs.Redrive(f.Context(), held)) // its place was never given back
	f.counted(store.CountHard, 1)
	f.release(0, held)
	gone := dead(made.ID)
	f.release(1, gone)
	f.mustNot(f.jobs.Redrive(f.Context(), gone)) // as read, its place is held
	other := f.enqueue(hard(1, 1))
	if ok, err := f.jobs.Redrive(f.Context(), f.get(made.ID)); ok || !errors.Is(err, store.ErrFull) {
		f.Errorf("redriven into a full queue: %v, %v", ok, err)
	}
	f.want(made.ID, lifecycle.Dead)
	f.release(1, f.done(other.ID))
	f.must(f.jobs.Redrive(f.Context(), f.get(made.ID)))
	f.counted(store.CountHard, 1)
	f.full(hard(1, 1))
	f.release(1, f.done(made.ID))
	f.counted(store.CountHard, 0)
}
