package limit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func newSlots(t testing.TB, c limit.SlotsConfig) *limit.Slots {
	t.Helper()
	if c.Name == "" {
		c.Name = "bank"
	}
	s, err := limit.NewSlots(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// acquire takes a slot; nil where all are taken.
func acquire(t testing.TB, s *limit.Slots, owner string) *limit.Slot {
	t.Helper()
	slot, _, err := s.Acquire(t.Context(), "ann", owner)
	if err != nil {
		t.Fatal(err)
	}
	return slot
}

func TestSlotsAreTakenAndGivenBack(t *testing.T) {
	c := newClock()
	s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 2, Now: c.now})
	one, two := acquire(t, s, "1"), acquire(t, s, "2")
	if one == nil || two == nil || acquire(t, s, "3") != nil {
		t.Fatal("there are two, and no more")
	}
	c.pass(8 * time.Second)
	if err := one.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := one.Release(t.Context()); err != nil {
		t.Errorf("given back twice: %v", err)
	}
	three := acquire(t, s, "3")
	if three == nil {
		t.Fatal("the one that was given back is not to be had")
	}
	if _, full, err := s.Acquire(t.Context(), "ann", "4"); err != nil || full.Usual != 8*time.Second {
		t.Errorf("it was held for 8 s: %v %v", full, err)
	}
	if err := one.Release(t.Context()); err != nil || acquire(t, s, "4") != nil {
		t.Errorf("a former owner gave back what another has: %v", err)
	}
}

func TestADeadOwnersSlotIsFreeInTime(t *testing.T) {
	c := newClock()
	s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1, Lease: time.Minute, Now: c.now})
	dead := acquire(t, s, "1")
	c.pass(time.Minute + lifecycle.LeaseMargin)
	if acquire(t, s, "2") != nil {
		t.Fatal("taken over before its end, with the margin for clocks")
	}
	c.pass(time.Millisecond)
	if acquire(t, s, "2") == nil {
		t.Fatal("it is never free")
	}
	if err := dead.Renew(t.Context()); !errors.Is(err, limit.ErrLost) {
		t.Errorf("the dead renewed it: %v", err)
	}
}

// The next run of a job whose worker died need not wait for its own lease; another
// job whose id begins alike does.
func TestAJobTakesOverItsOwnSlot(t *testing.T) {
	s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 2})
	first := acquire(t, s, "job")
	acquire(t, s, "other")
	if acquire(t, s, "jo") != nil || acquire(t, s, "job/") != nil {
		t.Error("another's slot was taken")
	}
	second := acquire(t, s, "job")
	if second == nil {
		t.Fatal("it waits for itself")
	}
	if err := first.Release(t.Context()); err != nil || acquire(t, s, "third") != nil {
		t.Errorf("the run before gave back the slot of the next: %v", err)
	}
}

func TestASlotsLeaseFollowsTheDeadline(t *testing.T) {
	c := newClock()
	s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1, Now: c.now})
	short, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if slot, _, err := s.Acquire(short, "ann", "1"); slot == nil || err != nil {
		t.Fatal(err)
	}
	c.pass(time.Minute)
	if acquire(t, s, "2") != nil {
		t.Error("free when its owner may still be at work")
	}
	c.pass(30 * time.Second)
	if acquire(t, s, "2") == nil {
		t.Error("held for longer than its owner may work")
	}
}

// Many processes, answers that are lost, owners that die: never more at once than
// there are slots, and all of them are to be had again.
func TestNeverMoreAtOnce(t *testing.T) {
	const atOnce, processes = 4, 24
	for name, driver := range map[string]store.Driver{
		"a table that answers": memory(), "answers that are lost": &unsure{Driver: memory(), random: rand.New(rand.NewPCG(2, 2))},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			s := newSlots(t, limit.SlotsConfig{Driver: driver, AtOnce: atOnce, Lease: time.Minute, Now: c.now})
			var mu sync.Mutex
			inside, most, worked := 0, 0, 0
			count := func(by int) {
				mu.Lock()
				defer mu.Unlock()
				inside += by
				most = max(most, inside)
				if by > 0 {
					worked++
				}
			}
			var wg sync.WaitGroup
			var still sync.RWMutex // stands still while somebody works
			for p := range processes {
				wg.Go(func() {
					for n := range 60 {
						still.RLock()
						slot, _, err := s.Acquire(t.Context(), "ann", fmt.Sprintf("%d-%d", p, n))
						if slot != nil {
							count(1)
							for range 20 {
								runtime.Gosched()
							}
							count(-1)
							err = slot.Release(t.Context())
						}
						still.RUnlock()
						if err != nil { // what was left behind ends by time
							still.Lock()
							c.pass(10 * time.Second)
							still.Unlock()
						}
					}
				})
			}
			wg.Wait()
			if most != atOnce || worked < 100 {
				t.Errorf("%d at once, of %d; %d in all", most, atOnce, worked)
			}
			c.pass(2 * time.Minute)
			for n := range atOnce {
				owner := fmt.Sprintf("end-%d", n)
				slot, _, err := s.Acquire(t.Context(), "ann", owner)
				for err != nil {
					c.pass(2 * time.Minute) // what it left behind
					slot, _, err = s.Acquire(t.Context(), "ann", owner)
				}
				if slot == nil {
					t.Fatalf("slot %d is lost for ever", n)
				}
			}
		})
	}
}

// Work without a deadline renews its slot, and ends when that is lost.
func TestLongWorkRenewsItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &switched{Driver: memory()}
		s := newSlots(t, limit.SlotsConfig{Driver: table, AtOnce: 1, Lease: time.Minute})
		permit, err := s.Enter(t.Context(), "ann", "1")
		if err != nil || !permit.Granted {
			t.Fatal(err)
		}
		for range 10 {
			time.Sleep(time.Minute)
			if other, err := s.Enter(t.Context(), "ann", "2"); err != nil || other.Granted {
				t.Fatalf("%+v %v", other, err)
			}
		}
		table.down.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !errors.Is(context.Cause(permit.Context), limit.ErrLost) {
			t.Errorf("it works on without a slot: %v", context.Cause(permit.Context))
		}
		table.down.Store(false)
		permit.Leave()
		if next, err := s.Enter(t.Context(), "ann", "2"); err != nil || !next.Granted {
			t.Errorf("%+v %v", next, err)
		} else {
			next.Leave()
		}
	})
}

func TestNewSlotsReportsAllMistakes(t *testing.T) {
	_, err := limit.NewSlots(limit.SlotsConfig{Lease: 1, LongestWait: -1})
	for _, part := range []string{"the name", "no driver", "AtOnce is 0", "Lease is 1ns", "LongestWait"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing: %v", part, err)
		}
	}
	if _, err := limit.NewSlots(limit.SlotsConfig{Driver: memory(), Name: "a", AtOnce: 1, LongestWait: math.MaxInt64}); err == nil {
		t.Error("a wait of centuries")
	}
}

func ExampleSlots_Acquire() {
	slots, err := limit.NewSlots(limit.SlotsConfig{Driver: memory(), Name: "bank", AtOnce: 1})
	if err != nil {
		panic(err)
	}
	one, _, err := slots.Acquire(ctx, "customer-7", "job-1")
	fmt.Println(one != nil, err)
	two, _, err := slots.Acquire(ctx, "customer-7", "job-2")
	fmt.Println(two != nil, err)
	fmt.Println(one.Release(ctx))
	// Output:
	// true <nil>
	// false <nil>
	// <nil>
}
