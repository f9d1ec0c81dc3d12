package runner

import (
	"sync"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// readiness knows from which queues a message can be received, and keeps the clock at
// the machine's pace while one waits that somebody is about to receive.
type readiness struct {
	clock *clock.Clock

	mu      sync.Mutex
	some    map[string]bool // by the queue's ARN
	watched map[string]bool
	holds   map[string]func()
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

func (r *readiness) decide(queueARN string) {
	release, held := r.holds[queueARN]
	switch wanted := r.some[queueARN] && r.watched[queueARN]; {
	case wanted && !held:
		set(&r.holds, queueARN, r.clock.Hold())
	case held && !wanted:
		delete(r.holds, queueARN)
		release()
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
