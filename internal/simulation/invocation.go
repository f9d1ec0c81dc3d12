package simulation

import (
	"github.com/nightshift-go/nightshift/pkg/worker"
	"time"
)

// mostBatch is the largest Queue.Batch.
const mostBatch = 10

// An invocation is a batch in the hands of a function, or of a poller of a process.
type invocation struct {
	batch [mostBatch]run
	n     int
	left  int // events of its that are to come
	// running are the runs that go on, waiting those that have no turn yet.
	running, waiting int
}

// A run is a handler's, for one message.
type run struct {
	message, life, receipt int32
	job, token             int32
	lasts                  time.Duration
	err                    error
	// until hides the message when the batch is answered; zero deletes it,
	// never leaves it alone.
	until time.Duration
	ended bool
}

// dispatch gives messages to workers, as long as there are both.
func (w *world) dispatch() {
	for w.counts.visible > 0 && w.mayReceive() {
		w.invoke()
	}
	if w.counts.visible > 0 && w.stopped == 0 && w.pool.mayGrow() {
		w.pool.growing = true
		w.events.push(w.now+pollStep, polls, 0, 0)
	}
}

func (w *world) mayReceive() bool {
	return w.stopped == 0 && w.pool.busy < w.pool.allowed() &&
		w.counts.inFlight() < w.scaled(mostInFlight*w.config.Delivery.Queues) && !w.jammed()
}

// jammed tells whether the broker lacks the room that removing a job takes. Workers
// try again after a while; until then producers take what becomes free.
func (w *world) jammed() bool {
	d := w.config.Delivery
	if !d.RemovingNeedsRoom || d.Room == 0 {
		return false
	}
	if w.now >= w.jam && w.counts.all() >= w.scaled(d.Room) {
		w.jam = w.now + jamStep
		w.events.push(w.jam, wakes, 0, 0)
	}
	return w.now < w.jam
}

// jamStep is how long workers wait that could not take a job off a full broker.
const jamStep = time.Second

// invoke takes a batch on. How long each run lasts is drawn now, so that it is known
// when it ends.
func (w *world) invoke() {
	var v invocation
	for n := 0; n < w.pool.batch && w.counts.visible > 0; n++ {
		i := w.receive()
		m := w.messages.at(i)
		c := w.claim(m.job)
		switch {
		case c.run:
			w.jobs.at(m.job).refs++
			v.batch[v.n] = run{message: i, life: m.life, receipt: m.receipt, job: m.job, token: c.token}
			v.n++
		case c.until > 0:
			w.hide(i, m.receipt, c.until)
		default:
			w.delete(i, m.life)
		}
	}
	if v.n == 0 {
		return // nothing but what others have, or had
	}
	starts := w.now
	if w.pool.enter(w.now) {
		w.totals.ColdStarts++
		starts += w.config.Delivery.ColdStart
	}
	w.schedule(&v, starts)
}

// schedule plans the runs of a batch, of which Queue.Bound are side by side.
func (w *world) schedule(v *invocation, starts time.Duration) {
	at := w.invocations.add(*v)
	v = w.invocations.at(at)
	var lanes [mostBatch]time.Duration // when each is free
	bound := min(w.pool.bound, v.n)
	dies, all := never, time.Duration(0)
	var ending [mostBatch]time.Duration
	for i := range v.n {
		lane := earliest(lanes[:bound])
		r := &v.batch[i]
		writes := w.config.Table.PerJob
		begin := starts + lanes[lane] + w.table.delay(w.now, writes.Claim+writes.Complete)
		w.begins(r, begin)
		if w.happensTo(w.config.Faults.Crashes) {
			dies = min(dies, begin+time.Duration(w.chance.faults.Float64()*float64(r.lasts)))
		}
		ending[i] = begin + r.lasts
		lanes[lane] = ending[i] - starts
		all = max(all, ending[i])
	}
	v.running, v.waiting = bound, v.n-bound
	w.pool.running += bound
	for i := range v.n {
		if ending[i] <= dies {
			v.left++
			w.events.push(ending[i], ends, at, int32(i))
		}
	}
	if dies != never && v.left < v.n {
		v.left++
		w.events.push(dies, crashes, at, 0)
	}
	if w.config.Delivery.Plain {
		for _, r := range v.batch[:v.n] {
			w.events.push(w.now+w.config.Delivery.Visibility, appears, r.message, r.receipt)
		}
	}
}

func earliest(lanes []time.Duration) int {
	least := 0
	for i, free := range lanes {
		if free < lanes[least] {
			least = i
		}
	}
	return least
}

// runEnds writes down how a run ended, and answers the batch after its last.
func (w *world) runEnds(at, i int32) {
	v := w.invocations.at(at)
	r := &v.batch[i]
	r.ended = true
	if v.waiting > 0 {
		v.waiting-- // the next has its turn
	} else {
		v.running--
		w.pool.running--
	}
	w.conclude(r)
	if v.left--; v.left == 0 {
		w.answer(at)
	}
}

// answer deletes the messages of the runs that are over with, and lets the others
// come again.
func (w *world) answer(at int32) {
	v := w.invocations.at(at)
	for i := range v.n {
		switch r := &v.batch[i]; r.until {
		case never:
		case 0:
			w.delete(r.message, r.life)
		default:
			w.hide(r.message, r.receipt, r.until)
		}
		w.leave(v.batch[i].job)
	}
	w.invocations.remove(at)
	w.pool.leave(w.now)
}

// crash ends an invocation whose process died: what had not ended never does, and no
// message is answered. They are visible again when their timeout has passed; a process
// that polls had renewed it until it died.
func (w *world) crash(at int32) {
	v := w.invocations.at(at)
	w.totals.Crashes++
	w.pool.running -= v.running
	for i := range v.n {
		r := &v.batch[i]
		if j := w.jobs.at(r.job); !r.ended && w.plan.Queue.Polled && j.token == r.token {
			j.leaseUntil = w.now + worker.DefaultHold
		}
		if !w.config.Delivery.Plain {
			w.hide(r.message, r.receipt, w.visibleAgain())
		}
		w.leave(r.job)
	}
	w.invocations.remove(at)
	w.pool.dies()
}

// visibleAgain is when the messages of a process that died now are: with its lease,
// after which a claim is of use.
func (w *world) visibleAgain() time.Duration {
	return w.now + w.config.Delivery.Visibility
}
