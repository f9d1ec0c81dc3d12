package limit_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// mute is a table whose writes are applied and whose answers are lost for a while.
type mute struct {
	store.Driver
	silent atomic.Bool
}

func (m *mute) Write(ctx context.Context, w store.Write) (store.Item, error) {
	row, err := m.Driver.Write(ctx, w)
	if m.silent.Load() {
		return nil, context.DeadlineExceeded
	}
	return row, err
}

// A renewal whose answer was lost was made all the same: the slot is neither lost by it
// nor kept from being given back.
func TestARenewalWhoseAnswerWasLost(t *testing.T) {
	for name, then := range map[string]func(*limit.Slot) error{
		"is renewed again": func(s *limit.Slot) error { return s.Renew(t.Context()) },
		"is given back":    func(s *limit.Slot) error { return s.Release(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			c, table := newClock(), &mute{Driver: memory()}
			s := newSlots(t, limit.SlotsConfig{Driver: table, AtOnce: 1, Now: c.now})
			slot := acquire(t, s, "1")
			c.pass(time.Minute)
			table.silent.Store(true)
			if err := slot.Renew(t.Context()); err == nil {
				t.Fatal("the answer was not lost")
			}
			table.silent.Store(false)
			c.pass(time.Minute)
			if err := then(slot); err != nil {
				t.Fatal(err)
			}
			if err := slot.Release(t.Context()); err != nil || acquire(t, s, "2") == nil {
				t.Errorf("the slot was not given back: %v", err)
			}
		})
	}
}

// The shortest lease is renewed as any other, and one renewal that fails is not the end.
func TestTheShortestLeaseIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &switched{Driver: memory()}
		s := newSlots(t, limit.SlotsConfig{Driver: table, AtOnce: 1, Lease: 10 * time.Second})
		permit, err := s.Enter(t.Context(), "ann", "1")
		if err != nil || !permit.Granted {
			t.Fatal(err)
		}
		time.Sleep(8 * time.Second)
		table.down.Store(true)
		time.Sleep(3 * time.Second)
		table.down.Store(false)
		time.Sleep(time.Minute)
		if err := context.Cause(permit.Context); err != nil {
			t.Errorf("the slot was lost: %v", err)
		}
		permit.Leave()
	})
}

// A deadline that never comes is none.
func TestADeadlineInAnotherCentury(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1, Lease: time.Minute})
		ctx, cancel := context.WithTimeout(t.Context(), math.MaxInt64)
		defer cancel()
		permit, err := s.Enter(ctx, "ann", "1")
		if err != nil || !permit.Granted {
			t.Fatal(err)
		}
		for range 3 {
			if other, err := s.Enter(t.Context(), "ann", "2"); err != nil || other.Granted {
				t.Fatalf("two at once: %+v, %v", other, err)
			}
			time.Sleep(time.Minute)
		}
		permit.Leave()
	})
}

// Owners may be named as anybody likes: none is taken for another.
func TestAnOwnersNameWithinAnother(t *testing.T) {
	s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1})
	acquire(t, s, "job/1")
	if acquire(t, s, "job") != nil {
		t.Error("the slot of job/1 was given to job")
	}
}
