package idempotency_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Whoever takes over asks the third party what became of the former owner's effect.
// If it does not answer, the next caller has to ask again: it knows no more.
func TestWhatBecameOfADeadOwnerStaysUnknownUntilSomebodySucceeds(t *testing.T) {
	w := newWorld(t)
	w.crash(key("a"), w.charge)
	w.pass(time.Hour)
	asked := func(fail error) (told bool) {
		_, _ = idempotency.Once(t.Context(), w.records, key("a"), func(ctx context.Context) (int, error) {
			told = idempotency.TakenOver(ctx)
			return 0, fail
		})
		return told
	}
	for range 3 {
		if !asked(errors.New("the bank does not answer")) {
			t.Fatal("a caller was not told that a former owner's end is unknown")
		}
	}
	if !asked(nil) {
		t.Error("the last was not told")
	}
	w.pass(idempotency.DefaultRetention)
	if asked(nil) {
		t.Error("told of it after an answer was kept, and has expired")
	}
}

// A claim that was released is free by every clock: one that is behind must take
// the record neither for a claim nor for damaged, which would end the job.
func TestAReleasedClaimIsFreeForAClockThatIsBehind(t *testing.T) {
	w := newWorld(t)
	_, err := idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (receipt, error) {
		return receipt{}, errors.New("down")
	})
	if err == nil {
		t.Fatal("it did not fail")
	}
	w.pass(-lifecycle.LeaseMargin)
	w.mustPay(key("a"), 1)
}

// The same where the take-over's own fate is unknown.
func TestATakeOverOfUnknownFateLeavesTheQuestionOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.crash(key("a"), w.charge)
		w.pass(time.Hour)
		healthy := w.driver
		driver := &fault.Driver{Inner: healthy, At: func(n int) fault.Kind {
			if n < 4 { // all tries of the claim
				return fault.Lost
			}
			return fault.None
		}}
		w.records = w.fresh(func(c *idempotency.Config) { c.Driver = driver })
		if _, err := w.pay(key("a")); !errors.Is(err, fault.ErrInjected) {
			t.Fatal(err)
		}
		told := false
		_, err := idempotency.Once(t.Context(), w.records, key("a"), func(ctx context.Context) (int, error) {
			told = idempotency.TakenOver(ctx)
			return 0, nil
		})
		if err != nil || !told {
			t.Errorf("told %v, %v", told, err)
		}
	})
}
