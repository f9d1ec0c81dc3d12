package simulation

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// A spill is what waits in the table, because its queue was full.
type spill struct {
	jobs ring
	// released is when some were released last.
	released time.Time
}

// spillJob keeps a job in the table.
func (w *world) spillJob(j int32) {
	w.totals.Spilled++
	w.jobs.at(j).state = lifecycle.Scheduled
	w.spill.jobs.push(pair{a: j})
	w.totals.PeakSpilled = max(w.totals.PeakSpilled, w.spill.jobs.n)
}

// leaveRest keeps what a degraded job left undone for when the queue is short.
func (w *world) leaveRest() {
	w.totals.Rests++
	w.spillJob(w.newJob(row{rest: true}))
}

// release gives, each minute, as many spilled jobs to the queue as it has room for and
// the rate allows, the oldest first and spread over the minute, as the sweep does.
func (w *world) release() {
	allowed := sweep.Allowed(w.local, store.SpillRate{Released: w.spill.released}, w.clock())
	n := min(allowed, w.local.Room(w.counts.all()), w.spill.jobs.n)
	if n <= 0 {
		return
	}
	w.spill.released = w.clock()
	for i := range n {
		w.events.push(w.now+time.Minute*time.Duration(i)/time.Duration(n), due, w.spill.jobs.pop().a, 0)
	}
}
