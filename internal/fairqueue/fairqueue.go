// Package fairqueue decides whose message comes next in a standard queue with message
// groups, as SQS's fair queues do: a tenant who has much of the consumers' time comes
// after those who have little.
//
// A tenant is noisy that has more than a tenth of the messages in flight and thirty of
// them at least, or more than a tenth of the consumers' recent time. The second is
// taken here from the last hundred receives, as if all messages took as long. Messages
// without a group are a tenant each. Noisy tenants come after the others, and among
// themselves the one first that has least in flight; nothing is held back where nobody
// else waits.
//
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues-detailed.html
package fairqueue

const (
	share    = 10  // a noisy tenant has more than one part in so many
	leastOwn = 30  // in flight
	recent   = 100 // receives that count
)

// Shares is who has how much of a queue's consumers. The zero value is a queue of which
// nothing was received. It is for one goroutine.
type Shares struct {
	inFlight map[string]int
	flying   int
	counts   map[string]int // of the last receives
	last     []string
	next     int
}

// InFlight counts messages of a tenant that are in flight by now, or no more (-1).
func (s *Shares) InFlight(tenant string, by int) {
	if s.inFlight == nil {
		s.inFlight = map[string]int{}
	}
	s.flying += by
	if s.inFlight[tenant] += by; s.inFlight[tenant] == 0 {
		delete(s.inFlight, tenant)
	}
}

// Received notes a receive of a tenant's message.
func (s *Shares) Received(tenant string) {
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	if len(s.last) < recent {
		s.last = append(s.last, tenant)
	} else {
		old := s.last[s.next]
		if s.counts[old]--; s.counts[old] == 0 {
			delete(s.counts, old)
		}
		s.last[s.next], s.next = tenant, (s.next+1)%recent
	}
	s.counts[tenant]++
}

// Noisy tells whether a tenant has more than its share.
func (s *Shares) Noisy(tenant string) bool {
	own := s.inFlight[tenant]
	return tenant != "" && (own >= leastOwn && own*share > s.flying || s.counts[tenant]*share > len(s.last))
}

// Compare tells whose messages come first: negative for those of a, and zero where
// their age decides.
func (s *Shares) Compare(a, b string) int {
	noisyA, noisyB := s.Noisy(a), s.Noisy(b)
	switch {
	case !noisyA && !noisyB:
		return 0
	case noisyA != noisyB && noisyB:
		return -1
	case noisyA != noisyB:
		return 1
	case s.inFlight[a] != s.inFlight[b]:
		return s.inFlight[a] - s.inFlight[b]
	}
	return s.counts[a] - s.counts[b]
}
