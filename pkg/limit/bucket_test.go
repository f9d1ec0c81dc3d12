package limit_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestABucketFillsAndEmpties(t *testing.T) {
	c := newClock()
	b := newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 2, Burst: 3, Now: c.now})
	for i := range 3 {
		if d := take(t, b, "ann"); !d.Granted || d.Remaining != 2-i || d.RetryAfter != 0 {
			t.Errorf("token %d: %+v", i, d)
		}
	}
	if d := take(t, b, "ann"); d.Granted || d.RetryAfter != 500*time.Millisecond || d.Remaining != 0 || d.Next != 500*time.Millisecond {
		t.Errorf("of an empty bucket: %+v", d)
	}
	if d := take(t, b, "ben"); !d.Granted {
		t.Error("another key's bucket is empty too")
	}
	c.pass(500*time.Millisecond - 1)
	if take(t, b, "ann").Granted {
		t.Error("a token before its time")
	}
	c.pass(1)
	if d := take(t, b, "ann"); !d.Granted || d.Next != 500*time.Millisecond {
		t.Errorf("when one has come: %+v", d)
	}
	c.pass(time.Hour)
	if d := take(t, b, "ann"); !d.Granted || d.Remaining != 2 {
		t.Errorf("after a pause there is a burst, and no more: %+v", d)
	}
}

// A grant is when a token was handed out, by the true time.
type grants struct {
	mu sync.Mutex
	at []time.Time
}

func (g *grants) add(at time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = append(g.at, at)
}

// excess gives by how many tokens some span of time had more than Rate × time.
func (g *grants) excess(rate float64) float64 {
	slices.SortFunc(g.at, time.Time.Compare)
	least, most := 0.0, 0.0
	for i, at := range g.at {
		level := float64(i) - rate*at.Sub(epoch).Seconds()
		if i == 0 || level < least {
			least = level
		}
		most = max(most, level+1-least)
	}
	return most
}

// Whatever the races, the clocks and the answers that are lost: no more tokens than
// the formula says, in any span of time; and not many fewer either.
func TestNeverMoreThanTheFormula(t *testing.T) {
	const rate, burst, processes = 200, 20, 16
	for name, test := range map[string]struct {
		lease  int
		spread time.Duration // of the clocks
		unsure bool
		least  float64 // of what there was
	}{
		"one at a time":       {1, 0, false, 0.8},
		"leases":              {10, 0, false, 0.6},
		"clocks apart":        {1, 200 * time.Millisecond, false, 0.5},
		"lost answers":        {1, 0, true, 0.5},
		"all of it":           {10, 200 * time.Millisecond, true, 0.3},
		"leases of the burst": {burst, 0, true, 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, driver := newClock(), memory()
			if test.unsure {
				driver = &unsure{Driver: driver, random: rand.New(rand.NewPCG(1, 1))}
			}
			const hold = 100 * time.Millisecond
			var got grants
			var wg sync.WaitGroup
			for p := range processes {
				var read time.Time
				skew := time.Duration(p) * test.spread / (processes - 1)
				b := newBucket(t, limit.BucketConfig{Driver: driver, Rate: rate, Burst: burst, Lease: test.lease, Hold: hold, Now: func() time.Time {
					read = c.now()
					return read.Add(skew)
				}})
				wg.Go(func() {
					for range 300 {
						c.pass(time.Duration(rand.Int64N(int64(2 * time.Millisecond))))
						if d, err := b.Take(t.Context(), "ann"); err == nil && d.Granted {
							got.add(read)
						}
					}
				})
			}
			wg.Wait()
			extra := test.spread
			if test.lease > 1 {
				extra += hold
			}
			if most := burst + rate*extra.Seconds(); got.excess(rate) > most+1e-6 {
				t.Errorf("%d tokens, and in some time %.1f more than the rate; at most %.1f", len(got.at), got.excess(rate), most)
			}
			there := burst + rate*c.now().Sub(epoch).Seconds()
			if float64(len(got.at)) < test.least*there {
				t.Errorf("%d tokens were handed out of %.0f", len(got.at), there)
			}
		})
	}
}

// A client that asks in vain costs no writes, and a hot one that is let in few.
func TestWhatAskingCosts(t *testing.T) {
	c, table := newClock(), &counting{Driver: memory()}
	b := newBucket(t, limit.BucketConfig{Driver: table, Rate: 1, Burst: 1, Now: c.now})
	for range 1000 {
		take(t, b, "ann")
	}
	if n := table.writes.Load(); n > 2 {
		t.Errorf("%d writes for a thousand requests of which one had a token", n)
	}
	table.writes.Store(0)
	b = newBucket(t, limit.BucketConfig{Driver: table, Name: "hot", Rate: 1000, Burst: 1000, Lease: 50, Now: c.now})
	granted := 0
	for range 990 {
		if take(t, b, "ann").Granted {
			granted++
		}
	}
	if n := table.writes.Load(); n > 26 || granted != 990 {
		t.Errorf("%d writes for %d tokens in leases of 50", n, granted)
	}
	c.pass(time.Minute)
	table.writes.Store(0)
	if take(t, b, "ann"); table.writes.Load() != 1 {
		t.Error("what was left of an old lease was handed out")
	}
}

// DynamoDB deletes rows late, or with the clock of another machine: only what the row
// says counts.
func TestNoTimeToLiveDecides(t *testing.T) {
	for name, ttl := range map[string]int64{"long ago": -86_400, "a moment ago": -1, "now": 0, "in a moment": 1, "never": 1 << 40} {
		for full, granted := range map[time.Duration]bool{
			-time.Hour: true, -1: true, 0: true, time.Second: true, time.Second + 1: false, 2 * time.Second: false,
		} {
			c, driver := newClock(), memory()
			row := store.Item{
				"pk": text("limit#rate#api#ann"), "sk": text("limit"), "take": text("other"),
				"full_ns": number(c.now().Add(full).UnixNano()), store.ExpiresAt: number(c.now().Unix() + ttl),
			}
			if _, err := driver.Write(t.Context(), store.Write{Op: store.Put, Item: row}); err != nil {
				t.Fatal(err)
			}
			b := newBucket(t, limit.BucketConfig{Driver: driver, Rate: 1, Burst: 2, Now: c.now})
			if d := take(t, b, "ann"); d.Granted != granted {
				t.Errorf("a row whose time to live ends %s, full in %v: %+v", name, full, d)
			}
		}
	}
}

// A process whose clock was a day ahead locks nobody out for a day, and a limit that
// was slower before does not either.
func TestAClockFarAheadDoesNotLast(t *testing.T) {
	c, driver := newClock(), memory()
	ahead := newBucket(t, limit.BucketConfig{Driver: driver, Rate: 1, Burst: 5, Now: func() time.Time { return c.now().Add(24 * time.Hour) }})
	if !take(t, ahead, "ann").Granted {
		t.Fatal("nothing for the one who is ahead")
	}
	b := newBucket(t, limit.BucketConfig{Driver: driver, Rate: 1, Burst: 5, Now: c.now})
	if d := take(t, b, "ann"); d.Granted || d.RetryAfter != time.Second {
		t.Errorf("the bucket is taken for empty: %+v", d)
	}
	c.pass(time.Second)
	if !take(t, b, "ann").Granted {
		t.Error("and fills from then on")
	}
}

func TestKeysOfEveryKind(t *testing.T) {
	b := newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 1})
	long := strings.Repeat("x", 3000)
	for _, key := range []string{"", "#", "a#b", long, long + "y", "\xff", "ключ"} {
		if !take(t, b, key).Granted || take(t, b, key).Granted {
			t.Errorf("%.20q shares its bucket", key)
		}
	}
}

func TestNewBucketReportsAllMistakes(t *testing.T) {
	_, err := limit.NewBucket(limit.BucketConfig{Name: "A#", Rate: -1, Burst: -1, LongestWait: math.MaxInt64})
	for _, part := range []string{"A#", "no driver", "Rate is -1", "Burst is -1", "LongestWait is 2562047h"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing: %v", part, err)
		}
	}
	if _, err := limit.NewBucket(limit.BucketConfig{Driver: memory(), Name: "a", Rate: 1e-6, Burst: 1 << 30}); err == nil {
		t.Error("a bucket of centuries")
	}
}

func TestATableThatDoesNotAnswer(t *testing.T) {
	down := errors.New("down")
	b := newBucket(t, limit.BucketConfig{Driver: failing{memory(), down}, Rate: 1})
	if _, err := b.Take(t.Context(), "ann"); !errors.Is(err, down) {
		t.Error(err)
	}
}

func ExampleBucket_Take() {
	bucket, err := limit.NewBucket(limit.BucketConfig{Driver: memory(), Name: "api", Rate: job.PerMinute(60), Burst: 2, Now: newClock().now})
	if err != nil {
		panic(err)
	}
	for range 3 {
		d, err := bucket.Take(ctx, "customer-7")
		fmt.Println(d.Granted, d.Remaining, d.RetryAfter, err)
	}
	// Output:
	// true 1 0s <nil>
	// true 0 0s <nil>
	// false 0 1s <nil>
}
