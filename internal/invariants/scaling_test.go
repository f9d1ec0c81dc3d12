package invariants

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/mapping"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// planned is the concurrency of the mappings of notes and feeds.
const planned = 3

// A simulatedLambda has mappings by UUID, which are the names of their queues. The one
// of notes is of this world's making: whether it is paused is looked at, and lets no
// message wait.
type simulatedLambda struct {
	mu       sync.Mutex
	mappings map[string]mapping.State
	lent     bool // feeds was paused once
	// runs of the function there were since the last change.
	runs int
}

func newSimulatedLambda() *simulatedLambda {
	state := mapping.State{Enabled: true, Concurrency: planned}
	return &simulatedLambda{mappings: map[string]mapping.State{"notes": state, "feeds": state}}
}

// GetEventSourceMapping reads a mapping.
func (l *simulatedLambda) GetEventSourceMapping(_ context.Context, in *lambda.GetEventSourceMappingInput, _ ...func(*lambda.Options)) (*lambda.GetEventSourceMappingOutput, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.mappings[*in.UUID]
	state := "Disabled"
	if m.Enabled {
		state = "Enabled"
	}
	return &lambda.GetEventSourceMappingOutput{State: &state, ScalingConfig: &types.ScalingConfig{MaximumConcurrency: aws.Int32(int32(m.Concurrency))}}, nil
}

// UpdateEventSourceMapping changes a mapping.
func (l *simulatedLambda) UpdateEventSourceMapping(_ context.Context, in *lambda.UpdateEventSourceMappingInput, _ ...func(*lambda.Options)) (*lambda.UpdateEventSourceMappingOutput, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = 0
	m := l.mappings[*in.UUID]
	if in.Enabled != nil {
		m.Enabled = *in.Enabled
		l.lent = l.lent || !m.Enabled
	}
	if in.ScalingConfig != nil {
		m.Concurrency = int(*in.ScalingConfig.MaximumConcurrency)
	}
	l.mappings[*in.UUID] = m
	return &lambda.UpdateEventSourceMappingOutput{}, nil
}

// unrest says which mapping is not as planned.
func (l *simulatedLambda) unrest() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, m := range l.mappings {
		if !m.Enabled || m.Concurrency != planned {
			return "the mapping of " + name + " is not as it was"
		}
	}
	switch {
	case !l.lent:
		return "nothing was lent"
	case l.runs < 3:
		return "the function is to see that all is well"
	}
	return ""
}

// scale is a run of the function that moves workers.
func scale(w *world, p *process, ctx context.Context) error {
	plan := func(q job.Queue) sizing.Plan {
		q.LongestWait = time.Hour
		return sizing.Plan{Queue: q, MaximumConcurrency: planned, MostConcurrency: planned, DrainRate: 1}
	}
	f, err := scaling.New(scaling.Config{
		Jobs: p.jobs, Plans: map[string]sizing.Plan{"notes": plan(notes), "feeds": plan(feeds)},
		Mappings: map[string]string{"notes": "notes", "feeds": "feeds"},
		URLs:     map[string]string{"notes": account + w.notes.name, "feeds": account + w.feeds.name},
		Lambda:   mapping.New(p.Process.Lambda(w.lambda)), Depths: p.queue, Logger: silent,
	})
	if err != nil {
		return err
	}
	err = f.Handle(ctx)
	w.lambda.mu.Lock()
	defer w.lambda.mu.Unlock()
	w.lambda.runs++
	return err
}

// scaler is a run by itself, which is repeated until it says that all went well.
func scaler(at time.Duration) step { return step{at, "scaling", scale} }

// lend asks for a loan of feeds to notes. What is refused was asked for already.
func lend(at, lasts time.Duration) step {
	return step{at, "operator", func(_ *world, p *process, ctx context.Context) error {
		desk, err := scaling.NewDesk(p.jobs, nil)
		if err != nil {
			return err
		}
		if known, err := desk.Queues(ctx); err != nil || len(known) == 0 {
			return errors.Join(err, errNoAnswer) // the function has not run yet
		}
		if _, err = desk.Lend(ctx, "feeds", "notes", 1, lasts); errors.Is(err, scaling.ErrRefused) {
			return nil
		}
		return err
	}}
}

// giveBack looks at what is lent, and asks for it back.
func giveBack(at time.Duration) step {
	return step{at, "operator", func(_ *world, p *process, ctx context.Context) error {
		desk, err := scaling.NewDesk(p.jobs, nil)
		if err != nil {
			return err
		}
		loans, err := desk.Loans(ctx)
		if err != nil || !slices.ContainsFunc(loans, func(l scaling.Loan) bool { return l.From == "feeds" }) {
			return err
		}
		if _, err = desk.Return(ctx, "feeds"); errors.Is(err, scaling.ErrNone) {
			return nil
		}
		return err
	}}
}

// loans are about workers that are lent: they come back, whatever happens.
func loans() []scenario {
	begin := func(w *world) {
		w.lambda = newSimulatedLambda()
		w.wants = append(w.wants, w.lambda.unrest)
	}
	return []scenario{
		{
			name: "loan", begin: begin,
			steps: []step{scaler(0), lend(10*time.Second, 5*time.Minute), scaler(time.Minute), scaler(2 * time.Minute)},
		},
		{
			name: "loan: given back", begin: begin,
			steps: []step{scaler(0), lend(10*time.Second, time.Hour), scaler(time.Minute), giveBack(70 * time.Second)},
		},
	}
}
