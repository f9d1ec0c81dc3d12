package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/store"
)

func runGauge(t *testing.T, construct Constructor) {
	t.Run("Notes", func(t *testing.T) { notes(setup(t, construct)) })
	t.Run("ClocksAhead", func(t *testing.T) { clocksAhead(setup(t, construct)) })
	t.Run("Waiting", func(t *testing.T) { waiting(setup(t, construct)) })
	t.Run("Probes", func(t *testing.T) { probes(setup(t, construct)) })
	t.Run("JobsThatAreConfirmed", func(t *testing.T) { confirmedJobs(setup(t, construct)) })
	t.Run("NoJobs", func(t *testing.T) { gaugesAreNoJobs(setup(t, construct)) })
}

// gauge reads the gauge of photos.
func (f fixture) gauge() store.Gauge {
	f.Helper()
	g, err := f.jobs.Gauge(f.Context(), "photos")
	if err != nil {
		f.Fatal(err)
	}
	return g
}

// notes: the youngest note stands, counts add up, and other queues have their own.
func notes(f fixture) {
	if g := f.gauge(); g != (store.Gauge{}) {
		f.Errorf("before anything: %+v", g)
	}
	first := f.clock.Now()
	note := store.Note{At: first, Oldest: first.Add(-time.Minute), Finished: 3, Busy: 9 * time.Second}
	if g, noted, err := f.jobs.NoteWait(f.Context(), "photos", note); !noted || err != nil || g.Notes != 1 {
		f.Errorf("noted %v, %v: %+v", noted, err, g)
	}
	late := note
	late.At, late.Oldest = first.Add(-time.Second), first.Add(-time.Hour) // a process that was frozen
	if g, noted, err := f.jobs.NoteWait(f.Context(), "photos", late); noted || err != nil || !g.Noted.Equal(first) {
		f.Errorf("noted late %v, %v: %+v", noted, err, g)
	}
	note = store.Note{At: first.Add(2 * time.Second), Oldest: first, Finished: 1, Busy: time.Second}
	if _, noted, err := f.jobs.NoteWait(f.Context(), "photos", note); !noted || err != nil {
		f.Errorf("noted %v, %v", noted, err)
	}
	g := f.gauge()
	if g.Notes != 2 || g.Finished != 4 || g.Busy != 10*time.Second || !g.Noted.Equal(note.At) || !g.Oldest.Equal(note.Oldest) || !g.Relayed.IsZero() {
		f.Errorf("%+v", g)
	}
	if other, err := f.jobs.Gauge(f.Context(), "photo"); err != nil || other != (store.Gauge{}) {
		f.Errorf("another queue's: %+v, %v", other, err)
	}
}

// clocksAhead: what a process says whose clock is an hour ahead does not silence the
// others for an hour.
func clocksAhead(f fixture) {
	ahead := f.clock.Now().Add(time.Hour)
	for _, at := range []time.Time{ahead, f.clock.Now()} {
		if _, noted, err := f.jobs.NoteWait(f.Context(), "photos", store.Note{At: at, Oldest: at}); !noted || err != nil {
			f.Errorf("noted at %v: %v, %v", at, noted, err)
		}
	}
	if g := f.gauge(); !g.Noted.Equal(f.clock.Now()) {
		f.Errorf("noted at last: %+v", g)
	}
	if err := f.jobs.ConfirmPublished(f.Context(), "photos", ahead); err != nil { // a job of its making
		f.Fatal(err)
	}
	f.clock.Advance(time.Minute)
	f.must(f.jobs.Probe(f.Context(), "photos", f.gauge()))
	if g := f.gauge(); !g.Asked.After(g.Relayed) {
		f.Errorf("a minute later a probe seems to be answered: %+v", g)
	}
	// Its own probes are confirmed all the same.
	p := f.waitingProbe()
	p.At = f.clock.Now().Add(time.Hour)
	f.confirmProbe(p)
	if g := f.gauge(); g.Asked.After(g.Relayed) || g.Relayed.After(f.clock.Now().Add(time.Minute)) {
		f.Errorf("its probe was confirmed: %+v", g)
	}
}

// waiting: who says that jobs still wait says it of what he read, and of one queue.
func waiting(f fixture) {
	oldest := f.clock.Now().Add(-time.Minute)
	f.must(f.jobs.KeepWaiting(f.Context(), "photos", store.Gauge{}, oldest))
	f.mustNot(f.jobs.KeepWaiting(f.Context(), "photos", store.Gauge{}, oldest))
	read := f.gauge()
	if !read.Oldest.Equal(oldest) || !read.Noted.Equal(f.clock.Now()) || read.Notes != 0 {
		f.Errorf("%+v", read)
	}
	f.clock.Advance(time.Second)
	f.must(f.jobs.KeepWaiting(f.Context(), "photos", read, oldest))
	f.mustNot(f.jobs.KeepWaiting(f.Context(), "photos", read, oldest))
	read = f.gauge()
	f.clock.Advance(time.Second)
	if _, noted, err := f.jobs.NoteWait(f.Context(), "photos", store.Note{At: f.clock.Now(), Oldest: f.clock.Now()}); !noted || err != nil {
		f.Errorf("%v, %v", noted, err)
	}
	f.mustNot(f.jobs.KeepWaiting(f.Context(), "photos", read, oldest)) // a worker works again
}

// probes: one at a time; asked since the first that was not answered.
func probes(f fixture) {
	none := f.gauge()
	f.must(f.jobs.Probe(f.Context(), "photos", none))
	f.mustNot(f.jobs.Probe(f.Context(), "photos", none)) // two gates at once
	first := f.gauge()
	if asked := f.clock.Now(); !first.Asked.Equal(asked) || !first.Probed.Equal(asked) || !first.Relayed.IsZero() {
		f.Errorf("%+v", first)
	}
	one := f.waitingProbe()
	f.clock.Advance(3 * time.Second)
	f.must(f.jobs.Probe(f.Context(), "photos", first))
	second := f.gauge()
	if !second.Asked.Equal(first.Asked) || !second.Probed.Equal(f.clock.Now()) {
		f.Errorf("the second: %+v", second)
	}
	two := f.waitingProbe()
	if one.N == two.N || one.ID() == two.ID() || two.Queue != "photos" {
		f.Errorf("%+v and %+v", one, two)
	}
	f.confirmProbe(one) // an answer is an answer, and the second still waits
	if g := f.gauge(); !g.Relayed.Equal(first.Probed) || f.waitingProbe() != two {
		f.Errorf("after the first was confirmed: %+v", g)
	}
	f.confirmProbe(two)
	f.confirmProbe(two)
	if g := f.gauge(); !g.Relayed.Equal(two.At) || g.Asked.After(g.Relayed) {
		f.Errorf("after the second was confirmed: %+v", g)
	}
	if _, err := store.DecodeProbe(f.probeItem()); !errors.Is(err, store.ErrNotAProbe) {
		f.Errorf("a confirmed probe asks no more to be published: %v", err)
	}
	f.clock.Advance(time.Minute)
	f.must(f.jobs.Probe(f.Context(), "photos", f.gauge()))
	if g := f.gauge(); !g.Asked.Equal(f.clock.Now()) {
		f.Errorf("asked anew: %+v", g)
	}
}

func (f fixture) confirmProbe(p store.Probe) {
	f.Helper()
	if err := f.jobs.ConfirmProbe(f.Context(), p); err != nil {
		f.Error(err)
	}
}

// probeItem is the row of the probe of photos.
func (f fixture) probeItem() store.Item {
	f.Helper()
	item, err := f.driver.Get(f.Context(), store.Item{store.PartitionKey: s("gauge#photos"), store.SortKey: s("probe")})
	if err != nil {
		f.Fatal(err)
	}
	return item
}

func (f fixture) waitingProbe() store.Probe {
	f.Helper()
	p, err := store.DecodeProbe(f.probeItem())
	if err != nil {
		f.Error(err)
	}
	return p
}

// confirmedJobs: a job that is to be confirmed says so in its publication, and what
// was confirmed never goes back.
func confirmedJobs(f fixture) {
	rec := f.enqueue(func(n *store.NewJob) { n.Probe = "me" })
	if got := f.get(rec.ID); got.Publication == nil || got.Publication.Probe != "me" {
		f.Errorf("%+v", got.Publication)
	}
	if got := f.get(f.enqueue().ID); got.Publication.Probe != "" {
		f.Errorf("one that is not: %+v", got.Publication)
	}
	for _, at := range []time.Time{rec.Created, rec.Created, rec.Created.Add(-time.Minute)} {
		if err := f.jobs.ConfirmPublished(f.Context(), "photos", at); err != nil {
			f.Error(err)
		}
	}
	if g := f.gauge(); !g.Relayed.Equal(rec.Created) {
		f.Errorf("%+v", g)
	}
}

// gaugesAreNoJobs: who reads the whole table finds nothing to do in them.
func gaugesAreNoJobs(f fixture) {
	f.must(f.jobs.KeepWaiting(f.Context(), "photos", store.Gauge{}, f.clock.Now()))
	f.must(f.jobs.Probe(f.Context(), "photos", store.Gauge{}))
	found, err := f.jobs.ScanPage(f.Context(), store.Scan{})
	if err != nil || found.Rows != 2 || len(found.Jobs)+len(found.Events)+len(found.Locks)+len(found.Batches) != 0 {
		f.Errorf("%+v, %v", found, err)
	}
	if _, err := store.DecodeEvent(f.probeItem()); !errors.Is(err, store.ErrNotAnEvent) {
		f.Errorf("a probe is no event: %v", err)
	}
	if _, err := store.DecodeProbe(store.KeyOf(f.enqueue().ID)); !errors.Is(err, store.ErrNotAProbe) {
		f.Errorf("a job is no probe: %v", err)
	}
}
