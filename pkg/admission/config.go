package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Defaults of a Config.
const (
	DefaultRefresh    = time.Second
	DefaultBlind      = 10 * time.Second
	DefaultTimeout    = 2 * time.Second
	DefaultSettle     = 2 * time.Second
	DefaultDoubt      = 3 * time.Second
	DefaultProbeEvery = 3 * time.Second
	DefaultWindow     = time.Second
)

// A Config describes the gate of one queue. For fills in what a queue's plan says.
type Config struct {
	// Queue is the queue's name, for errors and for what is measured.
	Queue string
	// Limit is how many jobs may wait, and DrainRate how many are finished in
	// a second: sizing.Plan's. Both are required.
	Limit     int
	DrainRate job.Rate
	// LongestWait is how long the oldest job may wait; zero bounds the queue by its
	// depth alone.
	LongestWait time.Duration
	// Full is what becomes of work when the queue is full; zero refuses it.
	Full job.Full
	// Look reads what is known of the queue; Depth is for whoever knows no more than
	// how many jobs wait: visible, delayed and in flight. One of them is required. It
	// is called by one goroutine at a time.
	Look  Look
	Depth Depth
	// Inline lets whoever asks first make the reading in his own goroutine, with his
	// own context: for simulations, whose clock stands still meanwhile. Else readings
	// have a goroutine and Timeout, so that they outlive who began them.
	Inline bool
	// Refresh is how old a reading may get; zero means DefaultRefresh.
	Refresh time.Duration
	// Blind is how long the last reading serves while the depth can't be
	// read; zero means DefaultBlind. It is at least Refresh.
	Blind time.Duration
	// Timeout ends one reading; zero means DefaultTimeout.
	Timeout time.Duration
	// Settle is how long an admitted job may take to show in the depth; zero
	// means DefaultSettle.
	Settle time.Duration
	// Doubt is for how long counts that fall faster than the workers drain are not
	// believed; zero means DefaultDoubt. Where it is negative everything is
	// believed at once: for counts that are exact.
	Doubt time.Duration
	// Probe sends the relay a probe of the gate's own; nil means that there are no
	// probes at all. It is called by the goroutine of a reading, after Look.
	Probe func(ctx context.Context) error
	// ProbeEvery is how often a job, or a probe while the relay does not answer, is to
	// be confirmed; zero means DefaultProbeEvery.
	ProbeEvery time.Duration
	// Window is how long the relay gathers rows before it publishes them (the
	// mapping's batching window); zero means DefaultWindow. The gate closes when
	// probes stay unconfirmed for less than Window + 10 s from the first of them.
	Window time.Duration
	// Metrics counts decisions, and notes what was read of the queue; whoever asks
	// flushes it. Nil counts nothing.
	Metrics telemetry.Recorder
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Random gives numbers in [0, 1) that spread RetryAfter; default
	// rand.Float64. It may be called by many goroutines.
	Random func() float64
}

// For begins the Config of a queue's gate: its bounds, and what becomes of work when
// it is full, follow from its plan.
func For(plan sizing.Plan) Config {
	return Config{
		Queue: plan.Queue.Name, Limit: plan.Limit, DrainRate: plan.DrainRate,
		LongestWait: plan.Queue.LongestWait, Full: plan.Queue.Full,
	}
}

func (c Config) validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("admission: queue %q: "+format, append([]any{c.Queue}, args...)...))
	}
	if c.Limit < 1 {
		bad("Limit is %d: take it from the queue's plan (package sizing)", c.Limit)
	}
	if !(c.DrainRate > 0) {
		bad("DrainRate is %v a second: take it from the queue's plan (package sizing)", float64(c.DrainRate))
	}
	if c.Depth == nil && c.Look == nil {
		bad("Depth and Look are nil: say how to count the jobs that wait")
	}
	switch c.Full {
	case job.Refuse, job.Degrade, job.Spill, job.Replace:
	default:
		bad("Full is %q: use job.Refuse, Degrade, Spill or Replace", c.Full)
	}
	if c.Refresh < 0 || c.Timeout < 0 || c.Settle < 0 || c.LongestWait < 0 || c.ProbeEvery < 0 || c.Window < 0 {
		bad("a negative duration: Refresh %v, Timeout %v, Settle %v, LongestWait %v, ProbeEvery %v, Window %v",
			c.Refresh, c.Timeout, c.Settle, c.LongestWait, c.ProbeEvery, c.Window)
	}
	if c.Blind != 0 && c.Blind < c.Refresh {
		bad("Blind is %v: at least Refresh, %v", c.Blind, c.Refresh)
	}
	return errors.Join(problems...)
}

func (c Config) withDefaults() Config {
	c.Blind = orDefault(c.Blind, max(DefaultBlind, c.Refresh))
	c.Refresh = orDefault(c.Refresh, DefaultRefresh)
	c.Timeout = orDefault(c.Timeout, DefaultTimeout)
	c.Settle = orDefault(c.Settle, DefaultSettle)
	c.Doubt = orDefault(c.Doubt, DefaultDoubt)
	c.ProbeEvery = orDefault(c.ProbeEvery, DefaultProbeEvery)
	c.Window = orDefault(c.Window, DefaultWindow)
	if c.Look == nil {
		c.Look = c.Depth.look
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
	return c
}

func orDefault(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return d
}
