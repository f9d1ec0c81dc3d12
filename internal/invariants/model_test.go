package invariants

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A held job is claimed by a worker of another kind, which may be slow, or dead.
type held struct {
	rec     store.Record
	message message
}

// step lets one thing happen.
func (w *world) step() {
	kinds := 16
	if w.depth > 0 {
		kinds = 24 // within another step, what can spoil it comes more often
	}
	switch w.random.IntN(kinds) {
	case 0, 1:
		if len(w.order) < 8 {
			w.produce()
		}
	case 2, 3, 4:
		w.relay()
	case 5, 6, 7:
		w.work()
	case 8:
		w.heal()
	case 9:
		w.sweep()
	case 10, 11:
		w.now = w.now.Add([]time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute}[w.random.IntN(4)])
	case 12, 13:
		w.claimElsewhere()
	case 14, 16, 17, 18, 19:
		w.finishElsewhere()
	default:
		w.meddle()
	}
	w.check()
}

func (w *world) idIn(body string) job.ID {
	m, err := queue.DecodeMessage(body)
	if err != nil {
		w.failf("a message: %v", err)
	}
	return m.ID
}

// claimElsewhere claims a job and does not go on for now.
func (w *world) claimElsewhere() {
	for _, m := range w.sqs.receive(w.source(), 1) {
		id := w.idIn(m.body)
		lease := store.Lease{Token: "elsewhere" + m.receipt, Until: w.now.Add(24 * time.Second), Alone: w.random.IntN(2) == 0}
		claim, err := w.exact.Claim(ctx, id, lease)
		if claim.Finding == lifecycle.Orphaned {
			claim, err = w.exact.TakeOver(ctx, claim.Record, lease)
		}
		if err != nil {
			w.failf("a claim: %v", err)
		}
		if claim.Granted {
			w.checkOrder(id)
			w.foreign = append(w.foreign, held{claim.Record, m})
		}
	}
}

// finishElsewhere goes on with such a job, perhaps long after its lease.
func (w *world) finishElsewhere() {
	if len(w.foreign) == 0 {
		return
	}
	i := w.random.IntN(len(w.foreign))
	h := w.foreign[i]
	w.foreign = append(w.foreign[:i], w.foreign[i+1:]...)
	before, err := w.exact.Get(ctx, h.rec.ID)
	if err != nil {
		w.failf("reading: %v", err)
	}
	owner := before.Token == h.rec.Token && before.State == lifecycle.Running
	known := w.jobs[h.rec.ID]
	outcome := lifecycle.Outcome{To: lifecycle.Done}
	if w.random.IntN(2) == 0 {
		outcome = lifecycle.Outcome{To: lifecycle.Queued, Wait: time.Duration(w.random.IntN(2)) * 3 * time.Second, GiveBack: true}
	}
	if owner && outcome.To == lifecycle.Done {
		known.successes++
	}
	now, err := w.exact.Finish(ctx, h.rec, outcome)
	w.log("%s finished elsewhere: %v", short(h.rec.ID), err)
	switch {
	case owner && err != nil, !owner && before.Token != h.rec.Token && !errors.Is(err, store.ErrLeaseLost):
		w.failf("finishing, owner %v: %v", owner, err)
	case err == nil && now.State != lifecycle.Queued:
		if m := w.sqs.held(w.source(), h.message.receipt); m != nil {
			w.sqs.drop(w.source(), m)
		}
	}
	if after, err := w.exact.Get(ctx, h.rec.ID); err != nil || !owner && (after.State != before.State || after.Token != before.Token || after.Attempt != before.Attempt) {
		w.failf("%s: a former owner wrote: %s became %s; %v", h.rec.ID, before.State, after.State, err)
	}
}

// meddle cancels a job or redrives it, or moves its letter back.
func (w *world) meddle() {
	if len(w.order) == 0 {
		return
	}
	id := w.order[w.random.IntN(len(w.order))]
	rec, err := w.exact.Get(ctx, id)
	if err != nil {
		w.failf("reading: %v", err)
	}
	switch {
	case rec.State != lifecycle.Dead:
		if _, err := w.exact.Cancel(ctx, id, ""); err != nil && !errors.Is(err, store.ErrFinished) {
			w.failf("cancelling: %v", err)
		}
	case w.queue().FIFO: // a redrive goes to the end of its group
	case w.random.IntN(2) == 0:
		if _, err := w.exact.Redrive(ctx, rec); err != nil {
			w.failf("redriving: %v", err)
		}
	case len(w.sqs.messages[letters]) > 0:
		m := w.sqs.messages[letters][0]
		w.sqs.drop(letters, m)
		w.sqs.messages[source] = append(w.sqs.messages[source], m)
	}
}

// calm lets everything end, without faults, and says what did not.
func (w *world) calm() {
	w.storm = false
	w.foreign = nil
	for end := w.now.Add(4 * time.Hour); w.now.Before(end) && len(w.open()) > 0; w.now = w.now.Add(15 * time.Second) {
		for range 10 {
			w.relay()
			w.work()
			w.heal()
		}
		if w.now.Sub(w.now.Truncate(2*time.Minute)) < 15*time.Second {
			w.sweep()
		}
		w.check()
	}
	for _, open := range w.open() {
		w.failf("%s", open)
	}
}

// open tells what has not come to its end.
func (w *world) open() (open []string) {
	for _, id := range w.order {
		rec, err := w.exact.Get(ctx, id)
		switch {
		case err != nil:
			open = append(open, err.Error())
		case !rec.State.Final():
			open = append(open, string(id)+" is stuck: "+string(rec.State))
		case rec.State == lifecycle.Dead && rec.Publication != nil:
			open = append(open, string(id)+": its letter is not out")
		}
	}
	return open
}

// Whatever goes wrong, in whatever order: every accepted job ends, and every
// change on the way has its reason.
func TestEveryJobEnds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed, steps := rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(50, 100).Draw(rt, "steps")
		w := newWorld(t, seed, rapid.Bool().Draw(rt, "fifo"))
		for range steps {
			w.step()
		}
		w.calm()
		if w.failed || t.Failed() {
			rt.Fatalf("what happened:\n%s", strings.Join(w.trail, "\n"))
		}
	})
}
