// Package fault breaks the calls to a store's driver, one at a time, for tests
// that try every fault at every call.
package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Kind is what goes wrong with a call.
type Kind int

// The kinds of fault.
const (
	// None: the call goes well.
	None Kind = iota
	// Down: the call fails and was not applied.
	Down
	// Throttled: the table refuses the call, which was not applied.
	Throttled
	// Lost: the call is applied and its answer lost.
	Lost
	// Repeated: the call is applied, its answer lost, and the driver repeats it.
	Repeated
)

// Kinds lists every fault.
func Kinds() []Kind { return []Kind{Down, Throttled, Lost, Repeated} }

// String names the kind.
func (k Kind) String() string {
	return [...]string{"none", "down", "throttled", "answer lost", "answer lost and call repeated"}[k]
}

// ErrInjected is what a broken call returns.
var ErrInjected = errors.New("fault: injected")

// A Driver is a store.Driver whose calls fail as At says.
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
	var none T
	switch kind := d.next(); kind {
	case Down:
		return none, ErrInjected
	case Throttled:
		return none, fmt.Errorf("%w: %w", ErrInjected, store.ErrThrottled)
	case Lost:
		_, _ = call() // nobody learns how it went
		return none, ErrInjected
	case Repeated:
		if _, err := call(); err != nil {
			return none, err
		}
	}
	return call()
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
