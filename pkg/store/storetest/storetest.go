// Package storetest is the suite that every store driver passes, and a check that
// no job's history leaves the state machine.
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Driver { return mydriver.New(…) })
//	}
//
// Each call of the constructor gives a driver of its own, or at least an empty
// table.
package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Constructor makes a driver over an empty table.
type Constructor func(t *testing.T) store.Driver

// Run runs the whole suite.
func Run(t *testing.T, construct Constructor) {
	t.Run("Driver", func(t *testing.T) { runDriver(t, construct) })
	t.Run("Jobs", func(t *testing.T) { runJobs(t, construct) })
	t.Run("Commit", func(t *testing.T) { runCommit(t, construct) })
	t.Run("Unique", func(t *testing.T) { runUnique(t, construct) })
	t.Run("Follow", func(t *testing.T) { runFollow(t, construct) })
	t.Run("Batch", func(t *testing.T) { runBatch(t, construct) })
	t.Run("Events", func(t *testing.T) { runEvents(t, construct) })
	t.Run("Marks", func(t *testing.T) { runMarks(t, construct) })
	t.Run("Counts", func(t *testing.T) { runCounts(t, construct) })
	t.Run("Gauge", func(t *testing.T) { runGauge(t, construct) })
}

// RunDriver runs the driver's part alone, for a table that holds no jobs. The due
// index is part of it.
func RunDriver(t *testing.T, construct Constructor) { runDriver(t, construct) }

// A Clock is a clock under test. It is for one goroutine.
type Clock struct{ now time.Time }

// NewClock makes a clock that stands at a whole second near the present: local
// endpoints delete rows whose time to live has passed by the real clock.
func NewClock() *Clock { return &Clock{now: time.Now().UTC().Truncate(time.Second)} }

// Now tells the time.
func (c *Clock) Now() time.Time { return c.now }

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) { c.now = c.now.Add(d) }

// CheckHistory fails the test where a row changed in a way that the state machine
// does not have. Old and new are nil where the row did not, or does not, exist.
func CheckHistory(t *testing.T, old, new store.Item) {
	t.Helper()
	from, before := decode(t, old)
	to, after := decode(t, new)
	if !before && !after {
		return
	}
	if after && from.Gone(to.Created) {
		from = store.Record{} // its time to live was over, and the id was used again
	}
	if !lifecycle.Legal(from.State, to.State) {
		t.Errorf("illegal transition of %s from %q to %q", to.ID, from.State, to.State)
	}
}

// decode reads a row; ok is false where there is none, or none of a job.
func decode(t *testing.T, item store.Item) (rec store.Record, ok bool) {
	t.Helper()
	if item == nil {
		return store.Record{}, false
	}
	rec, err := store.Decode(item)
	if err != nil && !errors.Is(err, store.ErrNotAJob) {
		t.Errorf("a row that does not decode: %v", err)
	}
	return rec, err == nil
}

// fixture is a table, a clock and the jobs in it.
type fixture struct {
	*testing.T
	driver store.Driver
	clock  *Clock
	jobs   *store.Jobs
}

func setup(t *testing.T, construct Constructor) fixture {
	t.Helper()
	f := fixture{T: t, driver: construct(t), clock: NewClock()}
	var err error
	if f.jobs, err = store.New(store.Config{Driver: f.driver, Now: f.clock.Now}); err != nil {
		t.Fatal(err)
	}
	return f
}

// enqueue makes a job and gives its record.
func (f fixture) enqueue(change ...func(*store.NewJob)) store.Record {
	f.Helper()
	id, err := f.jobs.NewID()
	if err != nil {
		f.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "photo.resize", Queue: "photos", Args: []byte(`{"key":"uploads/1"}`), MaxAttempts: 3}
	for _, c := range change {
		c(&n)
	}
	rec, made, err := f.jobs.Create(f.Context(), n)
	if err != nil || !made {
		f.Fatalf("Create: made %v, %v", made, err)
	}
	return rec
}

// lease draws a lease of a minute.
func (f fixture) lease() store.Lease {
	f.Helper()
	token, err := f.jobs.NewToken()
	if err != nil {
		f.Fatal(err)
	}
	return store.Lease{Token: token, Until: f.clock.Now().Add(time.Minute)}
}

// claim claims a job that is there to be had.
func (f fixture) claim(id job.ID, change ...func(*store.Lease)) store.Record {
	f.Helper()
	lease := f.lease()
	for _, c := range change {
		c(&lease)
	}
	claim, err := f.jobs.Claim(f.Context(), id, lease)
	if err != nil || !claim.Granted {
		f.Fatalf("Claim: granted %v, found %v, %v", claim.Granted, claim.Finding, err)
	}
	return claim.Record
}

// finish ends a run and gives the record.
func (f fixture) finish(claimed store.Record, outcome lifecycle.Outcome) store.Record {
	f.Helper()
	rec, err := f.jobs.Finish(f.Context(), claimed, outcome)
	if err != nil {
		f.Fatalf("Finish: %v", err)
	}
	return rec
}

// get reads a job that exists.
func (f fixture) get(id job.ID) store.Record {
	f.Helper()
	rec, err := f.jobs.Get(f.Context(), id)
	if err != nil {
		f.Fatalf("Get: %v", err)
	}
	return rec
}

// want compares a job's state.
func (f fixture) want(id job.ID, state lifecycle.State) store.Record {
	f.Helper()
	rec := f.get(id)
	if rec.State != state {
		f.Fatalf("job is %q, want %q", rec.State, state)
	}
	return rec
}

// must fails where a change did not happen.
func (f fixture) must(happened bool, err error) {
	f.Helper()
	if err != nil || !happened {
		f.Fatalf("happened %v, %v", happened, err)
	}
}

// mustNot fails where a change happened that should not.
func (f fixture) mustNot(happened bool, err error) {
	f.Helper()
	if err != nil || happened {
		f.Fatalf("happened %v, %v", happened, err)
	}
}
