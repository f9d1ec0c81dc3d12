package simulation

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/client"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A request is a client's wish for one job, until it is granted or given up.
type request struct {
	attempt int
	client  int
}

// nextArrival plans the next client who has work.
func (w *world) nextArrival() {
	amount := 1.0
	if !w.config.Load.Even {
		amount = w.chance.arrivals.ExpFloat64()
	}
	at, found := w.config.Load.Curve.after(w.now, amount, w.config.For)
	if w.arriving = found; found {
		w.events.push(at, arrives, 0, 0)
	}
}

func (w *world) arrive(ctx context.Context) {
	w.nextArrival()
	w.totals.Arrived++
	w.series.point.arrived++
	who := w.chance.clients.IntN(len(w.clients))
	w.clients[who].Sent()
	w.away++
	w.ask(ctx, w.requests.add(request{client: who}))
}

// ask sends a request.
func (w *world) ask(ctx context.Context, i int32) {
	w.away--
	w.totals.Asked++
	w.series.point.asked++
	q := w.requests.at(i)
	q.attempt++
	d := w.admit(ctx)
	key, replaced := w.replaced()
	if d.form == admission.Replacing && !replaced {
		d.refused = string(admission.Full)
	}
	if d.refused == "" {
		w.requests.remove(i)
		w.accept(d, key, replaced)
		return
	}
	w.totals.refuse(d.refused)
	w.series.point.refused++
	wait, again := w.backAgain(*q, d)
	if !again {
		w.requests.remove(i)
		w.totals.GaveUp++
		return
	}
	w.away++
	w.events.push(w.now+wait, returns, i, 0)
}

// backAgain tells whether, and when, a refused client is back.
func (w *world) backAgain(q request, d decision) (time.Duration, bool) {
	switch w.config.Clients.Behaviour {
	case GiveUp:
		return 0, false
	case Ignore:
		return w.config.Clients.Every, true
	default:
		answer := client.Answer{Temporary: true, RetryAfter: d.retryAfter, Asked: d.retryAfter > 0}
		step := w.config.Clients.Retry.Next(q.attempt, answer, w.clients[q.client], w.chance.clients.Float64)
		return step.Wait, step.Again
	}
}

// accept makes the job's row, or gives its arguments to the one that it replaces.
func (w *world) accept(d decision, key int32, replaced bool) {
	w.totals.Accepted++
	w.series.point.accepted++
	if replaced {
		w.totals.Replaced++
		return
	}
	j := w.newJob(row{
		state: lifecycle.Queued, key: key, degraded: d.form == admission.Degraded, poison: w.happensTo(w.config.Faults.Poison),
	})
	if d.form == admission.Spilled {
		w.spillJob(j)
		return
	}
	if d.form == admission.Degraded {
		w.totals.Degraded++
	}
	w.wait(j)
	w.publish(j)
}

// happensTo tells whether something happens that happens to a share.
func (w *world) happensTo(share float64) bool {
	return share > 0 && w.chance.faults.Float64() < share
}
