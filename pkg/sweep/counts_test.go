package sweep_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// A crowd is a table on which many write at once, watched after each write: never are
// more jobs unfinished in the queue than its limit, nor more spilled.
type crowd struct {
	*memstore.Driver
	t            *testing.T
	limit, spill int

	mu                  sync.Mutex
	seen                int
	unfinished, spilled int
	failed              bool
}

func (c *crowd) Write(ctx context.Context, w store.Write) (store.Item, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, err := c.Driver.Write(ctx, w)
	c.watch()
	return item, err
}

func (c *crowd) Transact(ctx context.Context, token string, writes []store.Write) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.Driver.Transact(ctx, token, writes)
	c.watch()
	return err
}

func (c *crowd) watch() {
	changes, _ := c.Changes(c.seen)
	c.seen += len(changes)
	for _, change := range changes {
		c.count(change.Old, -1)
		c.count(change.New, 1)
	}
	if (c.unfinished > c.limit || c.spilled > c.spill) && !c.failed {
		c.failed = true
		c.t.Errorf("%d jobs are unfinished and %d spilled; the limits are %d and %d", c.unfinished, c.spilled, c.limit, c.spill)
	}
}

func (c *crowd) count(item store.Item, by int) {
	rec, err := store.Decode(item)
	switch {
	case err != nil || rec.State.Final():
	case rec.Spilled:
		c.spilled += by
	default:
		c.unfinished += by
	}
}

// An actor does what producers, workers, operators and sweeps do, over a table that
// breaks now and then, and forgets what it did.
type actor struct {
	jobs   *store.Jobs
	random *rand.Rand
	hard   *store.Bound
	spill  *store.Bound
	ids    []job.ID
}

func (a *actor) act(ctx context.Context) error {
	switch n := a.random.IntN(12); {
	case n < 5 || len(a.ids) == 0:
		return a.create(ctx)
	case n < 8:
		return a.work(ctx, a.some())
	case n == 8:
		_, err := a.jobs.Cancel(ctx, a.some(), "")
		return err
	case n == 9:
		rec, err := a.jobs.Get(ctx, a.some())
		if err == nil && rec.State == lifecycle.Dead {
			_, err = a.jobs.Redrive(ctx, rec)
		}
		return err
	case n == 10:
		rec, err := a.jobs.Get(ctx, a.some())
		if err == nil {
			_, err = a.jobs.Release(ctx, rec)
		}
		return err
	}
	due, _, err := a.jobs.Spilled(ctx, "photos", a.random.IntN(store.DueShards), time.Now(), 5, nil)
	if err == nil {
		_, err = a.jobs.ReleaseSpilled(ctx, due, time.Now(), 0, a.hard)
	}
	return err
}

func (a *actor) some() job.ID { return a.ids[a.random.IntN(len(a.ids))] }

func (a *actor) create(ctx context.Context) error {
	id, err := a.jobs.NewID()
	if err != nil {
		return err
	}
	n := store.NewJob{ID: id, Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 3, Fingerprint: "f", Hard: a.hard}
	switch a.random.IntN(4) {
	case 0:
		n.Unique = &store.Unique{Key: string(rune('a' + a.random.IntN(6))), NewestWins: a.random.IntN(2) == 0}
	case 1:
		n.Spill = a.spill
	}
	a.ids = append(a.ids, id)
	var errs []error
	for range 1 + a.random.IntN(2) { // and the request comes once more
		if a.random.IntN(5) == 0 {
			errs = append(errs, a.jobs.TransactMaking(ctx, []store.NewJob{n}))
			continue
		}
		_, _, err := a.jobs.Create(ctx, n)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// work runs a job and, now and then, gives its place back.
func (a *actor) work(ctx context.Context, id job.ID) error {
	token, err := a.jobs.NewToken()
	if err != nil {
		return err
	}
	claim, err := a.jobs.Claim(ctx, id, store.Lease{Token: token, Until: time.Now().Add(time.Hour), Alone: true})
	if err != nil || !claim.Granted {
		return err
	}
	outcome := []lifecycle.Outcome{
		{To: lifecycle.Done}, {To: lifecycle.Dead, Err: errors.New("no")}, {To: lifecycle.Cancelled}, {To: lifecycle.Queued, GiveBack: true},
	}[a.random.IntN(4)]
	rec, err := a.jobs.Finish(ctx, claim.Record, outcome)
	if err == nil && a.random.IntN(2) == 0 {
		_, err = a.jobs.Release(ctx, rec)
	}
	return err
}

// Whatever fails, and whoever comes when: never above the limit, and when everything
// has ended and the scan has run, exactly nothing is counted.
func TestCountsHoldUnderAnyInterleaving(t *testing.T) {
	for _, c := range []struct{ limit, shards int }{{1, 1}, {7, 2}, {40, 4}} {
		w := &crowd{Driver: memstore.New(memstore.Config{}), t: t, limit: c.limit, spill: c.limit}
		breaking(t, w, c.limit, c.shards)
		jobs := jobsOn(t, w.Driver)
		endAll(t, jobs)
		scanOnce(t, w)
		for _, count := range []store.Count{store.CountHard, store.CountSpilled} {
			counters, err := jobs.Counters(t.Context(), count, "photos", c.shards)
			if err != nil || len(counters) == 0 {
				t.Errorf("no counters, %v", err)
			}
			for _, c := range counters {
				if c.Used != 0 {
					t.Errorf("shard %d counts %d %s jobs, and all have ended", c.Shard, c.Used, count)
				}
			}
		}
		fill(t, w, c.shards)
	}
}

// fill makes jobs, over a table that works, until one is refused: every place is there again.
func fill(t *testing.T, w *crowd, shards int) {
	jobs := jobsOn(t, w)
	for {
		id, err := jobs.NewID()
		if err != nil {
			t.Fatal(err)
		}
		n := store.NewJob{ID: id, Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 3, Hard: &store.Bound{Limit: w.limit, Shards: shards}}
		if _, _, err = jobs.Create(t.Context(), n); errors.Is(err, store.ErrFull) && w.unfinished == w.limit {
			return
		}
		if err != nil || w.unfinished > w.limit {
			t.Fatalf("%d of %d places are used: %v", w.unfinished, w.limit, err)
		}
	}
}

// breaking lets many act at once, over a table of which a fifth of the calls fail.
func breaking(t *testing.T, w *crowd, limit, shards int) {
	var actors sync.WaitGroup
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, uint64(limit)))
		faults := &fault.Driver{Inner: w, At: func(int) fault.Kind {
			if random.IntN(5) > 0 {
				return fault.None
			}
			return fault.Kinds()[random.IntN(len(fault.Kinds()))]
		}}
		jobs, err := store.New(store.Config{Driver: faults, Pause: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		if err != nil {
			t.Fatal(err)
		}
		a := &actor{jobs: jobs, random: random, hard: &store.Bound{Limit: limit, Shards: shards}, spill: &store.Bound{Limit: limit, Shards: shards}}
		actors.Go(func() {
			for range limit / 4 {
				_ = a.create(t.Context())
			}
			for range 150 {
				_ = a.act(t.Context()) // most are injected, and none matters to what holds
			}
		})
	}
	actors.Wait()
}

// endAll ends every job without giving its place back.
func endAll(t *testing.T, jobs *store.Jobs) {
	var all []store.Record
	for start := store.Item(nil); ; {
		page, err := jobs.ScanPage(t.Context(), store.Scan{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Jobs...)
		if start = page.Next; start == nil {
			break
		}
	}
	for _, rec := range all {
		switch rec.State {
		case lifecycle.Queued:
			claim, err := jobs.Claim(t.Context(), rec.ID, store.Lease{Token: string(rec.ID), Until: time.Now().Add(time.Hour), Alone: true})
			if err != nil || !claim.Granted {
				t.Fatalf("claiming %+v: %v", rec, err)
			}
			rec = claim.Record
			fallthrough
		case lifecycle.Running:
			if _, err := jobs.Finish(t.Context(), rec, lifecycle.Outcome{To: lifecycle.Done}); err != nil {
				t.Fatal(err)
			}
		case lifecycle.Scheduled:
			if _, err := jobs.Cancel(t.Context(), rec.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// scanOnce lets the sweep go through the whole table once, with its recount.
func scanOnce(t *testing.T, w *crowd) {
	plan := sizing.Plan{Queue: job.Queue{Name: "photos", Hard: true, PeakArrivals: 1000, SpillLimit: 1000}, Limit: 1000}
	s, err := sweep.New(sweep.Config{
		Jobs: jobsOn(t, w), Plans: map[string]sizing.Plan{"photos": plan}, Addresses: map[string]queue.Address{},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), SegmentsPerRun: sweep.Segments,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if err := s.Handle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
