package runner

import (
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// readiness knows from which queues a message can be received, and keeps the clock at
// the machine's pace while one waits that somebody is about to receive, and until that
// one says that it works. It tells readers of streams of what is written.
type readiness struct {
	clock *clock.Clock

	mu      sync.Mutex
	some    map[string]bool // by the queue's ARN
	watched map[string]bool
	holds   map[string]func()
	lingers map[string]*time.Timer // holds that end when the message is in hand
	readers []func()               // of streams
}

// linger is how long the clock is held after the last message was received, unless who
// received it says before that it works.
const linger = 200 * time.Millisecond

// reads says that a stream is read. stir is told of records.
func (r *readiness) reads(stir func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers = append(r.readers, stir)
}

// written tells the readers of streams of a record.
func (r *readiness) written() {
	r.mu.Lock()
	readers := r.readers
	r.mu.Unlock()
	for _, stir := range readers {
		stir()
	}
}

// handed says that who received from a queue holds the clock itself.
func (r *readiness) handed(queueARN string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lingers[queueARN] != nil {
		r.release(queueARN)
	}
}

func (r *readiness) release(queueARN string) {
	if timer := r.lingers[queueARN]; timer != nil {
		timer.Stop()
		delete(r.lingers, queueARN)
	}
	r.holds[queueARN]()
	delete(r.holds, queueARN)
}

// ended is the end of a linger.
func (r *readiness) ended(queueARN string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lingers[queueARN] != nil && !r.some[queueARN] {
		r.release(queueARN)
	}
}

// tell takes what the endpoint tells of a queue.
func (r *readiness) tell(queueARN string, some bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.some, queueARN, some)
	r.decide(queueARN)
}

// watch says that a queue is polled.
func (r *readiness) watch(queueARN string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.watched, queueARN, true)
	r.decide(queueARN)
}

// ignore says that a queue is not polled for now.
func (r *readiness) ignore(queueARN string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	set(&r.watched, queueARN, false)
	r.decide(queueARN)
}

func (r *readiness) decide(queueARN string) {
	_, held := r.holds[queueARN]
	wanted := r.some[queueARN] && r.watched[queueARN]
	if timer := r.lingers[queueARN]; timer != nil && wanted {
		timer.Stop()
		delete(r.lingers, queueARN)
	}
	switch {
	case wanted && !held:
		set(&r.holds, queueARN, r.clock.Hold())
	case held && !wanted && r.lingers[queueARN] == nil:
		set(&r.lingers, queueARN, time.AfterFunc(linger, func() { r.ended(queueARN) }))
	}
}

func set[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// watchQueues says that the queues are polled whose URLs settings hold.
func (s *Stack) watchQueues(environment map[string]string) {
	for _, found := range settings.Queues(environment) {
		for _, q := range s.queues {
			if q.url == found.URL {
				s.ready.watch(q.arn)
			}
		}
	}
}
