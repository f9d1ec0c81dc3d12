package simulation

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// A row is a job's in the table.
type row struct {
	state           lifecycle.State
	attempt, deaths int
	alone           bool // its attempt has no batch-mates
	token           int32
	leaseUntil      time.Duration
	notBefore       time.Duration
	accepted        time.Duration
	begun           bool // an attempt of it was made
	poison          bool
	key             int32
	degraded        bool
	rest            bool // it is what a degraded job left
	// refs are its messages and the runs that have it in hand: while there are
	// any, somebody may look at it.
	refs int
}

func (w *world) newJob(r row) int32 {
	r.accepted = w.now
	w.unended++
	return w.jobs.add(r)
}

// facts are what the rules of package lifecycle decide by. Whoever asks has another
// token than the one that holds the row.
func (r *row) facts(attempts int) lifecycle.Row {
	return lifecycle.Row{
		State: r.state, Token: "another", LeaseUntil: at(r.leaseUntil), NotBefore: at(r.notBefore),
		Attempt: r.attempt, MaxAttempts: attempts, Alone: r.alone, Deaths: r.deaths,
	}
}

func at(t time.Duration) time.Time {
	if t == never {
		return epoch.Add(10 * Longest)
	}
	return epoch.Add(t)
}

// A claimed tells what the claim of a message's job came to.
type claimed struct {
	// run: the job is to run, under token.
	run   bool
	token int32
	// Where it is not, the message is deleted, or hidden until a time.
	until time.Duration
}

// claim claims a job for a worker.
func (w *world) claim(i int32) claimed {
	j := w.jobs.at(i)
	if w.config.Delivery.Plain {
		return w.claimPlainly(i)
	}
	alone := w.pool.bound == 1
	facts := j.facts(w.config.Policy.MaxAttempts)
	finding, until := lifecycle.Refused(facts, "mine", alone, w.clock())
	switch finding {
	case lifecycle.Contended: // nothing is in the way
		j.attempt++
	case lifecycle.Early, lifecycle.Busy:
		w.totals.Early++
		return claimed{until: until.Sub(epoch)}
	case lifecycle.Orphaned:
		t := lifecycle.TakeOver(facts)
		j.attempt, j.deaths, alone = t.Attempt, t.Deaths, true
		if t.To != lifecycle.Running {
			w.finish(i, t.To)
			return claimed{}
		}
	default: // missing, finished
		w.totals.Duplicates++
		return claimed{}
	}
	w.serial++
	j.state, j.token, j.alone, j.leaseUntil = lifecycle.Running, w.serial, alone, w.leaseEnd()
	return claimed{run: true, token: w.serial}
}

// claimPlainly lets whoever has a message do the work, until it was received too
// often: what a queue does by itself.
func (w *world) claimPlainly(i int32) claimed {
	j := w.jobs.at(i)
	if j.state.Final() {
		w.totals.Duplicates++
		return claimed{}
	}
	if j.attempt >= w.config.Policy.MaxAttempts {
		w.finish(i, lifecycle.Dead)
		return claimed{}
	}
	j.attempt++
	j.state = lifecycle.Running
	return claimed{run: true}
}

// leaseEnd is when a lease ends that begins now: that of an invocation with its
// deadline; a process that polls renews its own for as long as it lives.
func (w *world) leaseEnd() time.Duration {
	if w.plan.Queue.Polled {
		return never
	}
	return w.now + w.plan.FunctionTimeout + worker.Margin
}

// finish ends a job.
func (w *world) finish(i int32, s lifecycle.State) {
	j := w.jobs.at(i)
	j.state = s
	w.unended--
	if s == lifecycle.Done {
		w.totals.Done++
		w.series.point.done++
		if !j.rest {
			w.readys.add(w.now - j.accepted)
		}
	} else {
		w.totals.Dead++
	}
	w.forget(i)
}

// leave tells that a message or a run has nothing to do with the row any more.
func (w *world) leave(i int32) {
	w.jobs.at(i).refs--
	w.forget(i)
}

// forget removes a row that nobody will look at.
func (w *world) forget(i int32) {
	if j := w.jobs.at(i); j.refs == 0 && j.state.Final() {
		j.state = lifecycle.None
		w.jobs.remove(i)
	}
}
