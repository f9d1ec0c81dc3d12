package simulation

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A spill is what waits in the table, because its queue was full.
type spill struct {
	jobs ring
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

// release gives spilled jobs to the queue, each minute as many as it has room for.
func (w *world) release() {
	room := sizing.Mark(w.scaled(w.plan.Limit)) - w.counts.all()
	n := min(room, w.spill.jobs.n, int(float64(w.plan.DrainRate)/float64(w.config.Scale)*60))
	for i := range n {
		w.events.push(w.now+time.Minute*time.Duration(i)/time.Duration(n), due, w.spill.jobs.pop().a, 0)
	}
}
