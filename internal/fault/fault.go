// Package fault breaks calls to AWS, for tests that try every fault at every
// call.
//
// A Driver breaks the calls to a table, one at a time. A Process stands for a whole
// program: it decorates every client that the program has, names the place in pkg
// that each call comes from, and can be killed.
package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// ErrInjected is what a broken call returns.
var ErrInjected = errors.New("fault: injected")

// A Driver is a store.Driver whose calls fail as At says, in one of Kinds.
type Driver struct {
	// Inner does the work.
	Inner store.Driver
	// At chooses the fault of a call; calls are numbered from 0. It may be
	// called by many goroutines, and may take its time: a slow table.
	At func(call int) Kind

	mu    sync.Mutex
	calls int
}

// Once breaks one call, by its number.
func Once(call int, kind Kind) func(int) Kind {
	return func(n int) Kind {
		if n == call {
			return kind
		}
		return None
	}
}

// Calls tells how many calls there were.
func (d *Driver) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

func (d *Driver) next() Kind {
	d.mu.Lock()
	call := d.calls
	d.calls++
	d.mu.Unlock()
	if d.At == nil {
		return None
	}
	return d.At(call)
}

func inject[T any](d *Driver, call func() (T, error)) (T, error) {
	answer, err, _ := garbled(d.next(), errThrottled, call)
	return answer, err
}

var errThrottled = fmt.Errorf("%w: %w", ErrInjected, store.ErrThrottled)

// garbled makes a call under one of Kinds, or none; ok is false for any other.
func garbled[T any](kind Kind, throttled error, call func() (T, error)) (answer T, err error, ok bool) {
	var none T
	switch kind {
	case None:
		answer, err = call()
	case Down:
		err = ErrInjected
	case Throttled:
		err = throttled
	case Lost:
		_, _ = call() // nobody learns how it went
		err = ErrInjected
	case Repeated:
		if _, err = call(); err == nil {
			answer, err = call()
		}
	default:
		return none, nil, false
	}
	return answer, err, true
}

// Get reads one row.
func (d *Driver) Get(ctx context.Context, key store.Item) (store.Item, error) {
	return inject(d, func() (store.Item, error) { return d.Inner.Get(ctx, key) })
}

// Write makes one conditional write.
func (d *Driver) Write(ctx context.Context, w store.Write) (store.Item, error) {
	return inject(d, func() (store.Item, error) { return d.Inner.Write(ctx, w) })
}

// Transact makes all of the writes or none.
func (d *Driver) Transact(ctx context.Context, token string, writes []store.Write) error {
	_, err := inject(d, func() (struct{}, error) { return struct{}{}, d.Inner.Transact(ctx, token, writes) })
	return err
}

// Query reads a page of one partition.
func (d *Driver) Query(ctx context.Context, q store.Query) (store.Page, error) {
	return inject(d, func() (store.Page, error) { return d.Inner.Query(ctx, q) })
}

// Scan reads a page of the table.
func (d *Driver) Scan(ctx context.Context, s store.Scan) (store.Page, error) {
	return inject(d, func() (store.Page, error) { return d.Inner.Scan(ctx, s) })
}
