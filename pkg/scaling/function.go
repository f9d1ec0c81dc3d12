package scaling

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/mapping"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Mappings reads and changes event source mappings; *mapping.Lambda does.
type Mappings interface {
	Get(ctx context.Context, uuid string) (mapping.State, error)
	Set(ctx context.Context, uuid string, c mapping.Change) error
}

// Depths counts what waits in queues; *queue.SQS does.
type Depths interface {
	Depth(ctx context.Context, url string) (queue.Depth, error)
}

// A Config tells what a Function works with.
type Config struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// Plans are those of all queues, by their names: sizing.ForTasks. Required.
	Plans map[string]sizing.Plan
	// Mappings are the UUIDs of the queues' event source mappings and URLs where the
	// queues are, by their names. Required for each queue that functions work on.
	Mappings, URLs map[string]string
	// Lambda changes mappings, and Depths counts messages. Required.
	Lambda Mappings
	Depths Depths
	// Age tells how long the oldest job of a queue has waited; nil means that the
	// queues' gauges tell (package gauge).
	Age func(ctx context.Context, queue string) (time.Duration, error)
	// Budget is how many workers all queues together may have: what the database
	// behind them bears. Zero means that there is no such bound.
	Budget int
	// Logger takes what was done; default slog.Default().
	Logger *slog.Logger
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// A Function carries out loans and moves concurrency by the rule, once a minute. It
// keeps nothing between runs: what it has in mind is in the jobs table before it acts,
// so that the next run goes on where a crash left off. Two runs at once do no harm.
type Function struct {
	config Config
	bounds map[string]Bounds // of queues that functions work on
	known  map[string]Known
}

// New makes a Function. Every mistake is reported at once.
func New(config Config) (*Function, error) {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	f := &Function{config: config, bounds: map[string]Bounds{}, known: map[string]Known{}}
	for name, plan := range config.Plans {
		b := For(plan)
		f.known[name] = Known{Least: b.Least, Most: b.Most, SideBySide: plan.Queue.SideBySide(), Polled: plan.Queue.Polled}
		if !plan.Queue.Polled {
			f.bounds[name] = b
		}
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if config.Age == nil {
		return f, f.readGauges()
	}
	return f, nil
}

// readGauges lets ages be what the queues' gauges tell.
func (f *Function) readGauges() error {
	sources := map[string]*gauge.Source{}
	for name, b := range f.bounds {
		source, err := gauge.NewSource(gauge.SourceConfig{
			Queue: name, URL: f.config.URLs[name], LongestWait: b.Plan.Queue.LongestWait,
			Jobs: f.config.Jobs, Counter: f.config.Depths, Now: f.config.Now, Logger: f.config.Logger,
		})
		if err != nil {
			return fmt.Errorf("scaling: %w", err)
		}
		sources[name] = source
	}
	f.config.Age = func(ctx context.Context, queue string) (time.Duration, error) {
		reading, err := sources[queue].Look(ctx)
		if err != nil || reading.Oldest.IsZero() {
			return 0, err
		}
		return f.config.Now().Sub(reading.Oldest), nil
	}
	return nil
}

func (f *Function) check() error {
	var problems []error
	bad := func(format string, args ...any) { problems = append(problems, fmt.Errorf("scaling: "+format, args...)) }
	if f.config.Jobs == nil {
		bad("Jobs is nil")
	}
	if f.config.Lambda == nil {
		bad("Lambda is nil")
	}
	if f.config.Depths == nil {
		bad("Depths is nil")
	}
	if f.config.Budget < 0 {
		bad("Budget is %d: it is 0 (no bound) or more", f.config.Budget)
	}
	least := 0
	for _, name := range slices.Sorted(maps.Keys(f.bounds)) {
		b := f.bounds[name]
		least += b.Workers(b.Least)
		if f.config.Mappings[name] == "" || f.config.URLs[name] == "" {
			bad("queue %q: its mapping's UUID or its URL is missing", name)
		}
	}
	if f.config.Budget > 0 && least > f.config.Budget {
		bad("Budget is %d workers, and the queues' peaks need %d already: raise it, or lower the queues' load", f.config.Budget, least)
	}
	return errors.Join(problems...)
}

// Handle makes one run. It takes no notice of the event: a schedule's says nothing but
// the time. What can't be done now, because Lambda is busy with the mapping or is asked
// too much, is left to the next run; it is an error only when it has been so for
// Overdue.
func (f *Function) Handle(ctx context.Context) error {
	marks, err := f.config.Jobs.Marks(ctx, markPrefix)
	if err != nil {
		return err
	}
	r, err := f.begin(marks)
	if err != nil {
		return err
	}
	known := f.tellKnown(ctx, marks[knownMark])
	r.endLoans(ctx)
	r.observe(ctx)
	r.decide()
	r.noteLoans(ctx)
	return errors.Join(append(r.carryOut(ctx), known, errors.Join(r.problems...))...)
}

// tellKnown writes down for operators which queues there are.
func (f *Function) tellKnown(ctx context.Context, before string) error {
	text, err := encode(f.known)
	if err != nil || text == before {
		return err
	}
	// A lost race: another run, which wrote the same.
	_, err = f.config.Jobs.SetMark(ctx, knownMark, before, text)
	return err
}
