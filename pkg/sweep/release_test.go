package sweep_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

func TestSpilledJobsAreReleasedAsThereIsRoom(t *testing.T) {
	b := newBasin(t)
	ids := b.spill(t, "photos", 200)
	b.depths[basinURL] = 100
	b.minute()
	if n := len(b.released(ids)); n != 0 {
		t.Fatalf("%d were released into a full queue", n)
	}
	b.depths[basinURL] = 40 // and 3 in flight, as this world counts: 14 below the mark of 57
	b.minute()
	out := b.released(ids)
	if !slices.Equal(out, ids[:14]) {
		t.Fatalf("%d were released; want the 14 oldest in their order", len(out))
	}
	first, last := b.get(out[0]).Publication.At, b.get(out[13]).Publication.At
	if spread := last.Sub(first); spread < 50*time.Second || spread > time.Minute || first.Before(b.now) {
		t.Errorf("they come up from %v on, within %v", first.Sub(b.now), spread)
	}
	b.depths[basinURL] = 0
	b.minute()
	if n := len(b.released(ids)); n != 14+54 {
		t.Errorf("%d are released; a minute's room is 54, its rate 60", n-14)
	}
}

func TestAnOperatorSetsTheRateOfRelease(t *testing.T) {
	b := newBasin(t, func(p *sizing.Plan) { p.Limit = 100_000 })
	ids := b.spill(t, "photos", 200)
	set := func(rate job.Rate, paused bool, want int) {
		t.Helper()
		if err := b.jobs.SetSpillRate(t.Context(), "photos", rate, paused); err != nil {
			t.Fatal(err)
		}
		before := len(b.released(ids))
		b.minute()
		if n := len(b.released(ids)) - before; n != want {
			t.Errorf("%v a second, paused %v: %d were released, want %d", rate, paused, n, want)
		}
	}
	set(0, true, 0)
	set(0, false, 60) // what is drained beyond what arrives
	set(0.5, false, 30)
	set(0.5, true, 0)
	set(1.0/90, false, 1) // one in a minute and a half, the last two minutes ago
	set(1.0/90, false, 0)
	set(1e30, false, 109) // all that are left
	for _, bad := range []job.Rate{-1, job.Rate(math.NaN()), job.Rate(math.Inf(1))} {
		if err := b.jobs.SetSpillRate(t.Context(), "photos", bad, false); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%v a second: %v", float64(bad), err)
		}
	}
}

// However a rate came to be so high: it releases as many as there are.
func TestTheHighestRates(t *testing.T) {
	now := time.Now()
	plan := sizing.Plan{DrainRate: 1}
	for _, rate := range []job.Rate{1e9, 1e30, math.MaxFloat64} {
		for _, released := range []time.Time{{}, now.Add(-time.Minute)} {
			if n := sweep.Allowed(plan, store.SpillRate{Rate: rate, Released: released}, now); n < 1e9 {
				t.Errorf("%v a second, released at %v: %d", float64(rate), released, n)
			}
		}
	}
}

// slowRecount is a table that takes its time to begin a recount.
type slowRecount struct {
	store.Driver
	meanwhile func()
}

func (d slowRecount) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if strings.Contains(w.Update, "#base = #used") {
		d.meanwhile()
	}
	return d.Driver.Write(ctx, w)
}

// Jobs that come while a pass begins are not taken off, however long that takes.
func TestARecountThatBeginsSlowly(t *testing.T) {
	b := newBasin(t, func(p *sizing.Plan) { p.Queue.Hard, p.Limit = true, 1000 })
	const jobs = 5
	enqueue := func() {
		id, err := b.jobs.NewID()
		if err != nil {
			t.Fatal(err)
		}
		n := store.NewJob{ID: id, Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 3, Hard: &store.Bound{Limit: 1000, Shards: 1}}
		if _, _, err := b.jobs.Create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	enqueue()
	came := 1
	b.faults.Inner = slowRecount{b.memory, func() {
		b.pass(2 * store.RecountMargin)
		if came < jobs {
			enqueue()
			came++
		}
	}}
	for range 3 * sweep.Segments / sweep.SegmentsPerRun {
		b.minute()
	}
	counters, err := b.jobs.Counters(t.Context(), store.CountHard, "photos", 1)
	if err != nil || len(counters) != 1 || counters[0].Used != came || came < 2 {
		t.Errorf("%+v, %v: there are %d jobs", counters, err, came)
	}
}

// Somebody deleted the counters: what they counted comes out within the hour.
func TestSpilledJobsWithoutACounter(t *testing.T) {
	b := newBasin(t)
	ids := b.spill(t, "photos", 5)
	for _, row := range b.memory.Rows() {
		if row["used"] == nil {
			continue
		}
		key := store.Item{store.PartitionKey: row[store.PartitionKey], store.SortKey: row[store.SortKey]}
		if _, err := b.memory.Write(t.Context(), store.Write{Op: store.Delete, Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		b.minute()
	}
	if n := len(b.released(ids)); n != len(ids) {
		t.Errorf("%d of %d are released", n, len(ids))
	}
}

// A deployment may count over fewer rows than the one before. What that one spilled comes
// out all the same.
func TestSpilledJobsOfMoreShards(t *testing.T) {
	b := newBasin(t)
	ids := b.spillIn(t, "photos", 40, store.Bound{Limit: 1 << 20, Shards: 64})
	for range 5 {
		b.minute()
	}
	if n := len(b.released(ids)); n != len(ids) {
		t.Errorf("%d of %d are released", n, len(ids))
	}
}

// A run that is repeated, or two at once, release what a minute allows.
func TestAReleaseThatIsRepeated(t *testing.T) {
	b := newBasin(t)
	ids := b.spill(t, "photos", 200)
	b.minute()
	n := len(b.released(ids))
	for range 3 {
		b.pass(time.Second)
		b.relay()
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
	}
	if again := len(b.released(ids)) - n; again > 3 {
		t.Errorf("%d more within three seconds, by one a second", again)
	}
}

// What waits for the relay is in no depth.
func TestNothingIsReleasedIntoARelayThatStandsStill(t *testing.T) {
	b := newBasin(t)
	ids := b.spill(t, "photos", 300)
	b.minute()
	b.minute()
	n := len(b.released(ids))
	for range 5 { // the relay confirms nothing
		b.pass(time.Minute)
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
	}
	stands := len(b.released(ids))
	if stands > n+54 {
		t.Errorf("%d were released to a relay that stands still", stands-n)
	}
	b.relay()
	b.minute()
	if len(b.released(ids)) <= stands {
		t.Error("it goes on, and nothing is released")
	}
}

// Jobs of a queue that is gone, or can't be counted, stay where they are.
func TestSpilledJobsOfAQueueThatIsGone(t *testing.T) {
	b := newBasin(t)
	gone := b.spill(t, "gone", 5)
	ids := b.spill(t, "photos", 5)
	delete(b.depths, basinURL)
	for range 2 * sweep.Segments / sweep.SegmentsPerRun {
		b.minute()
	}
	for _, id := range append(gone, ids...) {
		if rec := b.get(id); rec.State != lifecycle.Scheduled || !rec.Spilled {
			t.Fatalf("%s is %s", id, rec.State)
		}
	}
	b.depths[basinURL] = 0
	b.minute()
	if n := len(b.released(ids)); n != 5 {
		t.Errorf("%d are released of the queue that is back", n)
	}
}

// Whatever is due goes out while a million are spilled, and the other way round.
func TestReleaseAndPromotionDoNotStarveEachOther(t *testing.T) {
	synctest.Test(t, releaseAndPromotionDoNotStarveEachOther)
}

func releaseAndPromotionDoNotStarveEachOther(t *testing.T) {
	b := newBasin(t, func(p *sizing.Plan) { p.Limit, p.DrainRate = 1_000_000, 1000 })
	var due []job.ID
	for range 400 {
		due = append(due, b.enqueue("photos", 16*time.Minute))
	}
	if n := len(b.released(due)); n != 0 {
		t.Fatalf("%d are in their queue already", n)
	}
	spilled := b.spill(t, "photos", 400)
	b.now = time.Now().Add(16*time.Minute + time.Second).UTC()
	b.faults.At = func(int) fault.Kind { // a slow table, as one may be that is being split
		time.Sleep(time.Millisecond)
		return fault.None
	}
	if err := b.run(); err != nil {
		t.Fatal(err)
	}
	if n, m := len(b.released(spilled)), len(b.released(due)); n == 0 || m != 400 {
		t.Errorf("%d of 400 were released, %d of 400 promoted", n, m)
	}
}

// BenchmarkRelease counts a run's calls to the table for each spilled job that it
// releases; the time is that of the memory driver, which looks at every row.
func BenchmarkRelease(b *testing.B) {
	const jobs = 1000
	for b.Loop() {
		b.StopTimer()
		w := newBasin(b, func(p *sizing.Plan) { p.Limit, p.DrainRate = 1<<30, jobs })
		w.spill(b, "photos", jobs)
		w.now = w.now.Add(time.Minute)
		if err := w.jobs.SetSpillRate(b.Context(), "photos", 0, true); err != nil {
			b.Fatal(err)
		}
		if err := w.sweep.Handle(b.Context()); err != nil { // the first run looks back an hour
			b.Fatal(err)
		}
		if err := w.jobs.SetSpillRate(b.Context(), "photos", 0, false); err != nil {
			b.Fatal(err)
		}
		before := w.faults.Calls()
		b.StartTimer()
		if err := w.sweep.Handle(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(w.faults.Calls()-before)/jobs, "calls/job")
	}
}
