package idempotency_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
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
