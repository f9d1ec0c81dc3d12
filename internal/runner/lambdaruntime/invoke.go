package lambdaruntime

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Invoke runs the function once and waits for its answer. A function's failure
// is a Result with FunctionError; an error means that the function did not run
// (ErrThrottled, ErrTooLarge, ErrClosed) or that ctx ended, in which case the
// invocation runs on, as Lambda's does when its caller goes away.
func (f *Function) Invoke(ctx context.Context, payload []byte) (Result, error) {
	if len(payload) > MaxPayload {
		return Result{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, len(payload))
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	i := newInvocation(payload, f.config.Clock.Now())
	release := f.config.Clock.Hold()
	e, cold, err := f.acquire()
	if err != nil {
		release()
		return Result{}, err
	}
	go func() {
		defer release()
		f.run(e, cold, i)
	}()
	select {
	case result := <-i.done:
		return result, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// An invocation is one event on its way through an environment.
type invocation struct {
	id       string
	payload  []byte
	trace    string
	deadline time.Time
	reported chan Result   // what the process answered; holds one, the first wins
	next     chan struct{} // closed when the process asks for its next invocation

	once sync.Once
	done chan Result // what the caller gets; holds one
}

func newInvocation(payload []byte, now time.Time) *invocation {
	return &invocation{id: NewUUID(), payload: payload, trace: NewTrace(now),
		reported: make(chan Result, 1), next: make(chan struct{}), done: make(chan Result, 1)}
}

// report takes the process's answer. Only the first one counts.
func (i *invocation) report(r Result) {
	select {
	case i.reported <- r:
	default:
	}
}

// outcome is the process's answer, if there is one by now, or else otherwise.
func (i *invocation) outcome(answer *Result, otherwise Result) Result {
	if answer != nil {
		return *answer
	}
	select {
	case r := <-i.reported:
		return r
	default:
		return otherwise
	}
}

// run takes the invocation to the environment, or to a fresh one where that
// died while it was idle.
func (f *Function) run(e *environment, cold bool, i *invocation) {
	for {
		i.deadline = time.Now().Add(f.config.Timeout) // of which the process makes a context
		if cold {
			if failure := f.initialise(&e, i); failure != nil {
				f.conclude(i, *failure)
				return
			}
		}
		if e.serve(i) {
			return
		}
		f.forget(e)
		fresh, err := f.start()
		if err != nil {
			f.conclude(i, failed("Runtime.ExitError", fmt.Sprintf("RequestId: %s Error: %v", i.id, err)))
			return
		}
		e, cold = fresh, true
	}
}

// initialise waits until the process asks for work. One that takes longer than
// the init timeout is started again, and then has the function's timeout.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
func (f *Function) initialise(e **environment, i *invocation) *Result {
	failure, late := (*e).awaitReady(f.config.InitTimeout, i.id)
	if !late {
		return failure
	}
	f.config.Report(fmt.Sprintf("init did not end within %s; starting again", f.config.InitTimeout))
	(*e).kill()
	f.forget(*e)
	fresh, err := f.start()
	if err != nil {
		r := failed("Runtime.ExitError", fmt.Sprintf("RequestId: %s Error: %v", i.id, err))
		return &r
	}
	*e = fresh
	i.deadline = time.Now().Add(f.config.Timeout)
	failure, late = fresh.awaitReady(f.config.Timeout, i.id)
	if late {
		fresh.kill()
		r := timedOut(i.id, f.config.Timeout)
		failure = &r
	}
	return failure
}

// conclude gives the caller a result and counts it. Only the first one counts.
func (f *Function) conclude(i *invocation, r Result) {
	i.once.Do(func() {
		f.mu.Lock()
		f.counts.Invocations++
		if r.FunctionError != "" {
			f.counts.Errors++
		}
		f.mu.Unlock()
		r.RequestID = i.id
		i.done <- r
	})
}

// fail concludes an invocation whose process is gone. An answer that the process
// gave before it died stands.
func (f *Function) fail(i *invocation, answer *Result, failure Result) {
	if f.ctx.Err() == nil { // not while everything stops
		f.config.Report(failure.reason)
	}
	f.conclude(i, i.outcome(answer, failure))
}

// failed makes the result of an invocation that the runner itself ends.
func failed(kind, message string) Result {
	document, _ := json.Marshal(map[string]string{"errorType": kind, "errorMessage": message}) // strings always encode
	return Result{Payload: document, FunctionError: "Unhandled", reason: message}
}

func timedOut(id string, after time.Duration) Result {
	return failed("Sandbox.Timedout", fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", id, after.Seconds()))
}

// NewUUID gives a random UUID (RFC 9562, version 4).
func NewUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// NewTrace gives an X-Ray trace header.
// https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
func NewTrace(now time.Time) string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails
	return fmt.Sprintf("Root=1-%08x-%s;Parent=%s;Sampled=1", now.Unix(), hex.EncodeToString(b[:12]), hex.EncodeToString(b[12:]))
}
