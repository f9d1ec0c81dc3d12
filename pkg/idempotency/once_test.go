package idempotency_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestTheFirstAnswerIsGivenAgain(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.mustPay(key("order-1"), 1)
	}
	w.mustPay(key("order-2"), 2)
	w.records = w.fresh()
	w.mustPay(key("order-1"), 1)
	w.wantCharges(2)
}

// again runs fn twice with one key and wants the same answer of both.
func again[T any](t *testing.T, want T) {
	t.Helper()
	w := newWorld(t)
	runs := 0
	for range 2 {
		got, err := idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (T, error) { runs++; return want, nil })
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%#v, not %#v: %v", got, want, err)
		}
	}
	if runs != 1 {
		t.Errorf("%T: %d runs", want, runs)
	}
}

func TestAnswersThatLookLikeNone(t *testing.T) {
	again(t, 0)
	again(t, false)
	again(t, "")
	again(t, struct{}{})
	again[any](t, nil)
	again[*receipt](t, nil)
	again(t, []string{})
	again(t, map[string]int{})
	again(t, receipt{})
	again(t, int64(9007199254740993))
	again(t, json.RawMessage(`{"id":9007199254740993}`))
}

func TestAnErrorReleasesTheClaim(t *testing.T) {
	for name, failure := range map[string]error{
		"an error":           errors.New("bank down"),
		"a permanent error":  job.Fail(errors.New("account closed")),
		"a snooze":           job.Snooze(time.Hour),
		"a deadline":         context.DeadlineExceeded,
		"an answer and both": fmt.Errorf("wrapped: %w", job.RetryAfter(time.Second, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			_, err := idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (receipt, error) { return receipt{}, failure })
			if err != failure {
				t.Errorf("the error is %v, not fn's own", err)
			}
			// What was corrected may have another payload: nothing was done by this key.
			corrected := key("a")
			corrected.Payload = charge{"bob", 11}
			w.mustPay(corrected, 1)
			w.mustPay(corrected, 1)
		})
	}
}

func TestAPanicGoesOnUpAndReleasesTheClaim(t *testing.T) {
	w := newWorld(t)
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _ = idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (receipt, error) { panic("boom") })
	}()
	w.mustPay(key("a"), 1)

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = idempotency.Once(t.Context(), w.records, key("b"), func(context.Context) (receipt, error) { runtime.Goexit(); return receipt{}, nil })
	}()
	<-ended
	w.mustPay(key("b"), 2)
}

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
		t.Run(name, func(t *testing.T) {
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
		})
	}
}

func TestACancelledContextStillWritesTheEnd(t *testing.T) {
	for name, failure := range map[string]error{"success": nil, "failure": errors.New("down")} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ctx, cancel := context.WithCancel(t.Context())
			_, err := idempotency.Once(ctx, w.records, key("a"), func(context.Context) (receipt, error) {
				cancel()
				return receipt{Number: 7}, failure
			})
			if err != failure {
				t.Error(err)
			}
			want := 7
			if failure != nil {
				want = 1
			}
			w.mustPay(key("a"), want)
		})
	}
}

func TestAnExpiredRecordIsAbsent(t *testing.T) {
	w := newWorld(t, func(c *idempotency.Config) { c.Retention = time.Hour })
	w.mustPay(key("a"), 1)
	w.pass(time.Hour - time.Second)
	w.mustPay(key("a"), 1)
	w.pass(time.Second)
	other := key("a")
	other.Payload = charge{"bob", 11}
	w.mustPay(other, 2) // and its payload counts for nothing
	if row := w.row(); attribute(row, "result") != `{"number":2}` {
		t.Errorf("the row is %v", row)
	}
}

func TestConcurrentCallersRunItOnce(t *testing.T) {
	w := newWorld(t)
	var callers sync.WaitGroup
	for range 30 {
		callers.Go(func() {
			r, err := w.pay(key("a"))
			if err != nil && !errors.Is(err, idempotency.ErrInProgress) || err == nil && r.Number != 1 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	callers.Wait()
	w.mustPay(key("a"), 1)
	w.wantCharges(1)
}

func TestNestedUsesAreIndependent(t *testing.T) {
	w := newWorld(t)
	nested := func() (string, error) {
		return idempotency.Once(t.Context(), w.records, key("outer"), func(ctx context.Context) (string, error) {
			inner, err := idempotency.Once(ctx, w.records, key("inner"), w.charge)
			return fmt.Sprintf("outer of %d", inner.Number), err
		})
	}
	for range 2 {
		if got, err := nested(); err != nil || got != "outer of 1" {
			t.Errorf("%q, %v", got, err)
		}
	}
	w.mustPay(key("inner"), 1)
	_, err := idempotency.Once(t.Context(), w.records, key("self"), func(ctx context.Context) (receipt, error) {
		return idempotency.Once(ctx, w.records, key("self"), w.charge)
	})
	if !errors.Is(err, idempotency.ErrInProgress) {
		t.Errorf("a key within itself: %v", err)
	}
}

// Records are no jobs: relay, sweep and store pass them by.
func TestRecordsAreNoJobs(t *testing.T) {
	w := newWorld(t)
	w.mustPay(key("a"), 1)
	w.crash(key("b"), w.charge)
	jobs, err := store.New(store.Config{Driver: w.driver})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range w.rows() {
		if _, is := store.IDFrom(row); is {
			t.Errorf("%v passes for a job", row)
		}
		if _, err := store.Decode(row); !errors.Is(err, store.ErrNotAJob) {
			t.Errorf("decoding: %v", err)
		}
		for _, name := range []string{store.Publish, store.DueSlot, store.DueAt} {
			if _, has := row[name]; has {
				t.Errorf("%v has %s", row, name)
			}
		}
	}
	found, err := jobs.ScanPage(t.Context(), store.Scan{Limit: 100})
	if err != nil || len(found.Jobs) != 0 || len(found.Locks) != 0 {
		t.Errorf("the sweep's scan finds %v, %v", found, err)
	}
}

func TestDo(t *testing.T) {
	w := newWorld(t)
	runs := 0
	for range 2 {
		if err := w.records.Do(t.Context(), key("a"), func(context.Context) error { runs++; return nil }); err != nil {
			t.Error(err)
		}
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}
