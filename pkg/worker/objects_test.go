package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// shelf is an object storage that fails when told to.
type shelf struct {
	*memobjects.Driver
	failGet, failPut error
	stall            bool // reads stand still until their context ends
}

func (s *shelf) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if s.stall {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.failGet != nil {
		return nil, s.failGet
	}
	return s.Driver.Get(ctx, key, limit)
}

func (s *shelf) Put(ctx context.Context, key string, data []byte) error {
	if s.failPut != nil {
		return s.failPut
	}
	return s.Driver.Put(ctx, key, data)
}

// An attic is a world with objects.
type attic struct {
	*world
	shelf   *shelf
	objects *claimcheck.Objects
}

// newAttic makes a world whose worker has objects, unless none is set.
func newAttic(t *testing.T, edit func(*worker.Config), handlers ...worker.Handler) *attic {
	t.Helper()
	q := notes(nil)
	a := &attic{world: newWorld(t, q, handlers...), shelf: &shelf{Driver: memobjects.New(nil)}}
	var err error
	if a.objects, err = claimcheck.New(a.shelf); err != nil {
		t.Fatal(err)
	}
	memory := memstore.New(memstore.Config{})
	a.faults = &fault.Driver{Inner: memory}
	a.jobs = jobsOn(t, memory)
	config := worker.Config{
		Jobs: jobsOn(t, a.faults), Queue: a.sqs, Objects: a.objects, Random: func() float64 { return 0.5 },
		Addresses: map[string]queue.Address{q.Name: {URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notes", Letters: "letters"}},
		Logger:    slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if edit != nil {
		edit(&config)
	}
	if a.worker, err = worker.New(config, handlers...); err != nil {
		t.Fatal(err)
	}
	return a
}

// claimChecked enqueues a job whose arguments are in an object.
func (a *attic) claimChecked(text string) (job.ID, lifecycle.Object) {
	a.t.Helper()
	var claim lifecycle.Object
	id := a.enqueue(text, func(n *store.NewJob) {
		var err error
		if claim, err = a.objects.Put(a.t.Context(), claimcheck.ArgsKey(n.ID, "drawn"), n.Args); err != nil {
			a.t.Fatal(err)
		}
		n.Args, n.ArgsObject = nil, &claim
	})
	return id, claim
}

// keeping is a handler that keeps what it was given.
func keeping(into *[]string) worker.Handler {
	var mu sync.Mutex
	return worker.Handle(task(notes(nil)), func(_ context.Context, j *job.Job[note]) error {
		mu.Lock()
		defer mu.Unlock()
		*into = append(*into, j.Args.Text)
		return nil
	})
}

func TestArgumentsInAnObject(t *testing.T) {
	var seen []string
	a := newAttic(t, nil, keeping(&seen))
	id, claim := a.claimChecked("from afar")
	near := a.enqueue("from the row", nil)
	if failed := a.deliver(message(id), message(near)); len(failed) != 0 {
		t.Errorf("failed: %v", failed)
	}
	slices.Sort(seen)
	if fmt.Sprint(seen) != "[from afar from the row]" {
		t.Errorf("the handler saw %q", seen)
	}
	if rec := a.get(id); rec.State != lifecycle.Done || rec.Attempt != 1 || rec.ArgsObject == nil || *rec.ArgsObject != claim || len(rec.Args) != 0 {
		t.Errorf("the row is %+v", rec)
	}
}

// A claim whose object is gone is a failure for good, with its own
// code; a storage that is down is no failure of the job's.
func TestArgumentsThatAreNotToBeHad(t *testing.T) {
	for name, c := range map[string]struct {
		breaks  func(*attic, lifecycle.Object)
		state   lifecycle.State
		attempt int
		code    string
		hidden  time.Duration
		mended  bool // the job is done once the storage is back
	}{
		"missing": {func(a *attic, claim lifecycle.Object) {
			if err := a.objects.Delete(a.t.Context(), []string{claim.Key}); err != nil {
				a.t.Fatal(err)
			}
		}, lifecycle.Dead, 1, "arguments_missing", -1, false},
		"down": {func(a *attic, _ lifecycle.Object) { a.shelf.failGet = errors.New("SlowDown") },
			lifecycle.Queued, 0, "", 12500 * time.Millisecond, true},
		"down until the run's time is up": {func(a *attic, _ lifecycle.Object) { a.shelf.stall = true },
			lifecycle.Queued, 0, "", 12500 * time.Millisecond, true},
		"damaged": {func(a *attic, claim lifecycle.Object) {
			if err := a.shelf.Driver.Put(a.t.Context(), claim.Key, []byte("{}")); err != nil {
				a.t.Fatal(err)
			}
		}, lifecycle.Queued, 1, "arguments_damaged", 10 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen []string
				a := newAttic(t, nil, keeping(&seen))
				id, claim := a.claimChecked("a")
				c.breaks(a, claim)
				a.deliver(message(id))
				rec := a.get(id)
				if rec.State != c.state || rec.Attempt != c.attempt || len(seen) != 0 {
					t.Errorf("%s after %d attempts, the handler ran %d times", rec.State, rec.Attempt, len(seen))
				}
				code := ""
				if rec.Error != nil {
					code = rec.Error.Code
				}
				if code != c.code {
					t.Errorf("the code is %q", code)
				}
				if got := a.hiddenFor(message(id)); (got >= 0) != (c.hidden >= 0) || got > 20*time.Second {
					t.Errorf("hidden for %v", got)
				}
				if rec.State != lifecycle.Queued {
					return
				}
				a.shelf.failGet, a.shelf.stall = nil, false
				time.Sleep(20 * time.Second)
				a.deliver(message(id))
				if rec := a.get(id); (rec.State == lifecycle.Done) != c.mended || c.mended && rec.Attempt != 1 {
					t.Errorf("afterwards %s after %d attempts", rec.State, rec.Attempt)
				}
			})
		})
	}
}

// A damaged object costs attempts, and so ends.
func TestDamagedArgumentsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		a := newAttic(t, nil, keeping(&seen))
		id, _ := a.claimChecked("a")
		a.shelf.failGet = claimcheck.ErrDamaged
		for range 3 {
			a.deliver(message(id))
			time.Sleep(time.Hour)
		}
		if rec := a.get(id); rec.State != lifecycle.Dead || rec.Error.Code != "arguments_damaged" || len(seen) != 0 {
			t.Errorf("%s %+v", rec.State, rec.Error)
		}
	})
}

// A worker that was deployed without the storage loses nothing.
func TestAWorkerWithoutObjects(t *testing.T) {
	var seen []string
	a := newAttic(t, func(c *worker.Config) { c.Objects = nil }, keeping(&seen))
	id, _ := a.claimChecked("a")
	a.deliver(message(id))
	if rec := a.get(id); rec.State != lifecycle.Queued || rec.Attempt != 0 || len(seen) != 0 {
		t.Errorf("%s after %d attempts", rec.State, rec.Attempt)
	}
}

// Cancelling a job whose arguments can't be had ends it.
func TestACancellationWhileTheStorageIsDown(t *testing.T) {
	var seen []string
	a := newAttic(t, nil, keeping(&seen))
	id, _ := a.claimChecked("a")
	a.shelf.failGet = errors.New("SlowDown")
	a.faults.At = func(call int) fault.Kind {
		if call == 1 { // claimed, and not yet given back
			if _, err := a.jobs.Cancel(t.Context(), id, ""); err != nil {
				t.Error(err)
			}
		}
		return fault.None
	}
	if failed := a.deliver(message(id)); len(failed) != 0 {
		t.Errorf("failed: %v", failed)
	}
	if rec := a.get(id); rec.State != lifecycle.Cancelled {
		t.Errorf("it is %s", rec.State)
	}
}

// giving is a handler with a result that encodes to so many bytes.
func giving(size int) worker.Handler {
	return worker.HandleResult(resultTask, func(context.Context, *job.Job[note]) (string, error) {
		return strings.Repeat("r", size-2), nil
	})
}

var resultTask = job.DefineResult[note, string]("note.write", job.Policy{Queue: notes(nil), MaxAttempts: 3, Timeout: 20 * time.Second})

func TestResultsInObjects(t *testing.T) {
	down := errors.New("SlowDown")
	for name, c := range map[string]struct {
		size   int
		edit   func(*worker.Config)
		fail   error
		state  lifecycle.State
		object bool
		code   string
	}{
		"at the limit":                   {claimcheck.DefaultOver, nil, nil, lifecycle.Done, false, ""},
		"over it":                        {claimcheck.DefaultOver + 1, nil, nil, lifecycle.Done, true, ""},
		"over a limit of one's own":      {101, func(c *worker.Config) { c.ClaimCheckOver = 100 }, nil, lifecycle.Done, true, ""},
		"more than a row holds":          {worker.MaxResult + 1, nil, nil, lifecycle.Done, true, ""},
		"as large as is kept":            {claimcheck.MaxBytes, nil, nil, lifecycle.Done, true, ""},
		"larger than that":               {claimcheck.MaxBytes + 1, nil, nil, lifecycle.Dead, false, "result_too_large"},
		"a storage that is down":         {worker.MaxResult, nil, down, lifecycle.Done, false, ""},
		"down, and too large for a row":  {worker.MaxResult + 1, nil, down, lifecycle.Queued, false, "result_not_kept"},
		"no objects, as large as a row":  {worker.MaxResult, func(c *worker.Config) { c.Objects = nil }, nil, lifecycle.Done, false, ""},
		"no objects, larger than a row":  {worker.MaxResult + 1, func(c *worker.Config) { c.Objects = nil }, nil, lifecycle.Dead, false, "result_too_large"},
		"no room beside large arguments": {worker.MaxResult, func(c *worker.Config) { c.ClaimCheckOver = worker.MaxResult }, nil, lifecycle.Done, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAttic(t, c.edit, giving(c.size))
			a.shelf.failPut = c.fail
			text := "a"
			if strings.HasPrefix(name, "no room") {
				text = strings.Repeat("a", 300<<10)
			}
			id := a.enqueue(text, nil)
			a.deliver(message(id))
			rec := a.get(id)
			if rec.State != c.state || (rec.ResultObject != nil) != c.object || (len(rec.Result) == c.size) != (c.state == lifecycle.Done && !c.object) {
				t.Errorf("%s, %d bytes in the row, object %+v", rec.State, len(rec.Result), rec.ResultObject)
			}
			if (rec.Error == nil) != (c.code == "") || rec.Error != nil && rec.Error.Code != c.code {
				t.Errorf("the error is %+v", rec.Error)
			}
			if rec.ResultObject == nil {
				return
			}
			if owner, ok := claimcheck.JobOf(rec.ResultObject.Key); !ok || owner != id {
				t.Errorf("%s belongs to %q", rec.ResultObject.Key, owner)
			}
			if data, err := a.objects.Get(t.Context(), *rec.ResultObject); err != nil || len(data) != c.size {
				t.Errorf("the object has %d bytes, %v", len(data), err)
			}
		})
	}
}

// A result is written before the row that names it, and by nobody again: an attempt
// that lost its lease leaves an object that no row names.
func TestTheResultOfALostLeaseIsAnOrphan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a *attic
		runs := 0
		slow := worker.HandleResult(resultTask, func(context.Context, *job.Job[note]) (string, error) {
			if runs++; runs == 1 {
				time.Sleep(10 * time.Second) // as if the process had been frozen
				a.steal()
			}
			return strings.Repeat("r", 9000), nil
		})
		a = newAttic(t, nil, slow)
		id := a.enqueue("a", nil)
		a.deliver(message(id))
		if keys := a.shelf.Keys(); len(keys) != 1 || a.get(id).ResultObject != nil {
			t.Fatalf("objects %q, the row names %+v", keys, a.get(id).ResultObject)
		}
		orphan := a.shelf.Keys()[0]
		time.Sleep(time.Hour)
		a.deliver(message(id))
		rec := a.get(id)
		if rec.State != lifecycle.Done || rec.ResultObject == nil || rec.ResultObject.Key == orphan || len(a.shelf.Keys()) != 2 {
			t.Errorf("%s names %+v, of %q", rec.State, rec.ResultObject, a.shelf.Keys())
		}
	})
}

// steal takes the only running job over, as another worker would after the lease.
func (a *attic) steal() {
	found, err := a.jobs.ScanPage(a.t.Context(), store.Scan{Segment: 0, Segments: 1})
	if err != nil || len(found.Jobs) != 1 {
		a.t.Fatalf("%+v, %v", found, err)
	}
	if _, err := a.jobs.TakeOver(a.t.Context(), found.Jobs[0], store.Lease{Token: "thief", Until: time.Now().Add(time.Minute), Alone: true}); err != nil {
		a.t.Fatal(err)
	}
}

// A commit whose answer was lost may have named its object: what the handler gives
// then is written elsewhere.
func TestACommitNamesAnObjectOfItsOwn(t *testing.T) {
	var a *attic
	h := worker.HandleResult(resultTask, func(ctx context.Context, j *job.Job[note]) (string, error) {
		commit := a.faults.Calls()
		a.faults.At = func(call int) fault.Kind {
			if call == commit {
				return fault.Lost
			}
			return fault.Down
		}
		err := worker.CommitResult(ctx, j, strings.Repeat("c", 9000))
		a.faults.At = nil
		if err == nil {
			t.Error("the commit should not know that it was applied")
		}
		return strings.Repeat("r", 9500), nil
	})
	a = newAttic(t, nil, h)
	id := a.enqueue("a", nil)
	a.deliver(message(id))
	rec := a.get(id)
	if rec.State != lifecycle.Done || rec.ResultObject == nil {
		t.Fatalf("%s, %+v", rec.State, rec.ResultObject)
	}
	if data, err := a.objects.Get(t.Context(), *rec.ResultObject); err != nil || string(data) != `"`+strings.Repeat("c", 9000)+`"` || len(a.shelf.Keys()) != 2 {
		t.Errorf("the row names %d bytes of %q: %v", len(data), a.shelf.Keys(), err)
	}
}

// A limit that could never hold is refused at the start.
func TestClaimCheckSettings(t *testing.T) {
	objects, err := claimcheck.New(memobjects.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		objects *claimcheck.Objects
		over    int
		says    string
	}{
		{nil, 0, ""}, {objects, 0, ""}, {objects, 1, ""}, {objects, worker.MaxResult, ""},
		{objects, worker.MaxResult + 1, "at most 262144"}, {objects, -1, "0 (the default) or more"}, {nil, 1, "claimcheck.New"},
	} {
		_, err := worker.New(worker.Config{
			Jobs: jobsOn(t, memstore.New(memstore.Config{})), Queue: &sqsFake{}, Objects: c.objects, ClaimCheckOver: c.over,
			Addresses: map[string]queue.Address{"notes": {URL: "u", Letters: "l"}},
		}, giving(2))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("over %d: %v, want %q", c.over, err, c.says)
		}
	}
}

// A message that comes again for a job that is done needs no object.
func TestADuplicateNeedsNoArguments(t *testing.T) {
	var seen []string
	a := newAttic(t, nil, keeping(&seen))
	id, claim := a.claimChecked("a")
	a.deliver(message(id))
	if err := a.objects.Delete(t.Context(), []string{claim.Key}); err != nil {
		t.Fatal(err)
	}
	a.shelf.failGet = errors.New("nobody should ask")
	if failed := a.deliver(message(id)); len(failed) != 0 || len(seen) != 1 || a.get(id).State != lifecycle.Done {
		t.Errorf("failed %v, %d runs, %s", failed, len(seen), a.get(id).State)
	}
}
