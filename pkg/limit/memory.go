package limit

import (
	"sync"
	"time"
)

// remembered is how many keys a process remembers of a limit: others cost a write
// more, and nothing else.
const remembered = 10_000

// A memory is what a process knows of the keys of a Bucket.
type memory struct {
	mu   sync.Mutex
	keys map[string]*knowledge
}

// knowledge is of one key.
type knowledge struct {
	// full is when the bucket will be full, as the table had it last. It only
	// grows there, so that a bucket that was empty can be known to be.
	full int64
	// left are leased tokens that keep until ends, and lease how many there were.
	left, lease int
	ends        time.Time
}

// local is what can be said without asking the table.
type local struct {
	left bool // there was a leased token, and it is taken
	more int  // how many are left of the lease
	full int64
}

func newMemory() *memory { return &memory{keys: map[string]*knowledge{}} }

// take takes a leased token, or tells how many to take from the table.
func (m *memory) take(key string, now time.Time, config BucketConfig) (l local, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.keys[key]
	if k == nil {
		return local{}, 1
	}
	fresh := now.Before(k.ends)
	switch {
	case fresh && k.left > 0:
		k.left--
		return local{left: true, more: k.left, full: k.full}, 0
	case fresh:
		n = min(max(2*k.lease, 1), config.Lease)
	default: // what is left of an old lease is lost
		k.left, n = 0, 1
	}
	return local{full: k.full}, n
}

// took notes what the table said: of the tokens that were got, one is used.
func (m *memory) took(key string, full int64, got int, now time.Time, hold time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.keys[key]
	if k == nil {
		m.forgetSome()
		k = &knowledge{}
		m.keys[key] = k
	}
	k.full = full
	if got == 0 {
		return
	}
	ends := now.Add(hold)
	if k.left > 0 && k.ends.After(now) && k.ends.Before(ends) {
		ends = k.ends // two leases at a time end with the older one
	} else if !k.ends.After(now) {
		k.left = 0
	}
	k.lease, k.left, k.ends = got, k.left+got-1, ends
}

// forgetSome makes room: maps are walked in no order, so those that go are anybody's.
func (m *memory) forgetSome() {
	if len(m.keys) < remembered {
		return
	}
	for key := range m.keys {
		delete(m.keys, key)
		if len(m.keys) <= remembered*9/10 {
			return
		}
	}
}
