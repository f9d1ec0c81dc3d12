package storetest

import (
	"errors"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// inSpill gives the spilled jobs, the oldest first.
func (f fixture) inSpill(until time.Time) (all []store.DueJob) {
	f.Helper()
	for shard := range store.DueShards {
		for start := store.Item(nil); ; {
			page, next, err := f.jobs.Spilled(f.Context(), "photos", shard, until, 2, start)
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, page...)
			if start = next; next == nil {
				break
			}
		}
	}
	slices.SortFunc(all, func(a, b store.DueJob) int { return a.Due.Compare(b.Due) })
	return all
}

// letOut releases what is spilled.
func (f fixture) letOut(want int, hard *store.Bound) {
	f.Helper()
	n, err := f.jobs.ReleaseSpilled(f.Context(), f.inSpill(f.clock.Now()), f.clock.Now(), time.Second, hard)
	if err != nil || n != want {
		f.Fatalf("%d were released, %v; want %d", n, err, want)
	}
}

func spillWaits(f fixture) {
	var made []store.Record
	for range 5 {
		made = append(made, f.enqueue(spilled(100, 3)))
		f.clock.Advance(time.Second)
	}
	timed := f.enqueue(spilled(100, 3), func(n *store.NewJob) { n.NotBefore = f.clock.Now().Add(time.Minute) })
	if rec := f.get(made[0].ID); rec.State != lifecycle.Scheduled || !rec.Spilled || rec.Publication != nil || !rec.NotBefore.IsZero() {
		f.Fatalf("it is %+v", rec)
	}
	claim, err := f.jobs.Claim(f.Context(), made[0].ID, f.lease())
	if err != nil || claim.Finding != lifecycle.Finished {
		f.Errorf("Claim = %+v, %v", claim, err)
	}
	found := f.inSpill(f.clock.Now())
	for i, due := range found {
		if due.ID != made[i].ID {
			f.Errorf("place %d has %s", i, due.ID)
		}
	}
	if len(found) != 5 {
		f.Fatalf("%d are found", len(found))
	}
	f.counted(store.CountSpilled, 6)
	now := f.clock.Now()
	f.letOut(5, nil)
	f.counted(store.CountSpilled, 1)
	for i, rec := range made {
		rec = f.want(rec.ID, lifecycle.Queued)
		if want := now.Add(time.Duration(i) * time.Second); rec.Spilled || rec.Publication == nil || rec.N != 1 || !rec.Publication.At.Equal(want) {
			f.Errorf("released as %+v, %+v; want %v", rec, rec.Publication, want)
		}
	}
	if n, err := f.jobs.ReleaseSpilled(f.Context(), found, now, 0, nil); n != 0 || err != nil {
		f.Errorf("once more: %d, %v", n, err)
	}
	f.counted(store.CountSpilled, 1)
	f.clock.Advance(time.Minute)
	f.letOut(1, nil) // its time has come
	f.counted(store.CountSpilled, 0)
	f.done(timed.ID)
}

func spillCancelled(f fixture) {
	made := f.enqueue(spilled(1, 1))
	if _, err := f.jobs.Cancel(f.Context(), made.ID, ""); err != nil {
		f.Fatal(err)
	}
	f.letOut(0, nil)
	f.want(made.ID, lifecycle.Cancelled)
	f.enqueue(spilled(1, 1))
	follow, err := store.NewFollow([]store.FollowUp{telling}, nil)
	if err != nil {
		f.Fatal(err)
	}
	followed := f.enqueue(spilled(2, 1), func(n *store.NewJob) { n.Follow = follow })
	if _, err := f.jobs.Cancel(f.Context(), followed.ID, ""); err != nil {
		f.Fatal(err)
	}
	f.wantFollowers(followed.ID, 1)
	f.counted(store.CountSpilled, 1)
}

func spillMoved(f fixture) {
	made := f.enqueue(spilled(1, 1))
	at := f.clock.Now().Truncate(time.Minute).Add(time.Hour)
	f.must(f.jobs.Move(f.Context(), made.ID, at))
	f.letOut(0, nil)
	rec := f.want(made.ID, lifecycle.Scheduled)
	if rec.Spilled {
		f.Error("it has a time, and is spilled still")
	}
	f.release(1, rec)
	f.release(0, rec)
	f.counted(store.CountSpilled, 0)
	f.clock.Advance(time.Hour)
	due := f.dueNow(at, f.clock.Now())
	if len(due) != 1 {
		f.Fatalf("%d are due", len(due))
	}
	f.must(f.jobs.Promote(f.Context(), due[0]))
	f.done(made.ID)
}

func spillReplaced(f fixture) {
	newest := store.Unique{Key: "k", NewestWins: true}
	made := f.only(newest, spilled(1, 1))
	f.taken(newest, made.ID, spilled(1, 1), func(n *store.NewJob) { n.Args = []byte(`{"week":2}`) })
	rec := f.get(made.ID)
	if string(rec.Args) != `{"week":2}` || !rec.Spilled {
		f.Errorf("it is %+v", rec)
	}
	f.counted(store.CountSpilled, 1)
	f.letOut(1, nil)
}

// spillShared: of two sweeps that read the same, one releases; the operator's word counts
// for neither.
func spillShared(f fixture) {
	rate := func() store.SpillRate {
		rates, err := f.jobs.SpillRates(f.Context())
		if err != nil {
			f.Fatal(err)
		}
		return rates["photos"]
	}
	for range 2 { // the first release of all, and one that follows
		read, until := rate(), f.clock.Now()
		f.must(f.jobs.BeginRelease(f.Context(), "photos", read, until))
		f.mustNot(f.jobs.BeginRelease(f.Context(), "photos", read, until.Add(time.Second)))
		if got := rate(); !got.Released.Equal(until) {
			f.Errorf("%+v, want %v", got, until)
		}
		f.clock.Advance(time.Minute)
	}
	read := rate()
	if err := f.jobs.SetSpillRate(f.Context(), "photos", 7.5, true); err != nil {
		f.Fatal(err)
	}
	f.must(f.jobs.BeginRelease(f.Context(), "photos", read, f.clock.Now()))
	if got := rate(); got.Rate != 7.5 || !got.Paused {
		f.Errorf("%+v", got)
	}
}

func spillBounded(f fixture) {
	for range 7 {
		f.enqueue(spilled(7, 2))
	}
	f.full(spilled(7, 2))
	f.full(spilled(7, 2), hard(100, 1))
	f.letOut(7, nil)
	f.enqueue(spilled(7, 2), hard(100, 1))
}

func spillIntoHard(f fixture) {
	bound := &store.Bound{Limit: 2, Shards: 1}
	for range 3 {
		f.enqueue(spilled(10, 2), hard(2, 1))
	}
	f.counted(store.CountHard, 0)
	f.mustNot(f.jobs.Move(f.Context(), f.inSpill(f.clock.Now())[0].ID, f.clock.Now())) // past the count
	all := f.inSpill(f.clock.Now())
	n, err := f.jobs.ReleaseSpilled(f.Context(), all, f.clock.Now(), 0, bound)
	if n != 2 || !errors.Is(err, store.ErrFull) {
		f.Fatalf("%d released into two places, %v", n, err)
	}
	f.counted(store.CountHard, 2)
	f.counted(store.CountSpilled, 1)
	f.full(hard(2, 1))
	for _, due := range all[:2] {
		f.release(1, f.done(due.ID))
	}
	f.letOut(1, bound)
	f.counted(store.CountHard, 1)
}

func replaceOnly(f fixture) {
	newest := store.Unique{Key: "k", NewestWins: true}
	only := func(n *store.NewJob) { n.OnlyReplacing = true }
	key := func(rule store.Unique) func(*store.NewJob) { return func(n *store.NewJob) { n.Unique = &rule } }
	f.full(only)
	f.full(only, key(newest))
	made := f.only(newest)
	f.taken(newest, made.ID, only, func(n *store.NewJob) { n.Args, n.Degraded = []byte(`{"week":2}`), true })
	if rec := f.get(made.ID); string(rec.Args) != `{"week":2}` || !rec.Degraded {
		f.Errorf("it was given %s, degraded %v", rec.Args, rec.Degraded)
	}
	f.full(only, key(store.Unique{Key: "other", NewestWins: true}))
	claimed := f.claim(made.ID)
	// The unique helper's task: it runs, and one more would wait.
	n := f.newJob(only, key(newest), func(n *store.NewJob) { n.Task = "trending.count" })
	if _, made, err := f.jobs.Create(f.Context(), n); made || !errors.Is(err, store.ErrFull) {
		f.Errorf("beside a running one: made %v, %v", made, err)
	}
	f.finish(claimed, lifecycle.Outcome{To: lifecycle.Done})

	known := f.newJob(func(n *store.NewJob) { n.Fingerprint = "f" })
	if _, _, err := f.jobs.Create(f.Context(), known); err != nil {
		f.Fatal(err)
	}
	known.OnlyReplacing = true
	if rec, made, err := f.jobs.Create(f.Context(), known); made || err != nil || rec.ID != known.ID {
		f.Errorf("the same request, when it is full: %+v, %v, %v", rec, made, err)
	}
}

func replaceAsOf(f fixture) {
	newest := store.Unique{Key: "k", NewestWins: true}
	noon := f.clock.Now()
	asOf := func(at time.Time, args string) func(*store.NewJob) {
		return func(n *store.NewJob) { n.AsOf, n.Args = at, []byte(args) }
	}
	wants := func(id job.ID, args string) {
		f.Helper()
		if rec := f.get(id); string(rec.Args) != args {
			f.Errorf("it was given %s, want %s", rec.Args, args)
		}
	}
	made := f.only(newest, asOf(noon, `{"at":12}`))
	f.taken(newest, made.ID, asOf(noon.Add(time.Hour), `{"at":13}`))
	wants(made.ID, `{"at":13}`)
	f.taken(newest, made.ID, asOf(noon.Add(time.Minute), `{"at":12.1}`))
	wants(made.ID, `{"at":13}`)
	f.taken(newest, made.ID, asOf(noon.Add(time.Hour), `{"at":13,"again":true}`))
	wants(made.ID, `{"at":13,"again":true}`)
	f.claim(made.ID)
	f.taken(newest, made.ID, asOf(noon, `{"at":12}`)) // it would run after the later one
	f.only(newest, asOf(noon.Add(2*time.Hour), `{"at":14}`))
}
