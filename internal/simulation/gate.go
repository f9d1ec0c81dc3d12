package simulation

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// A gate is that of one process.
type gate struct{ *admission.Gate }

// Why a request is refused, besides the reasons of package admission.
const (
	// throttled: the table takes no more writes.
	throttled = "throttled"
	// noRoom: the broker is full.
	noRoom = "no room"
)

// A decision is the answer to a request.
type decision struct {
	refused           string // why, or nothing
	retryAfter        time.Duration
	degraded, spilled bool
}

func (w *world) newGate() (gate, error) {
	g, err := admission.New(admission.Config{
		Queue:     w.config.Policy.Queue.Name,
		Limit:     w.scaled(w.plan.Limit),
		DrainRate: w.plan.DrainRate / job.Rate(w.config.Scale),
		Depth:     func(context.Context) (int, error) { return w.counts.all(), nil },
		Now:       w.clock,
		Random:    w.chance.gates.Float64,
	})
	return gate{g}, err
}

// admit decides on a request, as the enqueue function does.
func (w *world) admit(ctx context.Context) decision {
	if !w.config.Unbounded {
		g := w.gates[0]
		if len(w.gates) > 1 {
			g = w.gates[w.chance.gates.IntN(len(w.gates))]
		}
		if d := g.Admit(ctx); !d.Admitted {
			return decision{refused: string(d.Reason), retryAfter: d.RetryAfter}
		}
	}
	if room := w.config.Delivery.Room; room > 0 && w.counts.all() >= w.scaled(room) {
		return decision{refused: noRoom}
	}
	if !w.table.takes(w.now, w.config.Table.PerJob.Enqueue) {
		return decision{refused: throttled}
	}
	return decision{}
}
