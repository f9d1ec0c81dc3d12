package scaling_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/mapping"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

var errAway = errors.New("it is away")

// A world is a table, four queues and their mappings, which take a while to follow.
//
//	photos      10 to 40 workers, each an invocation
//	newsletter  20 workers
//	search      12 workers, four to an invocation
//	videos      polled by processes
type world struct {
	rows  store.Driver
	t     testing.TB
	now   time.Time
	plans map[string]sizing.Plan
	maps  map[string]*fakeMapping
	depth map[string]queue.Depth
	ages  map[string]time.Duration
	desk  *scaling.Desk

	age    func(context.Context, string) (time.Duration, error)
	budget int
	mu     sync.Mutex // over calls: a gauge reads side by side
	calls  int
	// failAt is the call to anything that fails, counted from 1; applied tells that
	// it is carried out all the same.
	failAt  int
	applied bool
}

// A fakeMapping follows a change when somebody has looked at it slow times.
type fakeMapping struct {
	mapping.State
	slow, pending int
	busy          error
	gone          bool
	sets          int
}

func newWorld(t testing.TB) *world {
	w := &world{
		rows: memstore.New(memstore.Config{}), t: t, now: time.Unix(1_800_000_000, 0).UTC(), plans: map[string]sizing.Plan{},
		maps: map[string]*fakeMapping{}, depth: map[string]queue.Depth{}, ages: map[string]time.Duration{},
	}
	for _, q := range []job.Queue{
		{Name: "photos", PeakArrivals: 2.3, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, MostWorkers: 40},
		{Name: "newsletter", PeakArrivals: 4.6, ServiceTime: 3 * time.Second, LongestWait: time.Hour},
		{Name: "search", PeakArrivals: 2.3, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, Batch: 4},
		{Name: "videos", PeakArrivals: 2.3, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, Polled: true},
	} {
		plan, err := sizing.For(q, 50*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		w.plans[q.Name] = plan
		if !q.Polled {
			w.maps[q.Name] = &fakeMapping{State: mapping.State{Enabled: true, Settled: true, Name: "Enabled", Concurrency: plan.MaximumConcurrency}}
		}
	}
	w.age = func(_ context.Context, queue string) (time.Duration, error) { return w.ages[queue], nil }
	desk, err := scaling.NewDesk(w.jobs(), func() time.Time { return w.now })
	if err != nil {
		t.Fatal(err)
	}
	w.desk = desk
	return w
}

func (w *world) jobs() *store.Jobs {
	jobs, err := store.New(store.Config{Driver: table{w.rows, w}, Now: func() time.Time { return w.now }})
	if err != nil {
		w.t.Fatal(err)
	}
	return jobs
}

// run makes a new function, as after a crash, and lets it run once.
func (w *world) run() error {
	w.t.Helper()
	uuids, urls := map[string]string{}, map[string]string{}
	for name := range w.maps {
		uuids[name], urls[name] = "uuid-of-"+name, name
	}
	f, err := scaling.New(scaling.Config{
		Jobs: w.jobs(), Plans: w.plans, Mappings: uuids, URLs: urls, Lambda: w, Depths: w, Budget: w.budget,
		Age:    w.age,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: func() time.Time { return w.now },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return f.Handle(w.t.Context())
}

// minutes lets minutes pass, with a run in each.
func (w *world) minutes(n int) {
	w.t.Helper()
	for range n {
		w.now = w.now.Add(time.Minute)
		if err := w.run(); err != nil {
			w.t.Fatal(err)
		}
	}
}

// strike makes a call that may be struck.
func (w *world) strike(call func() error) error {
	w.mu.Lock()
	w.calls++
	struck := w.calls == w.failAt
	w.mu.Unlock()
	if !struck {
		return call()
	}
	if w.applied {
		_ = call() // nobody learns how it went
	}
	return errAway
}

// A table is the world's, whose calls may be struck.
type table struct {
	store.Driver
	w *world
}

func (t table) Write(ctx context.Context, in store.Write) (item store.Item, err error) {
	failed := t.w.strike(func() error { item, err = t.Driver.Write(ctx, in); return err })
	return item, failed
}

func (t table) Query(ctx context.Context, in store.Query) (page store.Page, err error) {
	failed := t.w.strike(func() error { page, err = t.Driver.Query(ctx, in); return err })
	return page, failed
}

func (w *world) Depth(_ context.Context, url string) (depth queue.Depth, err error) {
	err = w.strike(func() error { depth = w.depth[url]; return nil })
	return depth, err
}

func (w *world) find(uuid string) *fakeMapping {
	m := w.maps[uuid[len("uuid-of-"):]]
	if m == nil {
		w.t.Fatalf("there is no mapping %s", uuid)
	}
	return m
}

func (w *world) Get(_ context.Context, uuid string) (state mapping.State, err error) {
	err = w.strike(func() error {
		m := w.find(uuid)
		if m.gone {
			return mapping.ErrGone
		}
		if m.pending > 0 {
			if m.pending--; m.pending == 0 {
				m.Settled = true
			}
		}
		state = m.State
		return nil
	})
	return state, err
}

func (w *world) Set(_ context.Context, uuid string, c mapping.Change) error {
	return w.strike(func() error {
		m := w.find(uuid)
		if m.busy != nil {
			return m.busy
		}
		if !m.Settled {
			return fmt.Errorf("%w: it is being updated", mapping.ErrBusy)
		}
		m.sets++
		if c.Concurrency != 0 {
			m.Concurrency = c.Concurrency
		}
		if c.Enabled != nil {
			m.Enabled = *c.Enabled
		}
		if m.slow > 0 {
			m.pending, m.Settled = m.slow, false
		}
		return nil
	})
}

// stands tells how mappings stand: "photos 10, newsletter paused".
func (w *world) stands(names ...string) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		if m := w.maps[name]; m.Enabled {
			text += fmt.Sprintf("%s %d", name, m.Concurrency)
		} else {
			text += name + " paused"
		}
	}
	return text
}

func (w *world) want(names string, want ...string) {
	w.t.Helper()
	if got := w.stands(want...); got != names {
		w.t.Errorf("%s, want %s", got, names)
	}
}

func (w *world) lend(from, to string, share float64, lasts time.Duration) {
	w.t.Helper()
	if _, err := w.desk.Lend(w.t.Context(), from, to, share, lasts); err != nil {
		w.t.Fatal(err)
	}
}

// busy lets a queue have so much to do that it is not short.
func (w *world) busy(name string) { w.depth[name] = queue.Depth{Visible: 300, InFlight: 10} }
