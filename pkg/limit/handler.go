package limit

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Limiter says who may begin: a *Bucket, *Slots, or several of them (All). Its
// methods may be called by many goroutines.
type Limiter interface {
	// Enter asks for owner (a job's id) to begin work for the key. Where the work
	// may not begin, Permit.Wait tells when to ask again. An error tells that the
	// table did not answer.
	Enter(ctx context.Context, key, owner string) (Permit, error)
}

// A Permit is what a Limiter answers.
type Permit struct {
	// Granted tells that the work may begin.
	Granted bool
	// Wait is when to ask again, where it may not.
	Wait time.Duration
	// Context, where it is set, is that of the work: it ends early where the
	// permit is lost (ErrLost).
	Context context.Context
	// Leave, where it is set, is called when the work has ended.
	Leave func()

	// undo, where it is set, is called instead where the work never began.
	undo func()
}

// Handler keeps the runs of a task's handler within a limit for each key, which keyOf
// takes from the job: a customer, a third party. A job that may not begin is snoozed:
// that spends no attempt, and takes its worker some milliseconds. It comes back about
// when there is room for it, one after the other; see package limit.
//
//	worker.Handle(tasks.Sync, limit.Handler(slots, customerOf, syncer.Sync))
//
//go:noinline
func Handler[A any](l Limiter, keyOf func(*job.Job[A]) string, f func(context.Context, *job.Job[A]) error) func(context.Context, *job.Job[A]) error {
	run := HandlerResult(l, keyOf, func(ctx context.Context, j *job.Job[A]) (struct{}, error) { return struct{}{}, f(ctx, j) })
	return func(ctx context.Context, j *job.Job[A]) error {
		_, err := run(ctx, j)
		return err
	}
}

// HandlerResult is Handler for a task with a result. (Neither is inlined, so that stack
// traces of a limited run name them.)
//
//go:noinline
func HandlerResult[A, R any](l Limiter, keyOf func(*job.Job[A]) string, f func(context.Context, *job.Job[A]) (R, error)) func(context.Context, *job.Job[A]) (R, error) {
	return func(ctx context.Context, j *job.Job[A]) (result R, err error) {
		permit, err := l.Enter(ctx, keyOf(j), string(j.ID))
		switch {
		case err != nil:
			return result, err
		case !permit.Granted:
			return result, job.Snooze(permit.Wait)
		}
		defer permit.leave()
		if permit.Context != nil {
			ctx = permit.Context
		}
		return f(ctx, j)
	}
}

func (p Permit) leave() {
	if p.Leave != nil {
		p.Leave()
	}
}

func (p Permit) takeBack() {
	if p.undo == nil {
		p.leave()
		return
	}
	p.undo()
}

// All asks several limiters, in their order, and lets work begin where all do. Put
// Slots before Buckets: a slot is given back where a later one refuses, and a token is
// spent.
func All(limiters ...Limiter) Limiter { return all(limiters) }

type all []Limiter

// Enter implements Limiter.
func (a all) Enter(ctx context.Context, key, owner string) (Permit, error) {
	var entered []Permit
	each := func(leave func(Permit)) func() {
		return func() {
			for i := len(entered) - 1; i >= 0; i-- {
				leave(entered[i])
			}
		}
	}
	leave, undo := each(Permit.leave), each(Permit.takeBack)
	for _, l := range a {
		permit, err := l.Enter(ctx, key, owner)
		if err != nil || !permit.Granted {
			undo()
			return permit, err
		}
		if permit.Context != nil {
			ctx = permit.Context
		}
		entered = append(entered, permit)
	}
	return Permit{Granted: true, Context: ctx, Leave: leave, undo: undo}, nil
}
