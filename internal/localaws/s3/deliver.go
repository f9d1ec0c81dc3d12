package s3

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// ErrNoTarget is wrapped where who is to be notified is not there: the event is
// dropped, as by S3.
var ErrNoTarget = errors.New("no such target")

func noticeKey(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

// Waits between tries to tell somebody.
const (
	firstRetry  = time.Second
	longestWait = time.Minute
	// noticeBatch is how many notices are read at once.
	noticeBatch = 100
)

// A messenger tells of events, each at least once: a notice is deleted after it was
// heard, so that those of a process that died are told again by the next.
type messenger struct {
	db   *DB
	wake chan struct{}
	end  context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// running tells that there is a goroutine that tells.
	running bool
	// release ends the hold on the clock that there is while there may be something
	// to tell; nil where there is nothing, or nobody tells.
	release func()
	// hands are the notices that are with a function, or wait to be told again.
	hands map[uint64]bool
	tries map[uint64]int
}

func newMessenger(db *DB) *messenger {
	return &messenger{db: db, wake: make(chan struct{}, 1), hands: map[uint64]bool{}, tries: map[uint64]int{}}
}

// Notify begins to tell of events, those first that are left of the process before.
func (db *DB) Notify() {
	ctx, end := context.WithCancel(context.Background())
	db.messenger.end, db.messenger.done = end, make(chan struct{})
	db.messenger.begin()
	go db.messenger.run(ctx)
}

func (m *messenger) begin() {
	m.mu.Lock()
	m.running = true
	m.mu.Unlock()
	m.stir()
}

func (m *messenger) close() {
	if m.end != nil {
		m.end()
		<-m.done
	}
}

// stir says that there may be something to tell. Whoever changes an object holds the
// clock until after this.
func (m *messenger) stir() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running && m.release == nil {
		m.release = m.db.cfg.Hold()
	}
	select {
	case m.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// rest lets the clock go, unless there may be something to tell again. Functions that
// were told hold it themselves.
func (m *messenger) rest(ended bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ended {
		m.running = false
	}
	if m.release != nil && (ended || len(m.wake) == 0) {
		m.release()
		m.release = nil
	}
}

func (m *messenger) run(ctx context.Context) {
	defer close(m.done)
	defer m.rest(true)
	for ctx.Err() == nil {
		told, err := m.round(ctx)
		if err != nil {
			m.log("reading what is to be notified", err)
		}
		if told {
			continue
		}
		m.rest(false)
		select {
		case <-m.wake:
		case <-ctx.Done():
		}
	}
}

// round tells of the oldest events that nobody has in hands. told is false where there
// were none.
func (m *messenger) round(ctx context.Context) (told bool, err error) {
	var numbers []uint64
	var notices []notice
	var unreadable []error
	err = m.db.index.View(func(tx *bolt.Tx) error {
		cursor := tx.Bucket(noticesBucket).Cursor()
		for key, value := cursor.First(); key != nil && len(numbers) < noticeBatch; key, value = cursor.Next() {
			number := binary.BigEndian.Uint64(key)
			if !m.take(number) {
				continue
			}
			var n notice
			if err := json.Unmarshal(value, &n); err != nil { // it stays in hands
				unreadable = append(unreadable, fmt.Errorf("notice %d: %w", number, err))
				continue
			}
			numbers, notices = append(numbers, number), append(notices, n)
		}
		return nil
	})
	for i, n := range notices {
		m.tell(ctx, numbers[i], n)
	}
	return len(notices) > 0, errors.Join(append(unreadable, err)...)
}

// take takes a notice into hands; false where somebody has it.
func (m *messenger) take(number uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hands[number] {
		return false
	}
	m.hands[number] = true
	return true
}

// tell hands a notice over. One that was not heard is told again later.
func (m *messenger) tell(ctx context.Context, number uint64, n notice) {
	var err error
	if n.Queue != "" {
		if err = m.db.cfg.Send(ctx, n.Queue, string(n.Body)); err == nil {
			m.heard(number)
		}
	} else {
		err = m.db.cfg.Invoke(ctx, n.Function, n.Body, func() { m.heard(number) })
	}
	switch {
	case err == nil:
	case errors.Is(err, ErrNoTarget):
		m.log("an event is dropped", err)
		m.heard(number)
	default:
		m.again(ctx, number, err)
	}
}

// heard deletes a notice.
func (m *messenger) heard(number uint64) {
	err := m.db.index.Update(func(tx *bolt.Tx) error { return tx.Bucket(noticesBucket).Delete(noticeKey(number)) })
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil { // it stays in hands: the next process tells it again
		m.log("an event was heard, which could not be noted", err)
		return
	}
	delete(m.hands, number)
	delete(m.tries, number)
}

// again puts a notice down after a while.
func (m *messenger) again(ctx context.Context, number uint64, cause error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wait := min(firstRetry<<min(m.tries[number], 10), longestWait)
	m.tries[number]++
	m.log(fmt.Sprintf("an event could not be told; again in %v", wait), cause)
	time.AfterFunc(wait, func() {
		if ctx.Err() != nil {
			return
		}
		m.mu.Lock()
		delete(m.hands, number)
		m.mu.Unlock()
		m.stir()
	})
}

func (m *messenger) log(what string, err error) {
	if m.db.cfg.Log != nil {
		m.db.cfg.Log("s3: " + what + ": " + err.Error())
	}
}
