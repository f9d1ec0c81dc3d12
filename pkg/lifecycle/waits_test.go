package lifecycle_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A server's Retry-After is the least: jitter comes on top of the policy's own
// wait and never undercuts the server's.
func TestAServersRetryAfterIsAFloor(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	boom := errors.New("429")
	for name, c := range map[string]struct {
		asked       time.Duration
		policy      backoff.Policy
		least, most time.Duration
	}{
		"longer than the policy's":         {10 * time.Second, backoff.Policy{Base: 2 * time.Second, Factor: 1}, 10 * time.Second, 10 * time.Second},
		"within the policy's":              {10 * time.Second, backoff.Policy{Base: time.Minute, Factor: 1}, 10 * time.Second, time.Minute},
		"shorter than the policy's floor":  {10 * time.Second, backoff.Policy{Floor: 20 * time.Second, Base: time.Minute, Factor: 1}, 20 * time.Second, time.Minute},
		"longer than the policy's cap":     {time.Hour, backoff.Policy{Cap: time.Minute}, time.Hour, time.Hour},
		"none":                             {0, backoff.Policy{Base: time.Minute, Factor: 1}, backoff.DefaultFloor, time.Minute},
		"a date that is over":              {-time.Hour, backoff.Policy{Base: time.Minute, Factor: 1}, backoff.DefaultFloor, time.Minute},
		"the furthest that can be said":    {math.MaxInt64, backoff.Policy{}, lifecycle.LongestWait, lifecycle.LongestWait},
		"beside a function of the owner's": {10 * time.Second, backoff.Policy{Wait: func(int) time.Duration { return 0 }}, 10 * time.Second, 10 * time.Second},
	} {
		for range 1000 {
			attempt := lifecycle.Attempt{Number: 1 + random.IntN(30), Max: 100, Backoff: c.policy}
			got := lifecycle.Ended(attempt, job.RetryAfter(c.asked, boom), random.Float64)
			if got.Wait < c.least || got.Wait > c.most || got.To.Final() {
				t.Fatalf("%s: attempt %d: %s after %v, want %v to %v", name, attempt.Number, got.To, got.Wait, c.least, c.most)
			}
		}
	}
}

// Whatever the attempt, the verdict and the policy: a failure waits, never less
// than asked, in the queue while SQS can hold it and else in the table; and no
// verdict overflows.
func FuzzWaits(f *testing.F) {
	f.Add(1, 3, int64(time.Second), int64(0), 0.5, false)
	f.Add(math.MaxInt-1, math.MaxInt, int64(math.MaxInt64), int64(math.MaxInt64), 0.99, true)
	f.Add(-1, 0, int64(math.MinInt64), int64(-1), 0.0, false)
	f.Fuzz(func(t *testing.T, number, most int, asked, own int64, random float64, fifo bool) {
		if !(random >= 0 && random < 1) {
			t.Skip()
		}
		a := lifecycle.Attempt{Number: number, Max: most, FIFO: fifo}
		if own != 0 {
			a.Backoff.Wait = func(int) time.Duration { return time.Duration(own) }
		}
		draw := func() float64 { return random }
		for name, err := range map[string]error{
			"failed": errors.New("boom"), "retry": job.RetryAfter(time.Duration(asked), errors.New("boom")),
			"snooze": job.Snooze(time.Duration(asked)),
		} {
			got := lifecycle.Ended(a, err, draw)
			if name != "snooze" && number >= most {
				if got.To != lifecycle.Dead {
					t.Errorf("%s: attempt %d of %d goes on as %s", name, number, most, got.To)
				}
				continue
			}
			least := backoff.DefaultFloor
			if name == "snooze" {
				least = 0
			}
			if got.Wait < least || name != "failed" && got.Wait < min(time.Duration(asked), lifecycle.LongestWait) || got.Wait > lifecycle.LongestWait {
				t.Errorf("%s: waits %v, asked for %v", name, got.Wait, time.Duration(asked))
			}
			if inQueue := fifo || got.Wait <= lifecycle.LongestDelay; (got.To == lifecycle.Queued) != inQueue || got.To.Final() {
				t.Errorf("%s: waits %v as %s, FIFO %v", name, got.Wait, got.To, fifo)
			}
		}
	})
}
