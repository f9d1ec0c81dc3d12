package invariants

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

// behind is how far the clock of some movers is behind: they leave it to the sweep to
// hand over what they move to a near time.
const behind = -time.Hour

// move gives a job another time, and leaves it in the table.
func move(at time.Duration, name string, to time.Duration) step {
	return reschedule(at, name, to, behind)
}

// reschedule gives a job another time, by a clock that is off. One that has begun is
// left alone.
func reschedule(at time.Duration, name string, to, off time.Duration) step {
	return step{at, "mover", func(w *world, p *process, ctx context.Context) error {
		clock := func() time.Time { return time.Now().Add(off) }
		mover, err := producer.New(producer.Config{Jobs: p.jobs, Now: clock}, write)
		if err != nil {
			return err
		}
		err = mover.Reschedule(ctx, idOf(name), w.start.Add(to))
		if errors.Is(err, producer.ErrStarted) || errors.Is(err, producer.ErrFinished) || errors.Is(err, producer.ErrNotFound) {
			return nil
		}
		return err
	}}
}

// lookAtSchedules is an operator who lists the periodic jobs, of which there are none,
// and asks for one.
func lookAtSchedules(at time.Duration) step {
	return step{at, "operator", func(_ *world, p *process, ctx context.Context) error {
		desk, err := periodic.NewDesk(p.jobs, nil)
		if err != nil {
			return err
		}
		if _, err := desk.List(ctx); err != nil {
			return err
		}
		if _, err = desk.Ask(ctx, "newsletter"); errors.Is(err, periodic.ErrUnknown) {
			return nil
		}
		return err
	}}
}

// replans are about jobs whose time is changed.
func replans() []scenario {
	return []scenario{
		{
			name: "reschedule",
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}, job.In(17*time.Minute)),
				enqueue(0, "b", write, []string{"ok"}, job.In(5*time.Minute)),
				reschedule(10*time.Second, "a", time.Minute, 0),
				reschedule(11*time.Second, "b", 2*time.Minute, 0),
				lookAtSchedules(12 * time.Second),
			},
			ends: ends{"a": done, "b": done},
		},
	}
}
