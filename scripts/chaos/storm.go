package main

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

// A gust is a time in which calls go wrong at some rate.
type gust struct {
	until time.Duration // since the storm began
	rate  float64
}

// A storm decides which calls go wrong, while it rages. What befalls the nth call of
// an operation follows from the seed, n and the gust that it falls into.
type storm struct {
	seed  uint64
	gusts []gust

	mu    sync.Mutex
	began time.Time // zero: it does not rage
	calls map[string]uint64
	count map[string]int // what was done, by kind
}

// rates of gusts; calm is as likely as any.
var rates = []float64{0, 0.02, 0.05, 0.1, 0.2, 0.35}

func newStorm(seed uint64, lasts time.Duration) *storm {
	r := rand.New(rand.NewPCG(seed, 2))
	s := &storm{seed: seed, calls: map[string]uint64{}, count: map[string]int{}}
	for at := time.Duration(0); at < lasts; {
		at += time.Second + time.Duration(r.Int64N(int64(4*time.Second)))
		s.gusts = append(s.gusts, gust{at, rates[r.IntN(len(rates))]})
	}
	return s
}

func (s *storm) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = time.Now()
}

func (s *storm) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = time.Time{}
}

// note counts something that was done to the stack.
func (s *storm) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[what]++
}

func (s *storm) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.count)
}

// draw gives the randomness of an operation's next call and the rate of the gust;
// the rate is zero when no storm rages.
func (s *storm) draw(operation string) (*rand.Rand, float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began.IsZero() {
		return nil, 0
	}
	s.calls[operation]++
	h := fnv.New64a()
	_, _ = h.Write([]byte(operation)) // a hash's Write never fails
	r := rand.New(rand.NewPCG(s.seed, h.Sum64()+s.calls[operation]))
	since := time.Since(s.began)
	for _, g := range s.gusts {
		if since < g.until {
			return r, g.rate
		}
	}
	return r, 0
}

// fault says how a call goes wrong; nil: it doesn't.
func (s *storm) fault(service, operation string, call *http.Request) *localaws.Fault {
	if isCalm(call) {
		return nil
	}
	r, rate := s.draw(service + "." + operation)
	if rate == 0 || r.Float64() >= rate {
		return nil
	}
	codes := codesOf[service]
	if codes.internal == "" {
		return nil
	}
	switch at := r.IntN(100); {
	case at < 30:
		s.note("refused (500)")
		return &localaws.Fault{Code: codes.internal, Status: http.StatusInternalServerError}
	case at < 55:
		s.note("throttled")
		return &localaws.Fault{Code: codes.throttled[r.IntN(len(codes.throttled))]}
	case at < 85:
		s.note("applied, the answer lost")
		return &localaws.Fault{Drop: true}
	case at < 98:
		s.note("slow")
		return &localaws.Fault{Delay: 50*time.Millisecond + time.Duration(r.Int64N(int64(800*time.Millisecond)))}
	default: // later than any function may run
		s.note("slow past the deadline, applied, the answer lost")
		return &localaws.Fault{Delay: 4*time.Second + time.Duration(r.Int64N(int64(2*time.Second))), Drop: true}
	}
}

// codes are a service's errors.
type codes struct {
	internal  string
	throttled []string
}

var codesOf = map[string]codes{
	"dynamodb":        {"InternalServerError", []string{"ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"}},
	"dynamodbstreams": {"InternalServerError", []string{"LimitExceededException", "ThrottlingException"}},
	"sqs":             {"InternalFailure", []string{"RequestThrottled", "ThrottlingException"}},
}
