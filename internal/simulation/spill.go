package simulation

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A spill is what waits in the table, because its queue was full.
type spill struct {
	jobs ring
	// arrived is how many jobs went straight to the queue since the last release.
	arrived int
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
// its workers have time for, the oldest first and spread over the minute.
func (w *world) release() {
	arrivals := job.Rate(float64(w.spill.arrived) / 60)
	w.spill.arrived = 0
	most := int(60 * sizing.ReleaseRate(w.local.DrainRate, arrivals))
	n := min(w.spill.jobs.n, most, w.local.Room(w.counts.all()))
	for i := range n {
		w.events.push(w.now+time.Minute*time.Duration(i)/time.Duration(n), due, w.spill.jobs.pop().a, 0)
	}
}
