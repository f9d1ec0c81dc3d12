package sqs

import (
	"slices"
	"time"
)

// join registers a long poll. The channel gets a value when a message may be
// there.
func (db *DB) join(q *queue) chan struct{} {
	woken := make(chan struct{}, 1)
	q.waiters = append(q.waiters, woken)
	db.arm(q)
	return woken
}

// leave ends a long poll's wait. One that was woken but cannot take the message
// any more hands its turn on.
func (q *queue) leave(woken chan struct{}, handOn bool) {
	if i := slices.Index(q.waiters, woken); i >= 0 {
		q.waiters = slices.Delete(q.waiters, i, i+1)
		return
	}
	if handOn {
		q.wake(1)
	}
}

// wake ends the wait of up to n long polls, the longest waiting first.
func (q *queue) wake(n int) {
	n = min(n, len(q.waiters))
	for _, woken := range q.waiters[:n] {
		woken <- struct{}{}
	}
	q.waiters = slices.Delete(q.waiters, 0, n)
}

// arm sets the queue's timer to when the next message becomes visible, if
// anyone waits for it or is to be told of it.
func (db *DB) arm(q *queue) {
	q.tell()
	if q.stopTimer != nil {
		q.stopTimer()
		q.stopTimer = nil
	}
	if len(q.waiters) == 0 && q.told == nil || q.later.len() == 0 || q.deleted || db.closed {
		return
	}
	wait := time.UnixMilli(q.later.first().Visible).Sub(db.cfg.Now())
	q.stopTimer = db.cfg.AfterFunc(max(wait, 0), func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		q.settle(db.now())
		db.arm(q)
	})
}
