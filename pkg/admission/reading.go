package admission

import (
	"context"
	"time"
)

// A Reading is what is known of a queue at one moment.
type Reading struct {
	// Depth is how many jobs wait: visible, delayed and in flight.
	Depth int
	// Oldest is since when the job waits that waits longest for a worker; zero where
	// none does, or nobody knows.
	Oldest time.Time
	// Due is since when the job has been due that is longest so and was not handed to
	// the queue; zero where there is none.
	Due time.Time
	// Relayed is up to when the relay is known to have published what goes to the
	// queue; Asked is since when a gate's own probe waits for that, and answered where
	// it is not after Relayed; Probed is when the last one was sent.
	Relayed, Asked, Probed time.Time
}

// Age is how long the oldest job has waited. A reading is of its moment: as long as
// nothing newer is known, the age grows.
func (r Reading) Age(now time.Time) time.Duration {
	var age time.Duration
	for _, since := range [...]time.Time{r.Oldest, r.Due} {
		if !since.IsZero() {
			age = max(age, now.Sub(since))
		}
	}
	return age
}

// takeTable takes over what the table says, which is exact, whatever SQS counts.
func (r *Reading) takeTable(from Reading) {
	r.Due, r.Relayed, r.Asked, r.Probed = from.Due, from.Relayed, from.Asked, from.Probed
}

// Look reads what is known of a queue.
type Look func(ctx context.Context) (Reading, error)

// Depth counts the jobs that wait in a queue.
type Depth func(ctx context.Context) (int, error)

// look is a reading by who knows the depth alone.
func (d Depth) look(ctx context.Context) (Reading, error) {
	n, err := d(ctx)
	return Reading{Depth: n}, err
}
