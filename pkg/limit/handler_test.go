package limit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
)

type account struct{ Customer string }

func customerOf(j *job.Job[account]) string { return j.Args.Customer }

func syncJob(id job.ID, customer string) *job.Job[account] {
	return job.New(job.Job[account]{ID: id, Args: account{customer}, Attempt: 3, MaxAttempts: 3}, job.Internals{})
}

func TestAJobThatMayNotBeginSpendsNoAttempt(t *testing.T) {
	c := newClock()
	for name, l := range map[string]limit.Limiter{
		"a bucket": newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 1, Now: c.now}),
		"slots":    newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1, Now: c.now}),
		"both": limit.All(newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1, Now: c.now}),
			newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 1, Now: c.now})),
	} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			var other, same error
			var handle func(context.Context, *job.Job[account]) error
			handle = limit.Handler(l, customerOf, func(ctx context.Context, j *job.Job[account]) error {
				if ran++; ran == 1 {
					same = handle(ctx, syncJob("2", j.Args.Customer))
					other = handle(ctx, syncJob("3", "ben"))
				}
				return nil
			})
			if err := handle(t.Context(), syncJob("1", "ann")); err != nil || other != nil || ran != 2 {
				t.Errorf("%v %v, %d ran", err, other, ran)
			}
			outcome := lifecycle.Ended(lifecycle.Attempt{Number: 3, Max: 3}, same, nil)
			if outcome.To != lifecycle.Queued || !outcome.GiveBack || outcome.Wait <= 0 || outcome.Wait > 2*time.Second {
				t.Errorf("the second of one key: %+v of %v", outcome, same)
			}
			c.pass(time.Second)
			if err := handle(t.Context(), syncJob("2", "ann")); err != nil {
				t.Errorf("and at its time: %v", err)
			}
		})
	}
}

func TestASlotIsGivenBackHoweverTheRunEnds(t *testing.T) {
	synctest.Test(t, aSlotIsGivenBackHoweverTheRunEnds)
}

func aSlotIsGivenBackHoweverTheRunEnds(t *testing.T) {
	s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1})
	failed := errors.New("the bank is closed")
	for name, f := range map[string]func(context.Context, *job.Job[account]) (int, error){
		"fails":  func(context.Context, *job.Job[account]) (int, error) { return 0, failed },
		"panics": func(context.Context, *job.Job[account]) (int, error) { panic(failed) },
		"is out of time": func(ctx context.Context, _ *job.Job[account]) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		},
		"goes well": func(context.Context, *job.Job[account]) (int, error) { return 7, nil },
	} {
		func() {
			defer func() {
				if p := recover(); p != nil && p != failed {
					t.Errorf("%s: %v", name, p)
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			got, err := limit.HandlerResult(s, customerOf, f)(ctx, syncJob("1", "ann"))
			if name == "goes well" && (got != 7 || err != nil) || name == "fails" && err != failed {
				t.Errorf("%s: %d %v", name, got, err)
			}
		}()
		if slot := acquire(t, s, "2"); slot == nil {
			t.Fatalf("when the handler %s its slot stays taken", name)
		} else if err := slot.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestALaterRefusalGivesTheSlotBack(t *testing.T) {
	c := newClock()
	s := newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 1, Now: c.now})
	b := newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 1, Now: c.now})
	take(t, b, "ann")
	if permit, err := limit.All(s, b).Enter(t.Context(), "ann", "1"); err != nil || permit.Granted || permit.Wait <= 0 {
		t.Errorf("%+v %v", permit, err)
	}
	if acquire(t, s, "2") == nil {
		t.Error("the slot is gone")
	}
}

// Where the table does not answer nothing begins: the limit protects somebody else.
func TestNothingBeginsInTheDark(t *testing.T) {
	for name, l := range map[string]limit.Limiter{
		"a bucket": newBucket(t, limit.BucketConfig{Driver: failing{memory(), store.ErrThrottled}, Rate: 1}),
		"slots":    newSlots(t, limit.SlotsConfig{Driver: failing{memory(), store.ErrThrottled}, AtOnce: 1}),
	} {
		handle := limit.Handler(l, customerOf, func(context.Context, *job.Job[account]) error {
			t.Errorf("%s: it ran", name)
			return nil
		})
		if err := handle(t.Context(), syncJob("1", "ann")); !errors.Is(err, store.ErrThrottled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// At most two jobs of a customer at once, and at most ten a second.
func ExampleHandler() {
	atOnce, err1 := limit.NewSlots(limit.SlotsConfig{Driver: memory(), Name: "bank.at-once", AtOnce: 2})
	rate, err2 := limit.NewBucket(limit.BucketConfig{Driver: memory(), Name: "bank.rate", Rate: job.PerSecond(10)})
	if err := errors.Join(err1, err2); err != nil {
		panic(err)
	}
	handle := limit.Handler(limit.All(atOnce, rate), customerOf, func(_ context.Context, j *job.Job[account]) error {
		fmt.Println("in step with", j.Args.Customer)
		return nil
	})
	// worker.Handle(tasks.Sync, handle)
	fmt.Println(handle(ctx, syncJob("1", "customer-7")))
	// Output:
	// in step with customer-7
	// <nil>
}

func ExampleHandlerResult() {
	slots, err := limit.NewSlots(limit.SlotsConfig{Driver: memory(), Name: "bank", AtOnce: 1})
	if err != nil {
		panic(err)
	}
	handle := limit.HandlerResult(slots, customerOf, func(context.Context, *job.Job[account]) (string, error) { return "42 rows", nil })
	fmt.Println(handle(ctx, syncJob("1", "customer-7")))
	// Output: 42 rows <nil>
}

// How long slots are held says when the next one is free. Jobs that held one for nothing,
// since a later limit refused them, say nothing about that.
func TestARefusalIsNoMeasureOfWork(t *testing.T) {
	c, table := newClock(), memory()
	slots := newSlots(t, limit.SlotsConfig{Driver: table, AtOnce: 1, Now: c.now})
	bucket := newBucket(t, limit.BucketConfig{Driver: table, Rate: 1e-3, Burst: 1, Now: c.now})
	both := limit.All(slots, bucket)
	for _, work := range []string{"first", "refused", "refused again"} {
		permit, err := both.Enter(t.Context(), "ann", work)
		if err != nil || permit.Granted != (work == "first") {
			t.Fatal(work, permit, err)
		}
		if permit.Granted {
			c.pass(8 * time.Second)
			permit.Leave()
		}
	}
	if held := acquire(t, slots, "at work"); held == nil {
		t.Fatal("a refused job kept its slot")
	}
	if permit, err := both.Enter(t.Context(), "ann", "waiting"); err != nil || permit.Granted || permit.Wait < 8*time.Second {
		t.Errorf("it is to come back after %v, and work takes 8 s: %v", permit.Wait, err)
	}
}
