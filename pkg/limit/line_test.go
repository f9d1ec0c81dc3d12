package limit_test

import (
	"container/heap"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/limit"
)

// deliveries are jobs and when they are visible.
type deliveries []delivery

type delivery struct {
	at   time.Duration
	job  string
	over func() // ends a run; nil for a delivery
}

func (d deliveries) Len() int           { return len(d) }
func (d deliveries) Less(i, j int) bool { return d[i].at < d[j].at }
func (d deliveries) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *deliveries) Push(x any)        { *d = append(*d, x.(delivery)) }
func (d *deliveries) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// drain delivers jobs of one key until all are done, and tells how often they were sent
// away, and how long it took. Waits are whole seconds, as SQS has them.
func drain(t *testing.T, c *clock, l limit.Limiter, arrivals []time.Duration, work time.Duration) (sentAway int, took time.Duration) {
	t.Helper()
	var queue deliveries
	for i, at := range arrivals {
		heap.Push(&queue, delivery{at: at, job: string(rune('a'+i%26)) + time.Duration(i).String()})
	}
	for queue.Len() > 0 {
		next := heap.Pop(&queue).(delivery)
		c.ns.Store(epoch.Add(next.at).UnixNano())
		took = next.at
		if next.over != nil {
			next.over()
			continue
		}
		permit, err := l.Enter(t.Context(), "ann", next.job)
		switch {
		case err != nil:
			t.Fatal(err)
		case !permit.Granted:
			sentAway++
			next.at += (permit.Wait + time.Second - 1).Truncate(time.Second)
			heap.Push(&queue, next)
		case permit.Leave != nil:
			heap.Push(&queue, delivery{at: next.at + work, over: permit.Leave})
		}
	}
	return sentAway, took
}

// A thousand jobs of a key come at once, or far more than its rate for a while: they
// are sent away about once each, and what the limit allows is used.
func TestThoseWhoWaitDoNotHunt(t *testing.T) {
	const jobs = 1000
	together, spread := make([]time.Duration, jobs), make([]time.Duration, jobs)
	for i := range spread {
		spread[i] = time.Duration(i) * 50 * time.Millisecond // twenty a second
	}
	for name, test := range map[string]struct {
		arrivals []time.Duration
		slots    bool
	}{
		"tokens, together": {together, false}, "tokens, in a stream": {spread, false},
		"slots, together": {together, true}, "slots, in a stream": {spread, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			var l limit.Limiter
			if test.slots { // ten a second: twenty at once, two seconds each
				l = newSlots(t, limit.SlotsConfig{Driver: memory(), AtOnce: 20, Now: c.now})
			} else {
				l = newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 10, Now: c.now})
			}
			sentAway, took := drain(t, c, l, test.arrivals, 2*time.Second)
			t.Logf("sent away %d times, %v", sentAway, took)
			if sentAway > 2*jobs {
				t.Errorf("%d jobs were sent away %d times", jobs, sentAway)
			}
			if took < 99*time.Second || took > 130*time.Second {
				t.Errorf("it took %v; at ten a second %d take 100 s", took, jobs)
			}
		})
	}
}

// A line that is longer than anybody is sent away for spreads those at its end.
func TestALineOfHours(t *testing.T) {
	c := newClock()
	b := newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 0.1, LongestWait: time.Minute, Now: c.now})
	take(t, b, "ann")
	perSecond := map[time.Duration]int{}
	for range 1000 {
		permit, err := b.Enter(t.Context(), "ann", "j")
		if err != nil || permit.Granted || permit.Wait > 66*time.Second {
			t.Fatalf("%+v %v", permit, err)
		}
		perSecond[permit.Wait.Truncate(time.Second)]++
	}
	for at, n := range perSecond {
		if n > 80 {
			t.Errorf("%d of 1000 come back in one second, at %v", n, at)
		}
	}
}
