package worker

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Handler does a task's jobs. Handle and HandleResult make it.
type Handler struct {
	definition job.Definition
	// open decodes a job's arguments and gives the call of the function; nil
	// where there is no function.
	open func(rec *store.Record) (call, error)
	// subscription is the event that the task is done for; nil for most.
	subscription job.Subscriber
	// mistakes are those in the steps between versions of the arguments.
	mistakes error
}

// Definition gives that of the handler's task.
func (h Handler) Definition() job.Definition { return h.definition }

// A call is one run of a handler's function.
type call func(ctx context.Context) (result any, err error)

// Handle does the jobs of a task with f. f may be called by many goroutines at
// once. Its context ends before the lease does. steps are for jobs that were
// enqueued with earlier versions of the arguments (Upgrade).
func Handle[A any](task job.Task[A], f func(ctx context.Context, j *job.Job[A]) error, steps ...Step) Handler {
	if f == nil {
		return Handler{definition: task.Definition()}
	}
	return handler(task.Definition(), func(ctx context.Context, j *job.Job[A]) (any, error) { return nil, f(ctx, j) }, steps)
}

// HandleResult is Handle for a task whose result is kept with the job, as JSON of
// at most MaxResult bytes.
func HandleResult[A, R any](task job.ResultTask[A, R], f func(ctx context.Context, j *job.Job[A]) (R, error), steps ...Step) Handler {
	if f == nil {
		return Handler{definition: task.Definition()}
	}
	return handler(task.Definition(), func(ctx context.Context, j *job.Job[A]) (any, error) { return f(ctx, j) }, steps)
}

func handler[A any](definition job.Definition, f func(ctx context.Context, j *job.Job[A]) (any, error), steps []Step) Handler {
	ladder, mistakes := climb(definition, steps)
	return Handler{definition: definition, mistakes: mistakes, open: func(rec *store.Record) (call, error) {
		j, err := open[A](rec, ladder, definition.Policy.Version)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, error) { return f(ctx, j) }, nil
	}}
}

// open makes of a row what a handler is given. Arguments that don't decode never
// will: the job is dead.
func open[A any](rec *store.Record, steps ladder, current int) (*job.Job[A], error) {
	args, err := arguments[A](steps, current, rec)
	if err != nil {
		return nil, permanent("bad_arguments", fmt.Errorf("the arguments do not fit the task: %w", err))
	}
	return job.New(job.Job[A]{
		Args: args, ID: rec.ID, Task: rec.Task, Queue: rec.Queue,
		Attempt: rec.Attempt, MaxAttempts: rec.MaxAttempts,
		CreatedAt: rec.Created, Client: rec.Client, Trace: rec.Trace, Degraded: rec.Degraded, Follows: rec.Follows,
	}, job.Internals{Cursor: rec.Cursor, Token: rec.Token}), nil
}

// A codedError is an error with the code that the job shows.
type codedError struct {
	code string
	err  error
}

func (e *codedError) Error() string     { return e.err.Error() }
func (e *codedError) Unwrap() error     { return e.err }
func (e *codedError) ErrorCode() string { return e.code }

// permanent makes a failure that no further attempt can mend.
func permanent(code string, err error) error { return job.Fail(&codedError{code, err}) }
