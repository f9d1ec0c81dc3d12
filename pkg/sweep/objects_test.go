package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

const day = 24 * time.Hour

// shelf is an object storage that counts calls, and fails when told to.
type shelf struct {
	*memobjects.Driver
	lists         int
	failDelete    error
	failList      error
	beforeDeleted func()
}

func (s *shelf) List(ctx context.Context, prefix, after string, limit int) ([]claimcheck.Listed, bool, error) {
	s.lists++
	if s.failList != nil {
		return nil, false, s.failList
	}
	return s.Driver.List(ctx, prefix, after, limit)
}

func (s *shelf) Delete(ctx context.Context, keys []string) error {
	if s.failDelete != nil {
		return s.failDelete
	}
	if s.beforeDeleted != nil {
		s.beforeDeleted()
	}
	return s.Driver.Delete(ctx, keys)
}

// An attic is a world with objects.
type attic struct {
	*world
	shelf   *shelf
	objects *claimcheck.Objects
}

func newAttic(t *testing.T) *attic {
	t.Helper()
	a := &attic{world: newWorld(t), shelf: &shelf{Driver: memobjects.New(time.Now)}}
	var err error
	if a.objects, err = claimcheck.New(a.shelf); err != nil {
		t.Fatal(err)
	}
	a.sweep = a.sweeper(a.jobs)
	return a
}

func (a *attic) sweeper(jobs *store.Jobs) *sweep.Sweep {
	a.t.Helper()
	s, err := sweep.New(sweep.Config{Jobs: jobs, Objects: a.objects, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		a.t.Fatal(err)
	}
	return s
}

// put writes an object.
func (a *attic) put(key string) lifecycle.Object {
	a.t.Helper()
	claim, err := a.objects.Put(a.t.Context(), key, []byte("{}"))
	if err != nil {
		a.t.Fatal(err)
	}
	return claim
}

// claimChecked enqueues a job whose arguments are in an object.
func (a *attic) claimChecked(edit func(*store.NewJob)) (job.ID, lifecycle.Object) {
	a.t.Helper()
	id, err := a.jobs.NewID()
	if err != nil {
		a.t.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "note.write", Queue: "idle", MaxAttempts: 3}
	if edit != nil {
		edit(&n)
	}
	claim := a.put(claimcheck.ArgsKey(n.ID, "drawn"))
	n.ArgsObject = &claim
	if _, _, err := a.jobs.Create(a.t.Context(), n); err != nil {
		a.t.Fatal(err)
	}
	return n.ID, claim
}

// expire deletes a job's row, as DynamoDB does some time after its time to live.
func (a *attic) expire(id job.ID) {
	a.t.Helper()
	if _, err := a.memory.Write(a.t.Context(), store.Write{Op: store.Delete, Key: store.KeyOf(id)}); err != nil {
		a.t.Fatal(err)
	}
}

// after lets time go by, of which every minute was swept.
func (a *attic) after(d time.Duration) {
	a.t.Helper()
	time.Sleep(d)
	ctx, now := a.t.Context(), time.Now().UTC().Format("2006-01-02T15:04Z")
	swept, err := a.jobs.Mark(ctx, "checkpoint")
	if err != nil {
		a.t.Fatal(err)
	}
	if ok, err := a.jobs.SetMark(ctx, "checkpoint", swept, now); !ok || err != nil {
		a.t.Fatal(ok, err)
	}
}

// pass lets a day go by, and runs the sweep once.
func (a *attic) pass() {
	a.t.Helper()
	a.after(sweep.PassEvery)
	if err := a.run(); err != nil {
		a.t.Fatal(err)
	}
}

func (a *attic) has(claim lifecycle.Object) bool {
	return slices.Contains(a.shelf.Keys(), claim.Key)
}

func (a *attic) want(what string, claim lifecycle.Object, there bool) {
	a.t.Helper()
	if a.has(claim) != there {
		a.t.Errorf("%s: the object is there: %v", what, !there)
	}
}

// An object never goes before its last reader, and never stays for good: arguments
// go with their row, through every state that it may be in.
func TestAnObjectOutlivesItsReaders(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		edit  func(*store.NewJob)
		then  func(a *attic, id job.ID)
		lives int // days that the row is there at least
	}{
		"scheduled in 300 days": {func(n *store.NewJob) { n.NotBefore = time.Now().Add(300 * day) }, nil, 299},
		"queued":                {nil, nil, 20},
		"in a FIFO queue":       {func(n *store.NewJob) { n.ID, n.FIFO = n.ID.InGroup("idle", "../a.b~"), true }, nil, 20},
		"done":                  {nil, func(a *attic, id job.ID) { a.finish(a.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Done}) }, 14},
		"dead": {nil, func(a *attic, id job.ID) {
			a.finish(a.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Dead, Err: boom})
		}, 27},
		"cancelled": {nil, func(a *attic, id job.ID) {
			if _, err := a.jobs.Cancel(a.t.Context(), id, ""); err != nil {
				a.t.Fatal(err)
			}
		}, 14},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAttic(t)
				id, claim := a.claimChecked(c.edit)
				if c.then != nil {
					c.then(a, id)
				}
				for d := range c.lives {
					a.pass()
					a.want(fmt.Sprintf("day %d", d+1), claim, true)
				}
				if rec, err := a.jobs.Stored(t.Context(), id); err != nil || rec.ArgsObject == nil || *rec.ArgsObject != claim {
					t.Errorf("the row claims %+v, %v", rec.ArgsObject, err)
				}
				a.expire(id)
				a.pass()
				a.want("its row is gone", claim, false)
			})
		})
	}
}

// A row whose time to live is over still counts: DynamoDB takes its time, and a
// redrive that has read the row before may be under way.
func TestAnExpiredRowThatIsThereCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		id, claim := a.claimChecked(nil)
		a.finish(a.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Done})
		a.after(lifecycle.DoneRetention + day)
		if _, err := a.jobs.Get(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("its time to live should be over: %v", err)
		}
		a.pass()
		a.want("the row is still there", claim, true)
		a.expire(id)
		a.pass()
		a.want("the row is gone", claim, false)
	})
}

// The letter is gone, the row and the arguments are still there: a redrive finds
// them until the last of DeadRetention.
func TestARedriveFindsItsArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		id, claim := a.claimChecked(nil)
		a.finish(a.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
		for time.Until(a.get(id).Expires) > 2*day {
			a.pass()
		}
		if letterGone := lifecycle.QueueRetention; time.Since(a.get(id).Finished) < letterGone {
			t.Fatal("the letter should be gone by now")
		}
		rec := a.get(id)
		if ok, err := a.jobs.Redrive(t.Context(), rec); !ok || err != nil {
			t.Fatalf("redriving: %v, %v", ok, err)
		}
		again := a.claim(id, time.Minute)
		if data, err := a.objects.Get(t.Context(), *again.ArgsObject); err != nil || string(data) != "{}" || *again.ArgsObject != claim {
			t.Errorf("the arguments: %q, %v", data, err)
		}
		for range 40 { // it runs, and the row has no time to live
			a.pass()
		}
		a.want("redriven", claim, true)
	})
}

// A result that was written by an attempt that had lost its lease goes; the one
// that the row names stays. So do arguments, and those that were replaced go.
func TestWhatTheRowDoesNotNameGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		id, args := a.claimChecked(nil)
		replaced := a.put(claimcheck.ArgsKey(id, "older"))
		lost := a.put(claimcheck.ResultKey(id, "lost"))
		won := a.put(claimcheck.ResultKey(id, "won"))
		a.finish(a.claim(id, time.Minute), lifecycle.Outcome{To: lifecycle.Done, ResultObject: &won})
		never := a.put(claimcheck.ArgsKey(job.IDOf([16]byte{9}), "crashed")) // its producer died before the row

		if err := a.run(); err != nil {
			t.Fatal(err)
		}
		for _, young := range []lifecycle.Object{args, replaced, lost, won, never} {
			a.want("young", young, true)
		}
		a.pass()
		a.pass()
		a.want("arguments", args, true)
		a.want("the result", won, true)
		a.want("the other's result", lost, false)
		a.want("older arguments", replaced, false)
		a.want("of a job that never was", never, false)
	})
}

// A job that is being made is safe: its object is young when its row is not there
// yet, however the runs fall.
func TestAJobThatIsBeingMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		id := job.IDOf([16]byte{3})
		claim := a.put(claimcheck.ArgsKey(id, "drawn"))
		a.after(sweep.OrphanAge) // far longer than any producer takes
		if err := a.run(); err != nil {
			t.Fatal(err)
		}
		a.want("a day old to the instant", claim, true)
		n := store.NewJob{ID: id, Task: "note.write", Queue: "idle", MaxAttempts: 3, ArgsObject: &claim}
		if _, _, err := a.jobs.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		a.pass()
		a.want("it has its row", claim, true)
	})
}

// What others keep in the bucket is left alone.
func TestObjectsOfOthersStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		others := []string{"uploads/a", "jobs/readme.txt", "jobs/not-an-id/args-a", "jobs/" + string(job.IDOf([16]byte{1})) + "/notes", "once/jobs/x"}
		for _, key := range others {
			if err := a.shelf.Put(t.Context(), key, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		a.pass()
		a.pass()
		if got := a.shelf.Keys(); len(got) != len(others) {
			t.Errorf("left: %q", got)
		}
	})
}

// A pass is spread over runs, goes on where it was, and begins again a day later.
func TestAPassIsSpreadOverRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		const pages = 11
		for i := range pages * 1000 {
			a.put(claimcheck.ArgsKey(job.IDOf([16]byte{byte(i >> 8), byte(i)}), "orphan"))
		}
		kept, claim := a.claimChecked(nil)
		a.after(2 * day)
		for i, c := range []struct{ lists, left int }{{10, 1001}, {2, 1}, {0, 1}, {0, 1}} {
			before := a.shelf.lists
			if err := a.run(); err != nil {
				t.Fatal(err)
			}
			if lists, left := a.shelf.lists-before, len(a.shelf.Keys()); lists != c.lists || left != c.left && left != c.left+1 {
				t.Errorf("run %d: %d pages, %d objects left; want %d, %d", i+1, lists, left, c.lists, c.left)
			}
			time.Sleep(time.Minute)
		}
		a.want("the job's", claim, true)
		before := a.shelf.lists
		a.expire(kept)
		a.pass()
		if a.shelf.lists != before+1 || len(a.shelf.Keys()) != 0 {
			t.Errorf("a day later: %d pages, %d objects left", a.shelf.lists-before, len(a.shelf.Keys()))
		}
	})
}

// A run that fails, at whatever call, loses nothing: the next does it again.
func TestCollectingGoesOnAfterAFailure(t *testing.T) {
	down := errors.New("SlowDown")
	for name, breaks := range map[string]func(a *attic){
		"listing":      func(a *attic) { a.shelf.failList = down },
		"deleting":     func(a *attic) { a.shelf.failDelete = down },
		"reading rows": func(a *attic) { a.faults.At = func(int) fault.Kind { return fault.Down } },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAttic(t)
				a.sweep = a.sweeper(jobsOn(t, a.faults))
				_, claim := a.claimChecked(nil)
				orphan := a.put(claimcheck.ArgsKey(job.IDOf([16]byte{5}), "orphan"))
				a.after(2 * day)
				breaks(a)
				if err := a.run(); err == nil {
					t.Error("no error")
				}
				a.want("the orphan, as long as anything fails", orphan, true)
				a.shelf.failList, a.shelf.failDelete, a.faults.At = nil, nil, nil
				if err := a.run(); err != nil {
					t.Fatal(err)
				}
				a.want("the orphan, in the next run", orphan, false)
				a.want("the job's", claim, true)
			})
		})
	}
}

// Two sweeps at once do no harm, nor does one whose mark another has moved.
func TestTwoSweepsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		_, claim := a.claimChecked(nil)
		orphan := a.put(claimcheck.ArgsKey(job.IDOf([16]byte{5}), "orphan"))
		a.after(2 * day)
		other := a.sweeper(a.jobs)
		a.shelf.beforeDeleted = func() {
			a.shelf.beforeDeleted = nil
			if err := other.Handle(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if err := a.run(); err != nil {
			t.Error(err)
		}
		a.want("the orphan", orphan, false)
		a.want("the job's", claim, true)
	})
}

func TestARowThatCanNotBeReadKeepsItsObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAttic(t)
		id, claim := a.claimChecked(nil)
		a.muddle(id)
		a.pass()
		a.pass()
		a.want("its object", claim, true)
	})
}
