package periodic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// DefaultGrace is how late an event may be before its occurrence counts as missed:
// EventBridge fires within a minute, and Lambda tries again after one and two.
const DefaultGrace = 10 * time.Minute

// Ahead is how far ahead of this machine's clock an event's time may be. A later
// one is refused: the mark would hold up everything before it.
const Ahead = 5 * time.Minute

// ErrUnknown means that there is no periodic job of that name.
var ErrUnknown = errors.New("periodic: no such job")

// A Config says what periodic jobs work with. The zero value of each field but Jobs
// and Producer means its default.
type Config struct {
	// Jobs keeps the marks. Required.
	Jobs *store.Jobs
	// Producer enqueues the jobs; it knows their tasks. Required.
	Producer *producer.Producer
	// Grace is how late an event may be; zero means DefaultGrace.
	Grace time.Duration
	// Logger is told what was enqueued, caught up and given up; nil means none.
	Logger *slog.Logger
	// Metrics counts the occurrences that were missed, and is flushed by Occur and
	// Check; nil counts nothing.
	Metrics telemetry.Recorder
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A Periodic enqueues jobs at their times. It may be used by many goroutines, and
// by many processes on the same table.
type Periodic struct {
	marks
	producer *producer.Producer
	grace    time.Duration
	log      *slog.Logger
	metrics  telemetry.Recorder
	entries  []*entry
}

// New makes a Periodic. It reports every mistake at once.
func New(config Config, jobs ...Job) (*Periodic, error) {
	p := &Periodic{marks: marks{config.Jobs, config.Now}, producer: config.Producer, grace: config.Grace, log: config.Logger, metrics: config.Metrics}
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("periodic: "+format, args...))
	}
	if p.jobs == nil {
		bad("Config.Jobs is nil: make it with store.New")
	}
	if p.producer == nil {
		bad("Config.Producer is nil: make it with producer.New")
	}
	if p.grace < 0 {
		bad("Config.Grace is %v: it is 0 (the default) or more", p.grace)
	}
	if len(jobs) == 0 {
		bad("no jobs: pass every periodic job of this function")
	}
	if p.grace == 0 {
		p.grace = DefaultGrace
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if p.now == nil {
		p.now = time.Now
	}
	for _, j := range jobs {
		problems = append(problems, p.add(j))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Periodic) add(j Job) error {
	when, err := j.parse()
	if err != nil {
		return err
	}
	if _, err := p.find(j.Name); err == nil {
		return fmt.Errorf("periodic: job %q is given twice: names identify jobs for ever", j.Name)
	}
	if j.Most == 0 {
		j.Most = DefaultMost
	}
	if j.Within == 0 {
		j.Within = MaxWithin
	}
	if j.Overlap == LeaveOut {
		j.Options = append(slices.Clone(j.Options), job.Unique("periodic/"+j.Name))
	}
	p.entries = append(p.entries, &entry{Job: j, when: when})
	if p.producer == nil {
		return nil
	}
	if _, err := p.producer.Arguments(j.Request(p.now().In(when.Zone()))); err != nil {
		return fmt.Errorf("periodic: job %q: its Request: %w", j.Name, err)
	}
	return nil
}

func (p *Periodic) find(name string) (*entry, error) {
	for _, e := range p.entries {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("%w: %.80q", ErrUnknown, name)
}

// Handle answers an event of a schedule: the Input of a Job, or CheckInput. It is
// the function's handler. An error means that the same event may succeed later, or
// that it is none of these; both are for Lambda's retries and then its on-failure
// destination. Everything that was done by then is not done again.
func (p *Periodic) Handle(ctx context.Context, raw json.RawMessage) error {
	event, err := decode(raw)
	if err != nil {
		return err
	}
	if event.Check {
		return p.Check(ctx)
	}
	at, err := time.Parse(time.RFC3339, event.Time)
	if err != nil {
		return fmt.Errorf("periodic: job %q: the event's time %.40q is none: the schedule's target needs the job's Input", event.Periodic, event.Time)
	}
	return p.Occur(ctx, event.Periodic, at)
}

// enqueue makes the job of an occurrence, unless it is there already.
func (p *Periodic) enqueue(ctx context.Context, e *entry, s state, at time.Time, late bool) error {
	at = at.In(e.when.Zone())
	id := s.idOf(e.Name, at)
	options := append([]job.Option{job.WithID(id, occurrenceName(e.Name, at)), job.AsOf(at)}, e.Options...)
	rec, made, err := p.producer.Make(ctx, e.Request(at), options...)
	if errors.Is(err, producer.ErrOtherRequest) {
		// The id is nobody else's: the occurrence was enqueued before its
		// request became one of another task.
		rec, made, err = store.Record{ID: id}, false, nil
	}
	if err != nil {
		return fmt.Errorf("periodic: job %q of %s: %w", e.Name, at.Format(time.RFC3339), err)
	}
	says := "enqueued"
	switch {
	case !made && rec.Unique != "" && rec.Fingerprint != occurrenceName(e.Name, at):
		says = "left out: an earlier job has the key"
	case !made:
		says = "was enqueued before"
	}
	p.log.InfoContext(ctx, "periodic job", "name", e.Name, "occurrence", at, "late", late, "result", says, "job", rec.ID)
	return nil
}
