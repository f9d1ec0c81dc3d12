package producer

import (
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// ErrFull: there is no room for the job. Its queue is Hard and at its limit, what may be
// spilled is, or it was only to take another's place (job.OnlyReplacing) and no job
// waits with its key. The same request may succeed later.
var ErrFull = store.ErrFull

// bounds are what the jobs of a queue are held to exactly.
type bounds struct {
	// hard is nil for queues that are not Hard.
	hard, spill *store.Bound
	// unknown says why there are none.
	unknown error
}

// boundsOf works them out from the queue's declaration.
func boundsOf(d job.Definition) (bounds, error) {
	queue := d.Policy.Queue
	plan, err := sizing.For(queue, d.Policy.Timeout)
	if err != nil {
		if queue.Hard || queue.Full == job.Spill {
			return bounds{unknown: err}, fmt.Errorf("producer: the bounds of queue %q: %w", queue.Name, err)
		}
		return bounds{unknown: err}, nil
	}
	spill := store.SpillBound(plan)
	b := bounds{spill: &spill}
	if queue.Hard {
		hard := store.HardBound(plan)
		b.hard = &hard
	}
	return b, nil
}

// admitted gives the bounds that a job of a queue is held to, by what was asked for.
func (p *Producer) admitted(queue job.Queue, o job.Options) (hard, spill *store.Bound, err error) {
	b := p.bounds[queue.Name]
	switch {
	case !o.Spilled:
		return b.hard, nil, nil
	case queue.FIFO:
		return nil, nil, fmt.Errorf("%w: job.Spilled is given and queue %q is first-in-first-out: others would overtake the job", ErrOptions, queue.Name)
	case b.unknown != nil:
		return nil, nil, fmt.Errorf("%w: job.Spilled is given, and how much of queue %q may be spilled is not known: %w", ErrOptions, queue.Name, b.unknown)
	}
	return b.hard, b.spill, nil
}

// checkRoom refuses, for a job that the end of another makes, what might be refused
// then: taking work off never needs room to add.
func checkRoom(queue job.Queue, o job.Options) error {
	switch {
	case queue.Hard:
		return fmt.Errorf("%w: queue %q is Hard, and a job that follows others can't be refused: let a job of another queue enqueue it", ErrOptions, queue.Name)
	case o.Spilled || o.OnlyReplacing:
		return fmt.Errorf("%w: job.Spilled or job.OnlyReplacing is given, and a job that follows others can't be refused: let it enqueue the other", ErrOptions)
	}
	return nil
}
