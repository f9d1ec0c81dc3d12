package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Scenarios are callers of one key, one after the other. They give the answers of
// those who got one.
var scenarios = map[string]func(w *world) []receipt{
	"once and again": func(w *world) (answers []receipt) {
		return w.callers(nil, nil, nil)
	},
	"failed, and again": func(w *world) []receipt {
		return w.callers(errors.New("bank down"), errors.New("bank down"), nil, nil)
	},
	"taken over": func(w *world) []receipt {
		late := w.crash(key("a"), func(context.Context) (receipt, error) { return receipt{Number: 99}, nil })
		w.pass(time.Hour)
		answers := w.callers(nil, nil)
		if r, err := late(); err == nil {
			answers = append(answers, r)
		}
		return append(answers, w.callers(nil)...)
	},
}

// callers ask for one key, the first of them with a bank that fails so.
func (w *world) callers(failures ...error) (answers []receipt) {
	for _, failure := range failures {
		r, err := idempotency.Once(w.t.Context(), w.records, key("a"), func(ctx context.Context) (receipt, error) {
			if failure != nil {
				return receipt{}, failure
			}
			return w.charge(ctx)
		})
		switch {
		case err == nil:
			answers = append(answers, r)
		case errors.Is(err, fault.ErrInjected), errors.Is(err, idempotency.ErrInProgress), err == failure:
			w.pass(time.Hour) // it is tried again, when any claim has ended
		default:
			w.t.Errorf("an error of its own: %v", err)
		}
	}
	return answers
}

// settled checks the invariant: nobody charged twice, and one answer for all.
func (w *world) settled(answers []receipt) {
	w.t.Helper()
	w.driver = w.driver.(*fault.Driver).Inner
	w.records = w.fresh()
	w.pass(time.Hour)
	last, err := w.pay(key("a"))
	if err != nil {
		w.t.Errorf("when all is well: %v", err)
	}
	for _, r := range answers {
		if r != last {
			w.t.Errorf("two answers: %v and %v", r, last)
		}
	}
	w.wantCharges(1)
}

// play runs a scenario over a table that fails so, and tells how many calls there
// were. Waits take no time.
func play(t *testing.T, scenario func(w *world) []receipt, at func(int) fault.Kind) (calls int) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		driver := &fault.Driver{Inner: w.driver, At: at}
		w.records = w.fresh(func(c *idempotency.Config) { c.Driver = driver })
		answers := scenario(w)
		calls = driver.Calls()
		w.settled(answers)
	})
	return calls
}

// Every fault at every call, and every pair of them.
func TestAnyTwoFaultsAtAnyCalls(t *testing.T) {
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) {
			runs := 0
			calls := play(t, scenario, nil) + 2 // a fault brings a call or two more
			for first := range calls {
				for second := first; second < calls; second++ {
					for _, one := range fault.Kinds() {
						for _, other := range fault.Kinds() {
							runs++
							at := func(n int) fault.Kind {
								switch n {
								case first:
									return one
								case second:
									return other
								}
								return fault.None
							}
							play(t, scenario, at)
							if t.Failed() {
								t.Fatalf("%v at call %d and %v at call %d", one, first, other, second)
							}
						}
					}
				}
			}
			t.Logf("%d runs", runs)
		})
	}
}

// A table that is gone for longer than anybody waits.
func TestAnOutage(t *testing.T) {
	for _, kind := range fault.Kinds() {
		for from := range 3 {
			t.Run(fmt.Sprintf("%v from call %d", kind, from), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					driver := &fault.Driver{Inner: w.driver, At: func(n int) fault.Kind {
						if n >= from {
							return kind
						}
						return fault.None
					}}
					w.records = w.fresh(func(c *idempotency.Config) { c.Driver = driver })
					r, err := w.pay(key("a"))
					switch {
					case err == nil && r.Number != 1, err != nil && w.charges > 0:
						t.Errorf("charged %d times, and it got %v, %v", w.charges, r, err)
					case err != nil && !errors.Is(err, fault.ErrInjected):
						t.Errorf("the cause is not told: %v", err)
					}
					driver.At = nil
					w.pass(time.Hour)
					unstored := from == 1 && (kind == fault.Down || kind == fault.Throttled)
					if _, err := w.pay(key("a")); err != nil {
						t.Error(err)
					}
					want := 1
					if unstored {
						want = 2 // as documented: the owner lost the table
					}
					w.wantCharges(want)
				})
			})
		}
	}
}

// What a claim of unknown fate leaves behind holds up nobody for longer than its
// lease; where it can be released, for no time.
func TestAClaimOfUnknownFateIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		driver := &fault.Driver{Inner: w.driver, At: func(n int) fault.Kind {
			if n < 4 { // all tries of the claim
				return fault.Lost
			}
			return fault.None
		}}
		w.records = w.fresh(func(c *idempotency.Config) { c.Driver = driver })
		if _, err := w.pay(key("a")); !errors.Is(err, fault.ErrInjected) {
			t.Fatal(err)
		}
		w.mustPay(key("a"), 1)
	})
}

// fn's own error is not replaced by the table's.
func TestAReleaseThatFailsHidesNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		driver := &fault.Driver{Inner: w.driver, At: func(n int) fault.Kind { return min(fault.Kind(n), fault.Down) }}
		w.records = w.fresh(func(c *idempotency.Config) { c.Driver = driver })
		down := errors.New("bank down")
		_, err := idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (int, error) { return 0, down })
		if err != down {
			t.Errorf("the error is %v", err)
		}
	})
}

// A table that answers late must not keep a handler that has no time left.
func TestTheEndIsWrittenInBoundedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		driver := &stuck{Driver: w.driver}
		w.records = w.fresh(func(c *idempotency.Config) { c.Driver = driver })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var ended time.Time
		r, err := idempotency.Once(ctx, w.records, key("a"), func(ctx context.Context) (int, error) {
			driver.stuck = true
			<-ctx.Done()
			ended = time.Now()
			return 7, nil
		})
		if took := time.Since(ended); err != nil || r != 7 || took > time.Second {
			t.Errorf("%d, %v, after %v", r, err, took)
		}
	})
}

// stuck is a table that may not answer.
type stuck struct {
	store.Driver
	stuck bool
}

func (s *stuck) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if s.stuck {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Driver.Write(ctx, w)
}
