package limit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Defaults of a BucketConfig.
const (
	DefaultLongestWait = 15 * time.Minute
	DefaultHold        = time.Second
)

// MostLongestWait is the longest LongestWait.
const MostLongestWait = 365 * 24 * time.Hour

// A BucketConfig says how much of what a Bucket hands out.
type BucketConfig struct {
	// Driver reaches the jobs table. Required.
	Driver store.Driver
	// Name tells the limit from others: "api", "mail-provider". It has 1 to 64
	// lower case letters, digits, dots and dashes, a letter first. Required.
	Name string
	// Rate is how many tokens a key is given a second, at most a million.
	// Required.
	Rate job.Rate
	// Burst is how many a key may take at once after a pause; zero means what
	// Rate gives in a second, and at least one.
	Burst int
	// Lease is how many tokens a process may take from the table at once for a
	// key that it asks for again and again, to hand them out without a write
	// each; zero means 1, which is none. A lease grows from 1, doubling, for as
	// long as the one before was used up within Hold.
	Lease int
	// Hold is how long leased tokens keep; what is left then is lost. Zero means
	// DefaultHold.
	Hold time.Duration
	// LongestWait is the longest that a job is sent away for (Handler), at most
	// MostLongestWait; zero means DefaultLongestWait.
	LongestWait time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Random draws tokens; default crypto/rand.Reader.
	Random io.Reader
	// Jitter gives numbers in [0, 1) by which waits are spread; default
	// math/rand/v2. It may be called by many goroutines.
	Jitter func() float64
}

// A Bucket is a token bucket for each key. It may be used by many goroutines.
type Bucket struct {
	config BucketConfig
	// every is the time in which one token comes, and burst that of a full
	// bucket, in nanoseconds.
	every, burst int64
	known        *memory
}

// NewBucket makes a Bucket. It reports every mistake in the configuration at once.
func NewBucket(config BucketConfig) (*Bucket, error) {
	problems := []error{checkName(config.Name)}
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("limit: bucket %q: "+format, append([]any{config.Name}, args...)...))
	}
	if config.Driver == nil {
		bad("no driver: use dynamo.New or memstore.New")
	}
	if !(config.Rate >= 1e-6 && config.Rate <= 1e6) {
		bad("Rate is %v a second: it lies between one in eleven days and a million a second", float64(config.Rate))
	}
	if config.Burst < 0 {
		bad("Burst is %d: it is 0 (the default) or more", config.Burst)
	}
	if config.Lease < 0 {
		bad("Lease is %d: it is 0 (the default) or more", config.Lease)
	}
	if config.Hold < 0 {
		bad("Hold is %v: it is 0 (the default) or more", config.Hold)
	}
	if config.LongestWait < 0 {
		bad("LongestWait is %v: it is 0 (the default) or more", config.LongestWait)
	}
	if config.LongestWait > MostLongestWait {
		bad("LongestWait is %v: at most %v", config.LongestWait, MostLongestWait)
	}
	if config.Burst > math.MaxInt32 {
		bad("Burst is %d: at most %d", config.Burst, math.MaxInt32)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	every := int64(math.Ceil(1e9 / float64(config.Rate)))
	if longest := math.MaxInt64 / 8 / every; int64(config.Burst) > longest {
		return nil, fmt.Errorf("limit: bucket %q: Burst is %d: at this rate it would take centuries to fill; at most %d", config.Name, config.Burst, longest)
	}
	return &Bucket{config: config, every: every, burst: int64(config.Burst) * every, known: newMemory()}, nil
}

func (c BucketConfig) withDefaults() BucketConfig {
	if c.Burst == 0 {
		c.Burst = max(int(c.Rate), 1)
	}
	if c.Lease == 0 {
		c.Lease = 1
	}
	c.Lease = min(c.Lease, c.Burst)
	if c.Hold == 0 {
		c.Hold = DefaultHold
	}
	if c.LongestWait == 0 {
		c.LongestWait = DefaultLongestWait
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Jitter == nil {
		c.Jitter = mathrand.Float64
	}
	return c
}

// Name is the limit's.
func (b *Bucket) Name() string { return b.config.Name }

// Burst is how many tokens a key has at most.
func (b *Bucket) Burst() int { return b.config.Burst }

// Window is the time in which an empty bucket fills: Burst tokens come in it.
func (b *Bucket) Window() time.Duration { return time.Duration(b.burst) }

// A Decision tells whether there was a token.
type Decision struct {
	Granted bool
	// RetryAfter is when there can be one at the earliest; zero where Granted.
	RetryAfter time.Duration
	// Remaining is how many more the key could take now, as far as is known.
	Remaining int
	// Next is when there will be one more than Remaining.
	Next time.Duration
}

// decision reads the time at which a key's bucket will be full. A full bucket's lies
// before now, and an empty one's Burst tokens after it.
func (b *Bucket) decision(granted bool, full, now int64) Decision {
	d := Decision{Granted: granted, Remaining: b.room(full, now)}
	d.Next = time.Duration(max(full+int64(d.Remaining+1)*b.every-b.burst-now, 0))
	if !granted {
		d.RetryAfter = max(time.Duration(full+b.every-b.burst-now), 0)
	}
	return d
}

// room is how many tokens there are.
func (b *Bucket) room(full, now int64) int {
	return int(max(b.burst-max(full-now, 0), 0) / b.every)
}
