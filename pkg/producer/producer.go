// Package producer turns requests for background work into jobs: it checks the
// arguments and the options, and writes one row. Nothing else is sent; the relay
// publishes the row, so that a job can't be accepted and then forgotten.
package producer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Errors that callers decide on. Each is the fault of the request: the same
// request fails again.
var (
	// ErrUnknownTask: the producer was not built with the request's task.
	ErrUnknownTask = errors.New("producer: unknown task")
	// ErrArguments: the arguments are not what the task takes.
	ErrArguments = errors.New("producer: wrong arguments")
	// ErrTooLarge: the encoded arguments exceed the task's MaxArguments.
	ErrTooLarge = errors.New("producer: the arguments are too large")
	// ErrOptions: the options contradict one another or the task's queue.
	ErrOptions = errors.New("producer: wrong options")
	// ErrOtherRequest: the id given by job.WithID belongs to a job that
	// another request made.
	ErrOtherRequest = store.ErrOtherRequest
)

// MostArguments is the most that MaxArguments of a task may be, in bytes, where
// there are no Objects: the arguments are part of the job's row, and DynamoDB's rows
// end at 400 KB. What is left is for the result, the error and the row's other
// attributes. With Objects the most is claimcheck.MaxBytes; over HTTP less comes
// through, since Lambda takes requests of 6 MB.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const MostArguments = 320 << 10

// A Config says what a producer works with.
type Config struct {
	// Jobs is where jobs are kept. Required.
	Jobs *store.Jobs
	// Objects keeps arguments that are too large for a row. Without it all
	// arguments are part of their rows.
	Objects *claimcheck.Objects
	// ClaimCheckOver is the size in bytes over which encoded arguments go to
	// Objects; zero means claimcheck.DefaultOver, and MostArguments is the most.
	// Raise it where a few milliseconds count more than a few dollars per million
	// jobs: an object costs its producer and its worker a round trip each.
	ClaimCheckOver int
	// Tracer makes a span of each job that is enqueued by itself; nil means none. The
	// trace of the context, or of job.WithTrace, goes with every job.
	Tracer telemetry.Tracer
	// Metrics counts jobs that were refused for want of room (ErrFull), though their
	// queue's gate had let them in; whoever enqueues flushes it. Nil counts nothing.
	Metrics telemetry.Recorder
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// A Producer enqueues jobs. It may be used by many goroutines.
type Producer struct {
	jobs    *store.Jobs
	objects *claimcheck.Objects
	// over is the size over which arguments go to objects.
	over    int
	now     func() time.Time
	tracer  telemetry.Tracer
	metrics telemetry.Recorder
	tasks   map[string]job.Definition
	// bounds are the queues', by their names.
	bounds map[string]bounds
}

// New makes a producer of the tasks that may be enqueued. It reports every
// mistake in the configuration and the definitions at once.
func New(config Config, tasks ...job.Defined) (*Producer, error) {
	p := &Producer{
		jobs: config.Jobs, objects: config.Objects, now: config.Now, tracer: config.Tracer, metrics: config.Metrics, tasks: make(map[string]job.Definition, len(tasks)),
		bounds: map[string]bounds{},
	}
	problems := []error{p.checkClaims(config.ClaimCheckOver)}
	if p.jobs == nil {
		problems = append(problems, errors.New("producer: Config.Jobs is nil: make it with store.New"))
	}
	if p.now == nil {
		p.now = time.Now
	}
	if len(tasks) == 0 {
		problems = append(problems, errors.New("producer: no tasks: pass every task that is to be enqueued"))
	}
	for _, task := range tasks {
		problems = append(problems, p.add(task.Definition()))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Producer) add(d job.Definition) error {
	if _, twice := p.tasks[d.Name]; twice {
		return fmt.Errorf("producer: task %q is defined twice: names identify tasks for ever", d.Name)
	}
	p.tasks[d.Name] = d
	problems := []error{d.Validate(), p.checkMost(d)}
	if queue := d.Policy.Queue; problems[0] == nil {
		b, err := boundsOf(d)
		p.bounds[queue.Name], problems = b, append(problems, err)
	}
	return errors.Join(problems...)
}

// Task gives the definition of a task that the producer was built with.
func (p *Producer) Task(name string) (job.Definition, bool) {
	d, ok := p.tasks[name]
	return d, ok
}

// Tasks gives the definitions of all tasks, in no order.
func (p *Producer) Tasks() []job.Definition {
	all := make([]job.Definition, 0, len(p.tasks))
	for _, d := range p.tasks {
		all = append(all, d)
	}
	return all
}

// Enqueue makes a job, in one write (two where its arguments go to Objects), and
// gives its id; with job.Unique it may be the id of the job that has the key. From
// the moment that it returns the job exists and will be run, whatever becomes of
// this process.
//
// Errors: ErrUnknownTask, ErrArguments, ErrTooLarge, ErrOptions and
// ErrOtherRequest are the request's fault; ErrFull says that there is no room;
// others are the store's or those of
// Objects (claimcheck.ErrUnavailable: no job was made), and the same call may
// succeed later. An error of the store leaves open whether the job was
// made: repeat the call with job.WithID to be safe.
func (p *Producer) Enqueue(ctx context.Context, request job.Request, options ...job.Option) (job.ID, error) {
	rec, _, err := p.Make(ctx, request, options...)
	return rec.ID, err
}

// Make does what Enqueue does and gives the job's record. made is false where
// the same request (job.WithID) had made the job before, or where another job has
// the key of job.Unique: the record is then that job as it is now.
func (p *Producer) Make(ctx context.Context, request job.Request, options ...job.Option) (rec store.Record, made bool, err error) {
	ctx, options, end := p.span(ctx, request.Definition, options)
	defer func() { end(string(rec.State), err) }()
	n, err := p.Plan(ctx, request, options...)
	if err != nil {
		return store.Record{}, false, err
	}
	rec, made, err = p.jobs.Create(ctx, n)
	if errors.Is(err, ErrFull) {
		telemetry.Record(ctx, p.metrics, telemetry.Refused.Times(n.Queue, 1))
	}
	if errors.Is(err, store.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	if err != nil {
		return store.Record{}, false, fmt.Errorf("producer: enqueueing %s: %w", n.Task, err)
	}
	return rec, made, nil
}

// Plan checks a request and gives the job as it is to be written, for somebody who
// writes it together with other rows (package outbox). Arguments too large for a row
// are in their object already. Errors are those of Enqueue, the store's apart.
func (p *Producer) Plan(ctx context.Context, request job.Request, options ...job.Option) (store.NewJob, error) {
	return p.plan(ctx, request, job.Apply(options...), nil)
}

// plan is Plan for a job that may be one of a batch.
func (p *Producer) plan(ctx context.Context, request job.Request, o job.Options, member *store.Member) (store.NewJob, error) {
	args, err := p.Arguments(request)
	if err != nil {
		return store.NewJob{}, err
	}
	d := p.tasks[request.Definition.Name]
	o.Trace = telemetry.Carried(ctx, o.Trace)
	n, err := p.newJob(d, args, o, member)
	if err == nil {
		n, err = p.fitted(ctx, n)
	}
	if err != nil {
		return store.NewJob{}, fmt.Errorf("producer: enqueueing %s: %w", d.Name, err)
	}
	return n, nil
}

// newJob is the job as it will be written.
func (p *Producer) newJob(d job.Definition, args json.RawMessage, o job.Options, member *store.Member) (store.NewJob, error) {
	queue := d.Policy.Queue
	notBefore, err := start(queue, o, p.now())
	unique, badKey := uniqueness(d.Policy, o.Unique)
	follow, badFollowUps := p.follow(o.FollowUps, member)
	hard, spill, badForm := p.admitted(queue, o)
	if err := errors.Join(err, checkGroup(queue, o.Group), checkID(o), badKey, badFollowUps, badForm); err != nil {
		return store.NewJob{}, err
	}
	id := o.ID
	if id == "" {
		if id, err = p.jobs.NewID(); err != nil {
			return store.NewJob{}, err
		}
	}
	if queue.FIFO {
		id = id.InGroup(queue.Name, o.Group)
	}
	return store.NewJob{
		ID: id, Task: d.Name, Queue: queue.Name, FIFO: queue.FIFO, Args: args,
		Version: d.Policy.Version, MaxAttempts: d.Policy.MaxAttempts, NotBefore: notBefore,
		Degraded: o.Degraded, Hard: hard, Spill: spill, OnlyReplacing: o.OnlyReplacing, AsOf: o.AsOf,
		Fingerprint: o.Fingerprint, Unique: unique, Client: o.Client, Trace: o.Trace, Probe: o.Probe, Follow: follow,
	}, nil
}
