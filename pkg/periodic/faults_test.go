package periodic_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// faulty makes one call to the table go wrong: it is not carried out, or it is and
// its answer is lost.
type faulty struct {
	store.Driver
	at      int // which call, from 1
	applied bool
	calls   int
}

// strike counts a call and carries it out, unless this one is to be refused.
func (f *faulty) strike(call func() error) error {
	f.calls++
	if f.calls != f.at {
		return call()
	}
	if f.applied {
		_ = call() // what it says is what is lost
	}
	return errTable
}

func (f *faulty) Get(ctx context.Context, key store.Item) (item store.Item, err error) {
	err = f.strike(func() error { item, err = f.Driver.Get(ctx, key); return err })
	return item, err
}

func (f *faulty) Write(ctx context.Context, w store.Write) (item store.Item, err error) {
	err = f.strike(func() error { item, err = f.Driver.Write(ctx, w); return err })
	return item, err
}

func (f *faulty) Transact(ctx context.Context, token string, writes []store.Write) error {
	return f.strike(func() error { return f.Driver.Transact(ctx, token, writes) })
}

// A fault at each call, while events are repeated as Lambda does and the check runs:
// each occurrence has one job.
func TestEachFaultAtEachCall(t *testing.T) {
	for _, options := range [][]job.Option{nil, {job.Unique("newsletter")}} {
		for _, applied := range []bool{false, true} {
			struck := 0
			for at := 1; ; at++ {
				w := newWorld(t, "2026-11-16T07:00:00Z")
				f := &faulty{Driver: w.memo, at: at, applied: applied}
				w.Driver = f
				tellOfThreeMondays(w, options)
				if f.calls < at {
					break // there is no such call
				}
				struck++
				w.Driver = w.memo
				want := []string{"2026-11-16T08:00", "2026-11-23T08:00", "2026-11-30T08:00"}
				if options != nil {
					want = want[:1] // nobody runs it: the others are left out
				}
				if got := w.enqueued(); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("call %d, applied %v: %v, want %v\n%s", at, applied, got, want, w.log.String())
				}
			}
			if struck < 10 {
				t.Errorf("only %d calls were met", struck)
			}
		}
	}
}

// tellOfThreeMondays fires the first twice, forgets the second, which the check finds,
// and fires the third from two schedulers.
func tellOfThreeMondays(w *world, options []job.Option) {
	j := newsletter()
	j.Options = options
	retried := func(p *periodic.Periodic, when string) {
		for range 3 {
			if w.fire(p, j, when) == nil {
				return
			}
			w.now = w.now.Add(time.Minute)
		}
		w.t.Errorf("the event of %s failed three times", when)
	}
	p := w.scheduler(j)
	retried(p, "2026-11-16T08:00:00Z")
	retried(p, "2026-11-16T08:00:00Z")
	w.now = at(w.t, "2026-11-23T08:11:00Z")
	for range 2 {
		_ = p.Check(w.t.Context()) // one of the two meets no fault
	}
	retried(w.scheduler(j), "2026-11-30T08:00:00Z")
	retried(w.scheduler(j), "2026-11-30T08:00:00Z")
}
