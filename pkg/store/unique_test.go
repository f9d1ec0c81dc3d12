package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// interrupted is a driver that lets something happen before a transaction.
type interrupted struct {
	store.Driver
	before func()
}

func (d *interrupted) Transact(ctx context.Context, token string, writes []store.Write) error {
	if before := d.before; before != nil {
		d.before = nil
		before()
	}
	return d.Driver.Transact(ctx, token, writes)
}

func jobsOn(t *testing.T, driver store.Driver) *store.Jobs {
	t.Helper()
	jobs, err := store.New(store.Config{Driver: driver})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func only(t *testing.T, jobs *store.Jobs) (store.Record, bool) {
	t.Helper()
	id, err := jobs.NewID()
	if err != nil {
		t.Fatal(err)
	}
	rec, made, err := jobs.Create(t.Context(), store.NewJob{
		ID: id, Task: "list.count", Queue: "lists", Args: []byte(`{}`), MaxAttempts: 1, Unique: &store.Unique{Key: "all"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return rec, made
}

// dead makes a job with the key and lets it die.
func dead(t *testing.T, jobs *store.Jobs) store.Record {
	t.Helper()
	made, _ := only(t, jobs)
	claim, err := jobs.Claim(t.Context(), made.ID, store.Lease{Token: "t", Until: made.Created.AddDate(1, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := jobs.Finish(t.Context(), claim.Record, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// The lock of a dead job is taken over; a redrive in the very moment before that
// regains it, and the newcomer must yield.
func TestARedriveBeforeTheTakeOverOfItsKeyKeepsIt(t *testing.T) {
	memory := memstore.New(memstore.Config{})
	undisturbed := jobsOn(t, memory)
	first := dead(t, undisturbed)
	d := &interrupted{Driver: memory}
	d.before = func() { // the first try finds the lock; the second takes it over
		d.before = func() {
			if done, err := undisturbed.Redrive(t.Context(), first); !done || err != nil {
				t.Fatalf("redriven %v, %v", done, err)
			}
		}
	}
	if rec, made := only(t, jobsOn(t, d)); made || rec.ID != first.ID || rec.State != lifecycle.Queued {
		t.Errorf("made %v %s, which is %s; the redriven job has the key", made, rec.ID, rec.State)
	}
}

// And the other way round: a newcomer takes the key in the moment before a redrive.
func TestARedriveAfterTheTakeOverOfItsKeyIsRefused(t *testing.T) {
	memory := memstore.New(memstore.Config{})
	undisturbed := jobsOn(t, memory)
	first := dead(t, undisturbed)
	d := &interrupted{Driver: memory, before: func() {
		if _, made := only(t, undisturbed); !made {
			t.Fatal("the newcomer did not get the key")
		}
	}}
	if done, err := jobsOn(t, d).Redrive(t.Context(), first); done || !errors.Is(err, store.ErrDuplicate) {
		t.Errorf("redriven %v, %v", done, err)
	}
}

// However many ask at once, one of them gets the key.
func TestAKeyIsMadeOnceByMany(t *testing.T) {
	for _, start := range []string{"free", "left by a dead job"} {
		jobs := jobsOn(t, memstore.New(memstore.Config{}))
		if start != "free" {
			dead(t, jobs)
		}
		var made sync.Map
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				if rec, ok := only(t, jobs); ok {
					made.Store(i, rec.ID)
				}
			})
		}
		all.Wait()
		count := 0
		made.Range(func(any, any) bool { count++; return true })
		if count != 1 {
			t.Errorf("%s: %d jobs were made", start, count)
		}
	}
}

// A lock that was freed and made again, for the same job, is another lock: whoever
// was about to free the first must not free the second.
func TestALockThatWasMadeAgainIsNotFreed(t *testing.T) {
	memory := memstore.New(memstore.Config{})
	now := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	jobs, err := store.New(store.Config{Driver: memory, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	first := dead(t, jobs)
	locks := func() []store.Lock {
		found, err := jobs.ScanPage(t.Context(), store.Scan{})
		if err != nil {
			t.Fatal(err)
		}
		return found.Locks
	}
	late := &lateDelete{Driver: memory}
	slow, err := store.New(store.Config{Driver: late, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	seen := locks()[0]
	late.before = func() {
		now = now.Add(time.Second)
		if done, err := jobs.Free(t.Context(), seen); !done || err != nil {
			t.Fatalf("freed %v, %v", done, err)
		}
		if done, err := jobs.Redrive(t.Context(), first); !done || err != nil {
			t.Fatalf("redriven %v, %v", done, err)
		}
	}
	if done, err := slow.Free(t.Context(), seen); done || err != nil {
		t.Errorf("freed %v, %v", done, err)
	}
	if left := locks(); len(left) != 1 || left[0].Job != first.ID {
		t.Errorf("locks %+v", left)
	}
}

// lateDelete lets something happen before a row is deleted.
type lateDelete struct {
	store.Driver
	before func()
}

func (d *lateDelete) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if w.Op == store.Delete {
		d.before()
	}
	return d.Driver.Write(ctx, w)
}
