package lambdaruntime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// InvokeAsync accepts an event and runs the function later, as an invocation of
// type Event does: a failure of the function is retried after one and two
// minutes, a throttled event for up to AsyncMaxAge with waits from 1 second to
// 5 minutes. The event is lost when the function is closed first.
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
func (f *Function) InvokeAsync(payload []byte) error {
	return f.InvokeAsyncThen(payload, func() {})
}

// InvokeAsyncThen is InvokeAsync for a caller that keeps the event until it has come
// to its end: concluded is called once, when the function has succeeded or the
// event is given up, and not when the function is closed first.
func (f *Function) InvokeAsyncThen(payload []byte, concluded func()) error {
	if len(payload) > MaxAsyncPayload {
		return fmt.Errorf("%w: %d bytes of an asynchronous event", ErrTooLarge, len(payload))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	release := f.config.Clock.Hold()
	f.async.Go(func() {
		defer release()
		if f.deliver(payload, release) {
			concluded()
		}
	})
	return nil
}

// deliver tells whether the event came to its end. release is called when the function
// has been asked.
func (f *Function) deliver(payload []byte, release func()) bool {
	accepted := f.config.Clock.Now()
	throttleWait := time.Second
	for failures := 0; ; {
		result, err := f.Invoke(f.ctx, payload)
		release()
		var wait time.Duration
		switch {
		case err == nil && result.FunctionError == "":
			return true
		case err == nil:
			failures++
			if failures > *f.config.AsyncRetries {
				f.config.Report(fmt.Sprintf("gave up an asynchronous event after %d attempts: %s", failures, result.Payload))
				return true
			}
			wait = time.Duration(failures) * time.Minute
		case errors.Is(err, ErrThrottled):
			wait = throttleWait
			throttleWait = min(2*throttleWait, 5*time.Minute)
		case errors.Is(err, context.Canceled), errors.Is(err, ErrClosed):
			return false
		default:
			f.config.Report("an asynchronous event could not run: " + err.Error())
			return true
		}
		if f.config.Clock.Now().Add(wait).Sub(accepted) > f.config.AsyncMaxAge {
			f.config.Report("gave up an asynchronous event: it is too old")
			return true
		}
		if err := f.config.Sleep(f.ctx, wait); err != nil {
			return false // closed
		}
	}
}
