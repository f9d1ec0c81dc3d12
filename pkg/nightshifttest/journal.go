package nightshifttest

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A journal is what happened in the table, job by job.
type journal struct {
	start time.Time
	// seen is how far the table's stream was read.
	seen int
	jobs map[job.ID]*entry
	// order is that in which jobs were enqueued.
	order []*entry
	// events are those that were published, in order.
	events []store.Event
}

// An entry is a job.
type entry struct {
	// enqueued is its row as it was enqueued (or replaced by a newer one of the same
	// key before it ran), rec as it is.
	enqueued, rec store.Record
	steps         []Step
	start         time.Time
}

// note reads what is new in the table's stream. It happened by now.
func (k *Kit) note() {
	k.t.Helper()
	changes, _ := k.table.Changes(k.journal.seen)
	k.journal.seen += len(changes)
	now := k.Now()
	for _, change := range changes {
		if change.New == nil {
			continue
		}
		rec, err := store.Decode(change.New)
		if errors.Is(err, store.ErrNotAJob) {
			k.noteEvent(change)
			continue
		}
		if err != nil {
			k.t.Fatalf("nightshifttest: reading the table's stream: %v", err)
		}
		var old store.Record
		if change.Old != nil {
			if old, err = store.Decode(change.Old); err != nil {
				k.t.Fatalf("nightshifttest: reading the table's stream: %v", err)
			}
		}
		k.journal.add(now, old, rec)
	}
}

// noteEvent takes note of an event that was put into the outbox.
func (k *Kit) noteEvent(change memstore.Change) {
	k.t.Helper()
	if change.Old != nil {
		return
	}
	event, err := store.DecodeEvent(change.New)
	if errors.Is(err, store.ErrNotAnEvent) {
		return
	}
	if err != nil {
		k.t.Fatalf("nightshifttest: reading the table's stream: %v", err)
	}
	k.journal.events = append(k.journal.events, event)
}

func (j *journal) add(now time.Time, old, rec store.Record) {
	if j.jobs == nil {
		j.jobs = map[job.ID]*entry{}
	}
	e := j.jobs[rec.ID]
	if e == nil || !old.Created.Equal(rec.Created) { // an id may come again after its row's time to live
		e = &entry{enqueued: rec, start: j.start}
		j.jobs[rec.ID] = e
		j.order = append(j.order, e)
	}
	waiting := old.State == lifecycle.Queued || old.State == lifecycle.Scheduled
	if waiting && rec.Started.IsZero() && !sameArguments(old, rec) {
		e.enqueued = rec
	}
	if step, ok := stepOf(now, old, rec); ok {
		e.steps = append(e.steps, step)
	}
	e.rec = rec
}

func sameArguments(a, b store.Record) bool {
	return string(a.Args) == string(b.Args) && (a.ArgsObject == nil) == (b.ArgsObject == nil)
}

// find gives a job's entry, or ends the test.
func (k *Kit) find(id job.ID) *entry {
	k.t.Helper()
	k.note()
	e := k.journal.jobs[id]
	if e == nil {
		k.t.Fatalf("nightshifttest: there is no job %q", id)
	}
	return e
}

// having gives the jobs that are as asked, in the order in which they were enqueued.
func (k *Kit) having(wanted func(store.Record) bool) (found []*entry) {
	k.t.Helper()
	k.note()
	for _, e := range k.journal.order {
		if wanted(e.rec) {
			found = append(found, e)
		}
	}
	return found
}

// unfinished gives the jobs that have not ended.
func (k *Kit) unfinished() []*entry {
	k.t.Helper()
	return k.having(func(rec store.Record) bool { return !rec.State.Final() })
}

// scheduled gives the jobs that wait in the table, the earliest first.
func (k *Kit) scheduled() []*entry {
	k.t.Helper()
	found := k.having(func(rec store.Record) bool { return rec.State == lifecycle.Scheduled })
	slices.SortStableFunc(found, func(a, b *entry) int {
		return cmp.Or(a.rec.NotBefore.Compare(b.rec.NotBefore), a.rec.Created.Compare(b.rec.Created))
	})
	return found
}
