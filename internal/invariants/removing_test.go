package invariants

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A drop is what fills the tank: how its run ends.
type drop struct {
	How string `json:"how"`
}

// The tank has few places, and is hard in every way.
var (
	tank     = job.Queue{Name: "tank", PeakArrivals: 0.01, ServiceTime: 10 * time.Second, LongestWait: time.Minute, Hard: true, Full: job.Spill, SpillLimit: 5}
	open     = job.Queue{Name: "open", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}
	fillTank = job.Define[drop]("tank.fill", job.Policy{Queue: tank, MaxAttempts: 3})
	overflow = job.Define[drop]("tank.over", job.Policy{Queue: open, MaxAttempts: 3})
)

// ways are all in which a job can be finished.
var ways = []string{"ok", "commit", "retry", "later", "snooze", "continue", "dead", "discard"}

// Taking work off never needs room to add: everything is full, and everybody who
// would add is refused or throttled, again and again while the workers work. They
// finish every job that was accepted, and what follows.
func TestRemovingNeverNeedsRoomToAdd(t *testing.T) {
	kit := nightshifttest.New(t, nightshifttest.Config{}, fillTank, overflow)
	throttled := throttledProducer(t, kit)
	accepted := fillUp(t, kit)
	refused := 0
	pressing := func(ctx context.Context) {
		if _, err := throttled.Enqueue(ctx, fillTank.With(drop{"ok"})); !errors.Is(err, store.ErrThrottled) {
			t.Errorf("a throttled producer: %v", err)
		}
		refused++
	}
	runs := map[job.ID]int{}
	kit.Serve(
		worker.Handle(fillTank, func(ctx context.Context, j *job.Job[drop]) error {
			pressing(ctx)
			runs[j.ID]++
			return finish(ctx, j, runs[j.ID])
		}),
		worker.Handle(overflow, func(ctx context.Context, _ *job.Job[drop]) error { pressing(ctx); return nil }),
	)
	kit.RunAll(t.Context())
	for id, want := range accepted {
		kit.WantState(id, want)
		if rec := kit.Record(id.Follow(0)); rec.State != lifecycle.Done {
			t.Errorf("what follows %s is %s", id, rec.State)
		}
	}
	if refused < len(accepted) {
		t.Errorf("%d were pressing", refused)
	}
	for _, count := range []store.Count{store.CountHard, store.CountSpilled} {
		counters, err := kit.Jobs.Counters(t.Context(), count, tank.Name, 1)
		if err != nil || len(counters) != 1 || counters[0].Used != 0 {
			t.Errorf("%s: %+v, %v; every worker gave its places back", count, counters, err)
		}
	}
	if _, err := kit.Producer.Enqueue(t.Context(), fillTank.With(drop{"ok"})); err != nil {
		t.Errorf("the empty tank takes nothing: %v", err)
	}
}

// throttledProducer writes to a table that takes nothing from it.
func throttledProducer(t *testing.T, kit *nightshifttest.Kit) *producer.Producer {
	jobs, err := store.New(store.Config{
		Driver: &fault.Driver{Inner: kit.Table(""), At: func(int) fault.Kind { return fault.Throttled }},
		Pause:  func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs}, fillTank)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fillUp takes every place of the tank and of its spill, and gives the jobs with how
// they are to end.
func fillUp(t *testing.T, kit *nightshifttest.Kit) map[job.ID]lifecycle.State {
	t.Helper()
	accepted := map[job.ID]lifecycle.State{}
	for _, options := range [][]job.Option{nil, {job.Spilled()}} {
		for i := 0; ; i++ {
			how := ways[i%len(ways)]
			id, err := kit.Producer.Enqueue(t.Context(), fillTank.With(drop{how}), append(options, job.Finally(overflow.With(drop{how})))...)
			if errors.Is(err, producer.ErrFull) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch how {
			case "dead":
				accepted[id] = lifecycle.Dead
			case "discard":
				accepted[id] = lifecycle.Cancelled
			default:
				accepted[id] = lifecycle.Done
			}
		}
	}
	if len(accepted) < len(ways)+tank.SpillLimit {
		t.Fatalf("only %d jobs fill everything", len(accepted))
	}
	return accepted
}

// finish ends a run in one of the ways.
func finish(ctx context.Context, j *job.Job[drop], run int) error {
	if run > 1 {
		return nil
	}
	switch j.Args.How {
	case "commit":
		return worker.Commit(ctx, j, store.Write{Op: store.Put, Item: effectKey(j.ID)})
	case "retry":
		return errBoom
	case "later":
		return job.RetryAfter(time.Hour, errBoom)
	case "snooze":
		return job.Snooze(time.Minute)
	case "continue":
		return job.Continue(fmt.Sprint(run))
	case "dead":
		return job.Fail(errBoom)
	case "discard":
		return job.Discard("unwanted")
	}
	return nil
}
