package fault

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrDead is what the calls of a killed process return; none is applied.
var ErrDead = errors.New("fault: the process is dead")

// A Call is one call to AWS that is about to be made.
type Call struct {
	Site Site
	// Method is the client's: "Write", "SendMessageBatch".
	Method string
	// Key is what it is about: a row's key, a queue.
	Key string
	// Reads tells that it changes nothing.
	Reads bool
	// Empty tells, once the call was made, that it read nothing.
	Empty bool
}

// Place names where in pkg the call is made, and what it is.
func (c Call) Place() string { return c.Site.String() + ": " + c.Method }

// A Process is a program as AWS sees it: it makes calls until it is killed. From
// then on its calls fail and are not applied, whatever goroutines it still has, and
// whoever runs it throws away what it answers. It may be used by many goroutines.
type Process struct {
	// Name says what the program is.
	Name string
	// Finder names the sites of its calls.
	Finder *Finder
	// Choose chooses the fault of a call.
	Choose func(*Process, Call) Kind
	// Delay is how long a Slow call takes, and a Frozen process stands still.
	Delay time.Duration
	// Hold keeps a call that is to be applied late.
	Hold func(c Call, apply func())
	// Done is told of each call how it went.
	Done func(p *Process, c Call, kind Kind, err error)

	dead, stalled atomic.Bool
	// stillUntil is until when all of the process stands still, in nanoseconds
	// since 1970.
	stillUntil atomic.Int64
}

// Kill ends the process.
func (p *Process) Kill() { p.dead.Store(true) }

// Dead tells whether the process was killed.
func (p *Process) Dead() bool { return p.dead.Load() }

// Stalled tells whether a slow call kept the process from its work.
func (p *Process) Stalled() bool { return p.stalled.Load() }

// stall lets the process stand still, with all that it does.
func (p *Process) stall() {
	p.stalled.Store(true)
	p.stillUntil.Store(time.Now().Add(p.Delay).UnixNano())
	time.Sleep(p.Delay)
}

// perform makes a call, under the fault that is chosen for it.
func perform[T any](ctx context.Context, p *Process, c Call, throttled error, call func(context.Context) (T, error)) (T, error) {
	var none T
	if p.Dead() {
		return none, ErrDead
	}
	c.Site = p.Finder.caller()
	time.Sleep(time.Until(time.Unix(0, p.stillUntil.Load())))
	kind := p.Choose(p, c)
	if p.Dead() { // killed while the choice was made
		return none, ErrDead
	}
	answer, err, ok := garbled(kind, throttled, func() (T, error) { return call(ctx) })
	if !ok {
		answer, err = fatal(ctx, p, c, kind, call)
	}
	c.Empty = isEmpty(answer)
	p.Done(p, c, kind, err)
	return answer, err
}

// fatal makes a call under a fault of the process.
func fatal[T any](ctx context.Context, p *Process, c Call, kind Kind, call func(context.Context) (T, error)) (answer T, err error) {
	var none T
	switch kind {
	case KilledBefore:
		p.Kill()
		return none, ErrDead
	case KilledAfter:
		_, _ = call(ctx) // nobody learns how it went
		p.Kill()
		return none, ErrDead
	case Slow:
		answer, err = call(ctx)
		p.stall()
		return answer, err
	case Frozen:
		p.stall()
		return call(ctx)
	case Late:
		late := context.WithoutCancel(ctx)
		p.Hold(c, func() { _, _ = call(late) })
		return none, ErrInjected
	}
	return none, errors.New("fault: " + kind.String() + " is no fault of a call")
}
