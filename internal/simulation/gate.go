package simulation

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
)

// Why a request is refused, besides the reasons of package admission.
const (
	// throttled: the table takes no more writes.
	throttled = "throttled"
	// noRoom: the broker is full.
	noRoom = "no room"
)

// A decision is the answer to a request: why it is refused, or the form in which it is
// accepted.
type decision struct {
	refused    string
	retryAfter time.Duration
	form       admission.Form
}

// newGate makes the gate of one process.
func (w *world) newGate() (*admission.Gate, error) {
	c := admission.For(w.local)
	c.Look, c.Inline = w.look, true
	c.Now, c.Random = w.clock, w.chance.gates.Float64
	return admission.New(c)
}

// look reads the queue for a gate.
func (w *world) look(context.Context) (admission.Reading, error) {
	r := admission.Reading{Depth: w.counts.all()}
	if age := w.age(); age > 0 {
		r.Oldest = w.clock().Add(-age)
	}
	return r, nil
}

// admit decides on a request, as the enqueue function does.
func (w *world) admit(ctx context.Context) decision {
	d := decision{}
	if !w.config.Unbounded {
		gate := w.gates[0]
		if len(w.gates) > 1 {
			gate = w.gates[w.chance.gates.IntN(len(w.gates))]
		}
		answer := gate.AdmitFor(ctx, w.config.Policy)
		if answer.Admitted && answer.Form == admission.Spilled && w.spill.jobs.n >= w.scaled(w.plan.MostSpilled()) {
			answer = answer.Refused()
		}
		d = decision{string(answer.Reason), answer.RetryAfter, answer.Form}
		if !answer.Admitted {
			return d
		}
	}
	if room := w.config.Delivery.Room; room > 0 && w.counts.all() >= w.scaled(room) {
		return decision{refused: noRoom}
	}
	if !w.table.takes(w.now, w.config.Table.PerJob.Enqueue) {
		return decision{refused: throttled}
	}
	return d
}
