package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

func TestInProgressElsewhere(t *testing.T) {
	w := newWorld(t, func(c *idempotency.Config) { c.Lease = time.Minute })
	resume := w.crash(key("a"), w.charge)
	w.pass(20 * time.Second)
	_, err := w.pay(key("a"))
	var busy *idempotency.InProgressError
	if !errors.As(err, &busy) || !errors.Is(err, idempotency.ErrInProgress) {
		t.Fatalf("the error is %v", err)
	}
	if want := 40*time.Second + lifecycle.LeaseMargin; busy.After != want || !busy.Until.Equal(w.clock().Add(want)) {
		t.Errorf("until %v, in %v", busy.Until, busy.After)
	}
	// As a handler's error it costs no attempt, even when wrapped.
	outcome := lifecycle.Ended(lifecycle.Attempt{Number: 5, Max: 5, Backoff: backoff.Policy{}}, fmt.Errorf("charging: %w", err), func() float64 { return 0 })
	if outcome.To != lifecycle.Queued || !outcome.GiveBack || outcome.Wait != busy.After {
		t.Errorf("the worker makes %+v of it", outcome)
	}
	if r, err := resume(); err != nil || r.Number != 1 {
		t.Errorf("the owner got %+v, %v", r, err)
	}
	w.mustPay(key("a"), 1)
	w.wantCharges(1)
}

func TestADeadOwnerIsTakenOver(t *testing.T) {
	w := newWorld(t, func(c *idempotency.Config) { c.Lease = time.Minute })
	w.crash(key("a"), w.charge)
	w.pass(time.Minute + lifecycle.LeaseMargin - time.Millisecond)
	if _, err := w.pay(key("a")); !errors.Is(err, idempotency.ErrInProgress) {
		t.Fatalf("taken over before its end: %v", err)
	}
	w.pass(time.Millisecond)
	told := false
	_, err := idempotency.Once(t.Context(), w.records, key("a"), func(ctx context.Context) (receipt, error) {
		told = idempotency.TakenOver(ctx)
		return w.charge(ctx)
	})
	if err != nil || !told {
		t.Errorf("told of the take-over: %v, %v", told, err)
	}
	if !strings.Contains(w.log.String(), "taken over") {
		t.Errorf("operators are not told: %s", w.log)
	}
	w.mustPay(key("a"), 1)
}

func TestTakenOverIsToldOfThatOneClaim(t *testing.T) {
	w := newWorld(t)
	told := func(k idempotency.Key, fail error) (was bool) {
		_, _ = idempotency.Once(t.Context(), w.records, k, func(ctx context.Context) (int, error) {
			was = idempotency.TakenOver(ctx)
			return 0, fail
		})
		return was
	}
	if told(key("a"), errors.New("down")) || told(key("a"), nil) {
		t.Error("told of a claim that its owner released")
	}
	w.pass(idempotency.DefaultRetention)
	if told(key("a"), nil) {
		t.Error("told of an answer that has expired")
	}
	w.crash(key("b"), w.charge)
	w.pass(time.Hour)
	_, err := idempotency.Once(t.Context(), w.records, key("b"), func(ctx context.Context) (int, error) {
		return idempotency.Once(ctx, w.records, key("c"), func(ctx context.Context) (int, error) {
			if idempotency.TakenOver(ctx) {
				t.Error("told of the claim around it")
			}
			return 0, nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestALateOwnerWritesNothingOverItsSuccessors(t *testing.T) {
	late := func(t *testing.T) (w *world, resume func() (receipt, error)) {
		w = newWorld(t, func(c *idempotency.Config) { c.Lease = time.Minute })
		resume = w.crash(key("a"), func(context.Context) (receipt, error) { return receipt{Number: 99}, nil })
		w.pass(2 * time.Minute)
		return w, resume
	}
	t.Run("the successor is done", func(t *testing.T) {
		w, resume := late(t)
		w.mustPay(key("a"), 1)
		if r, err := resume(); err != nil || r.Number != 1 {
			t.Errorf("the late owner got %+v, %v", r, err)
		}
		w.mustPay(key("a"), 1)
	})
	t.Run("the successor runs", func(t *testing.T) {
		w, resume := late(t)
		successor := w.crash(key("a"), w.charge)
		if _, err := resume(); !errors.Is(err, idempotency.ErrInProgress) {
			t.Errorf("the late owner got %v", err)
		}
		if r, err := successor(); err != nil || r.Number != 1 {
			t.Errorf("the successor got %+v, %v", r, err)
		}
		w.mustPay(key("a"), 1)
	})
	t.Run("the successor failed", func(t *testing.T) {
		w, resume := late(t)
		_, _ = idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (int, error) { return 0, errors.New("down") })
		if r, err := resume(); err != nil || r.Number != 99 {
			t.Errorf("the late owner got %+v, %v", r, err)
		}
		w.mustPay(key("a"), 99)
	})
	t.Run("and its failure releases nothing", func(t *testing.T) {
		w := newWorld(t, func(c *idempotency.Config) { c.Lease = time.Minute })
		resume := w.crash(key("a"), func(context.Context) (receipt, error) { return receipt{}, errors.New("down") })
		w.pass(2 * time.Minute)
		w.crash(key("a"), w.charge)
		if _, err := resume(); err == nil || err.Error() != "down" {
			t.Errorf("the late owner got %v", err)
		}
		if _, err := w.pay(key("a")); !errors.Is(err, idempotency.ErrInProgress) {
			t.Errorf("its successor's claim is gone: %v", err)
		}
	})
	t.Run("another payload came instead", func(t *testing.T) {
		w, resume := late(t)
		w.pass(idempotency.DefaultRetention) // the claim's record is over
		other := key("a")
		other.Payload = charge{"bob", 1}
		w.mustPay(other, 1)
		if _, err := resume(); !errors.Is(err, idempotency.ErrOtherPayload) {
			t.Errorf("the late owner got %v", err)
		}
	})
}

func TestHowLongAClaimHolds(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := idempotency.Once(cancelled, newWorld(t).records, key("a"), func(context.Context) (int, error) {
		t.Error("it ran although its context was over")
		return 0, nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	for name, c := range map[string]struct{ left, lease, least, most time.Duration }{
		"a deadline":              {30 * time.Second, 0, 30 * time.Second, 34 * time.Second},
		"hardly any time":         {100 * time.Millisecond, 0, time.Second, 5 * time.Second},
		"no deadline":             {0, 0, idempotency.DefaultLease, idempotency.DefaultLease},
		"no deadline, but a hold": {0, time.Minute, time.Minute, time.Minute},
		"a longer hold":           {time.Second, time.Hour, time.Hour, time.Hour},
		"a shorter hold":          {time.Hour, time.Minute, time.Hour, time.Hour + 5*time.Second},
		"a hold of nothing":       {0, 1, time.Second, 5 * time.Second},
	} {
		t.Run(name, inABubble(func(t *testing.T) {
			w := newWorld(t, func(config *idempotency.Config) { config.Lease = c.lease })
			ctx := t.Context()
			if c.left > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, c.left)
				defer cancel()
			}
			_, err := idempotency.Once(ctx, w.records, key("a"), func(inner context.Context) (int, error) {
				ms, ttl := attribute(w.row(), "until_ms"), attribute(w.row(), "ttl")
				var until, expires int64
				if _, err := fmt.Sscan(ms+" "+ttl, &until, &expires); err != nil {
					t.Fatal(err)
				}
				held := time.UnixMilli(until).Sub(w.clock())
				if held < c.least || held > c.most {
					t.Errorf("it holds for %v: %v to %v", held, c.least, c.most)
				}
				if kept := time.Unix(expires, 0).Sub(w.clock()); kept < idempotency.DefaultRetention {
					t.Errorf("the record is over in %v", kept)
				}
				deadline, ok := inner.Deadline()
				if !ok || time.Until(deadline) > held-time.Second {
					t.Errorf("fn may run for %v of %v", time.Until(deadline), held)
				}
				return 0, nil
			})
			if err != nil {
				t.Error(err)
			}
		}))
	}
}

// inABubble runs a test by a clock that goes on only while everything waits: however
// slow the machine is, no deadline draws nearer.
func inABubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}
