package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func runUnique(t *testing.T, construct Constructor) {
	tests := map[string]func(fixture){
		"the second gets the first's job":              uniqueSecond,
		"keys of other tasks are other keys":           uniqueTasks,
		"every end frees the key":                      uniqueEnds,
		"a key is taken for a period":                  uniquePeriod,
		"the newest wins over a waiting job":           uniqueNewest,
		"the newest runs after a running job":          uniqueNewestRunning,
		"the newest begins at its beginning":           uniqueNewestBegins,
		"a redrive regains the key":                    uniqueRedrive,
		"a redrive is refused while another has it":    uniqueRedriveRefused,
		"the same request of a unique job is the same": uniqueRepeated,
		"a lock is freed when its job has ended":       uniqueFree,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(setup(t, construct)) })
	}
}

// unique asks for a job with a key.
func (f fixture) unique(rule store.Unique, change ...func(*store.NewJob)) (store.Record, bool) {
	f.Helper()
	id, err := f.jobs.NewID()
	if err != nil {
		f.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "trending.count", Queue: "photos", Args: []byte(`{"week":1}`), MaxAttempts: 3, Unique: &rule}
	for _, c := range change {
		c(&n)
	}
	rec, made, err := f.jobs.Create(f.Context(), n)
	if err != nil {
		f.Fatal(err)
	}
	return rec, made
}

// only makes a job with a key that is free.
func (f fixture) only(rule store.Unique, change ...func(*store.NewJob)) store.Record {
	f.Helper()
	rec, made := f.unique(rule, change...)
	if !made {
		f.Fatalf("the key is taken by %s, which is %s", rec.ID, rec.State)
	}
	return rec
}

// taken asks for a key that another job has.
func (f fixture) taken(rule store.Unique, holder job.ID, change ...func(*store.NewJob)) {
	f.Helper()
	if rec, made := f.unique(rule, change...); made || rec.ID != holder {
		f.Fatalf("made %v %s, want the holder %s", made, rec.ID, holder)
	}
}

var daily = store.Unique{Key: "day/1"}

func uniqueSecond(f fixture) {
	first := f.only(daily)
	if f.get(first.ID).Unique != daily.Key {
		f.Error("the row does not know its key")
	}
	f.taken(daily, first.ID)
	claimed := f.claim(first.ID)
	f.taken(daily, first.ID)
	f.finish(claimed, lifecycle.Outcome{To: lifecycle.Scheduled, Wait: time.Hour})
	f.taken(daily, first.ID)
	if locks := f.locks(); len(locks) != 1 || !locks[0].Until.IsZero() {
		f.Errorf("a lock without a period: %+v", locks)
	}
}

func uniqueTasks(f fixture) {
	f.only(store.Unique{Key: "b#c"})
	f.only(store.Unique{Key: "b"})
	f.only(store.Unique{Key: "b#c"}, func(n *store.NewJob) { n.Task = "other.task" })
}

func uniqueEnds(f fixture) {
	for _, outcome := range []lifecycle.Outcome{
		{To: lifecycle.Done}, {To: lifecycle.Cancelled}, {To: lifecycle.Dead, Err: errors.New("corrupt")},
	} {
		f.finish(f.claim(f.only(daily).ID), outcome)
	}
	waiting := f.only(daily)
	if _, err := f.jobs.Cancel(f.Context(), waiting.ID, ""); err != nil {
		f.Fatal(err)
	}
	refused := f.only(daily)
	if err := f.jobs.Undeliverable(f.Context(), refused, errors.New("InvalidMessageContents")); err != nil {
		f.Fatal(err)
	}
	gone := f.only(daily)
	f.finish(f.claim(gone.ID), lifecycle.Outcome{To: lifecycle.Done})
	f.clock.Advance(lifecycle.DoneRetention)
	f.only(daily)
}

func uniquePeriod(f fixture) {
	hourly := store.Unique{Key: "hour", For: time.Hour}
	first := f.only(hourly)
	f.finish(f.claim(first.ID), lifecycle.Outcome{To: lifecycle.Done})
	f.clock.Advance(time.Hour - time.Second)
	f.taken(hourly, first.ID)
	f.clock.Advance(time.Second)
	second := f.only(hourly)
	f.clock.Advance(2 * time.Hour)
	f.taken(hourly, second.ID) // it has not run yet
	f.finish(f.claim(second.ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	f.only(hourly)
}

var newest = store.Unique{Key: "list", NewestWins: true}

func uniqueNewest(f fixture) {
	first := f.only(newest)
	f.taken(newest, first.ID, func(n *store.NewJob) { n.Args, n.Version = []byte(`{"week":2}`), 2 })
	if rec := f.get(first.ID); string(rec.Args) != `{"week":2}` || rec.Version != 2 {
		f.Errorf("the waiting job has the arguments %s of version %d", rec.Args, rec.Version)
	}
	f.taken(newest, first.ID, func(n *store.NewJob) {
		n.Args, n.ArgsObject = nil, &lifecycle.Object{Key: "jobs/1/args", Bytes: 1 << 20}
	})
	rec := f.get(first.ID)
	if rec.Args != nil || rec.ArgsObject == nil || *rec.ArgsObject != (lifecycle.Object{Key: "jobs/1/args", Bytes: 1 << 20}) || rec.Version != 1 {
		f.Errorf("the waiting job has %s and %+v", rec.Args, rec.ArgsObject)
	}
}

func uniqueNewestRunning(f fixture) {
	first := f.only(newest)
	claimed := f.claim(first.ID)
	second := f.only(newest, func(n *store.NewJob) { n.Args = []byte(`{"week":2}`) })
	f.taken(newest, second.ID, func(n *store.NewJob) { n.Args = []byte(`{"week":3}`) })
	f.finish(claimed, lifecycle.Outcome{To: lifecycle.Done})
	f.taken(newest, second.ID)
	if got := f.get(first.ID); string(got.Args) != `{"week":1}` {
		f.Errorf("the running job was given %s", got.Args)
	}
}

func uniqueRedrive(f fixture) {
	first := f.only(daily)
	dead := f.finish(f.claim(first.ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	f.must(f.jobs.Redrive(f.Context(), dead))
	f.mustNot(f.jobs.Redrive(f.Context(), dead))
	f.want(first.ID, lifecycle.Queued)
	f.taken(daily, first.ID)
}

func uniqueRedriveRefused(f fixture) {
	first := f.only(daily)
	dead := f.finish(f.claim(first.ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	second := f.only(daily)
	if done, err := f.jobs.Redrive(f.Context(), dead); done || !errors.Is(err, store.ErrDuplicate) {
		f.Errorf("redriven %v, %v, want ErrDuplicate", done, err)
	}
	f.want(first.ID, lifecycle.Dead)
	f.finish(f.claim(second.ID), lifecycle.Outcome{To: lifecycle.Done})
	f.must(f.jobs.Redrive(f.Context(), dead))
	f.taken(daily, first.ID)
}

func uniqueRepeated(f fixture) {
	request := func(n *store.NewJob) { n.ID, n.Fingerprint = job.IDOf([16]byte{7}), "body" }
	first := f.only(daily, request)
	f.taken(daily, first.ID, request)
	rule := daily
	_, _, err := f.jobs.Create(f.Context(), store.NewJob{ID: first.ID, Task: "trending.count", Queue: "photos", Fingerprint: "other", Unique: &rule})
	if !errors.Is(err, store.ErrOtherRequest) {
		f.Errorf("Create = %v, want ErrOtherRequest", err)
	}
}

// A cursor leads through the arguments that it was saved with, and through no others.
func uniqueNewestBegins(f fixture) {
	first := f.only(newest)
	claimed := f.claim(first.ID)
	if _, err := f.jobs.Report(f.Context(), claimed, []byte(`{"pages":7}`), time.Time{}); err != nil {
		f.Fatal(err)
	}
	f.finish(claimed, lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true, Cursor: 7})
	if rec := f.get(first.ID); string(rec.Cursor) != "7" || rec.Progress == nil {
		f.Fatalf("the job that goes on has the cursor %s and the progress %s", rec.Cursor, rec.Progress)
	}
	f.taken(newest, first.ID, func(n *store.NewJob) { n.Args = []byte(`{"week":2}`) })
	if rec := f.get(first.ID); rec.Cursor != nil || rec.Progress != nil || string(rec.Args) != `{"week":2}` {
		f.Errorf("the newer arguments %s begin at %s, with the progress %s", rec.Args, rec.Cursor, rec.Progress)
	}
}

// locks gives every lock of the table.
func (f fixture) locks() []store.Lock {
	f.Helper()
	found, err := f.jobs.ScanPage(f.Context(), store.Scan{})
	if err != nil || found.Next != nil {
		f.Fatalf("ScanPage: more %v, %v", found.Next, err)
	}
	return found.Locks
}

func uniqueFree(f fixture) {
	hourly := store.Unique{Key: "a#b", For: time.Hour}
	first := f.only(hourly)
	locks := f.locks()
	if len(locks) != 1 || locks[0].Task != "trending.count" || locks[0].Key != "a#b" || locks[0].Job != first.ID {
		f.Fatalf("locks %+v", locks)
	}
	f.mustNot(f.jobs.Free(f.Context(), locks[0]))
	f.finish(f.claim(first.ID), lifecycle.Outcome{To: lifecycle.Done})
	f.mustNot(f.jobs.Free(f.Context(), locks[0]))
	f.clock.Advance(time.Hour)
	second := f.only(hourly) // takes it over
	f.finish(f.claim(second.ID), lifecycle.Outcome{To: lifecycle.Cancelled})
	f.mustNot(f.jobs.Free(f.Context(), locks[0])) // as it was before
	f.must(f.jobs.Free(f.Context(), f.locks()[0]))
	if left := f.locks(); len(left) != 0 {
		f.Errorf("locks %+v", left)
	}
}
