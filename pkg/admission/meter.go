package admission

import (
	"context"
	"sync"
	"time"
)

// Depth counts the jobs that wait in a queue.
type Depth func(ctx context.Context) (int, error)

// A reading is one answer of Depth.
type reading struct {
	// number counts successful readings; zero means that there was none.
	number int
	depth  int
	at     time.Time
	// err is why a later reading failed.
	err error
}

// A meter reads the depth once an interval at most, for all who ask at once.
type meter struct {
	read             Depth
	now              func() time.Time
	refresh, timeout time.Duration

	mu      sync.Mutex
	last    reading
	tried   time.Time     // when the last reading began
	pending chan struct{} // closed when the reading under way ends
}

// get gives a reading that is at most refresh old where it can be had. It waits
// for the reading under way, or starts one, until ctx ends.
func (m *meter) get(ctx context.Context) reading {
	m.mu.Lock()
	if m.pending == nil && (m.tried.IsZero() || m.now().Sub(m.tried) >= m.refresh) {
		m.tried = m.now()
		m.pending = make(chan struct{})
		// The reading is everybody's: it outlives the caller that began it.
		go m.run(context.WithoutCancel(ctx), m.pending)
	}
	pending := m.pending
	m.mu.Unlock()
	if pending != nil {
		select {
		case <-pending:
		case <-ctx.Done():
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

func (m *meter) run(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	began := m.now()
	depth, err := m.read(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.last.err = err
	} else {
		m.last = reading{number: m.last.number + 1, depth: depth, at: began}
	}
	m.pending = nil
	close(done)
}
