package worker

import (
	"context"
	"errors"
	"sync"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Why a handler's context ended, where it was not its time: context.Cause tells.
// Progress and Commit return them as well.
var (
	// ErrLeaseLost: the job is somebody else's, or may be any moment. Whatever
	// the handler still does, its successor does too.
	ErrLeaseLost = store.ErrLeaseLost
	// ErrCancelled: somebody asked for the job's cancellation. An error that
	// the handler returns now ends the job as cancelled; nil still as done.
	ErrCancelled = store.ErrCancelRequested
	// ErrShutdown: Poll ends, and the time to drain is over. The job runs again
	// at once, elsewhere, and no attempt is spent.
	ErrShutdown = errors.New("worker: the process is shutting down")
)

// errNoRun is a call with a context that is no handler's.
var errNoRun = errors.New("worker: this is not the context of a handler that this package called with this job")

// errEnded is a call after the run has ended.
var errEnded = errors.New("worker: the run has ended already")

// A run is one run of a handler, as the functions of this package find it in the
// handler's context. Its methods may be called by many goroutines.
type run struct {
	config *Config
	jobs   *store.Jobs
	// interrupt ends the handler's context with a cause; expire ends its time,
	// after which the handler has Grace.
	interrupt context.CancelCauseFunc
	expire    context.CancelFunc
	// keeper extends the lease; nil in Lambda, where the lease outlives the
	// invocation.
	keeper *keeper

	// told is what the run's context tells of it; nobody writes to it.
	told telemetry.Run
	// spanEnd ends the run's span; nil without a tracer.
	spanEnd func(outcome string, err error)

	// writing is held by whoever writes for the handler: one at a time.
	writing sync.Mutex

	mu sync.Mutex
	// rec is the row as it was last seen; guarded by mu, never written to.
	rec *store.Record
	// ended tells that the handler ended the run itself, by rec.
	ended bool
	// cancelled tells that a cancellation was asked for, lost that the lease
	// was lost or has ended.
	cancelled, lost bool
}

type runKey struct{}

// A runContext is the context of a run: in it are the run itself, and what log lines and
// jobs that are made in it tell of it.
type runContext struct {
	context.Context
	run *run
}

// Value gives the run under both of its keys.
func (c runContext) Value(key any) any {
	switch key.(type) {
	case runKey:
		return c.run
	case telemetry.RunKey:
		return &c.run.told
	}
	return c.Context.Value(key)
}

// runOf finds a job's run in its handler's context.
func runOf(ctx context.Context, id job.ID) (*run, error) {
	r, ok := ctx.Value(runKey{}).(*run)
	if !ok || r.record().ID != id {
		return nil, errNoRun
	}
	return r, nil
}

// record is the row as it was last seen.
func (r *run) record() *store.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rec
}

// endedAs gives the row as the handler itself left it (Commit); nil where the
// handler ended nothing.
func (r *run) endedAs() *store.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		return nil
	}
	return r.rec
}

// interrupted tells why the handler's context ended before its time.
func (r *run) interrupted() (cancelled, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cancelled, r.lost
}

// end lets the handler end its run by write, which is given the claimed row and
// gives the row as it is then. No heartbeat is written beside it. Where it fails
// the run goes on; a lease that was lost, or a cancellation, ends the handler's
// context.
func (r *run) end(write func(claimed store.Record) (store.Record, error)) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.endedAs() != nil {
		return errEnded
	}
	r.keeper.pause()
	rec, err := write(*r.record())
	if err != nil {
		r.failed(err)
		r.keeper.resume()
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rec, r.ended = &rec, true
	return nil
}

// report saves the handler's progress. A cancellation that was asked for is an
// error, though the progress is saved.
func (r *run) report(ctx context.Context, progress []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.endedAs() != nil {
		return errEnded
	}
	rec, err := r.jobs.Report(ctx, *r.record(), progress, noTime)
	if err != nil {
		r.failed(err)
		return err
	}
	return r.saw(&rec)
}

// saw takes the row over as it came back from a write of the run's. The error is
// ErrCancelled where somebody asked for that.
func (r *run) saw(rec *store.Record) error {
	r.mu.Lock()
	rec.Trace = r.rec.Trace // the run's, which what follows carries on
	r.rec = rec
	r.cancelled = r.cancelled || rec.CancelRequested
	r.mu.Unlock()
	if rec.CancelRequested {
		r.interrupt(ErrCancelled)
		return ErrCancelled
	}
	return nil
}

// failed looks for what ends the handler's context in the error of a write.
func (r *run) failed(err error) {
	switch {
	case errors.Is(err, ErrLeaseLost):
		r.lose()
	case errors.Is(err, ErrCancelled):
		r.mu.Lock()
		r.cancelled = true
		r.mu.Unlock()
		r.interrupt(ErrCancelled)
	}
}

// lose ends the handler's context and its time: a successor may be at work.
func (r *run) lose() {
	r.mu.Lock()
	r.lost = true
	r.mu.Unlock()
	r.interrupt(ErrLeaseLost)
	r.expire()
}
