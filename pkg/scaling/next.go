package scaling

import (
	"math"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Times of the rule.
const (
	// Interval is the time between two looks at a queue.
	Interval = time.Minute
	// Patience is how long less must be needed before the concurrency is lowered,
	// and the time between two lowerings.
	Patience = 5 * time.Minute
	// ShortestHorizon is the shortest time in which a backlog shall be worked off:
	// less than two looks can't be steered.
	ShortestHorizon = 2 * Interval
)

// An Observation is what is seen of a queue.
type Observation struct {
	// At is when. Required.
	At time.Time
	// Age is how long the oldest job has waited.
	Age time.Duration
	// Depth is how many jobs wait, without those under way.
	Depth int
	// Busy is how many jobs are under way: SQS's messages in flight. More than
	// there are workers counts as all of them.
	Busy int
	// Arrivals is how many jobs arrive a second, where that was measured; zero
	// means that the plan's peak is all that is known.
	Arrivals job.Rate
	// ServiceTime is what a job takes on average, where that was measured; zero
	// means the plan's.
	ServiceTime time.Duration
}

// A State is what the rule keeps of a queue between two looks.
type State struct {
	// Concurrency is the mapping's MaximumConcurrency as it was set; zero means the
	// least.
	Concurrency int
	// LowSince is since when less has been needed; zero where it is not.
	LowSince time.Time
}

// A Reason says why the concurrency is what it is.
type Reason string

// The reasons.
const (
	// Fits: what there is, is about what is needed.
	Fits Reason = "fits"
	// Raised: the jobs that wait need more.
	Raised Reason = "raised"
	// Lowered: less has been needed for a while.
	Lowered Reason = "lowered"
	// Patient: less is needed, and has not been for long enough.
	Patient Reason = "patient"
	// AtMost: more is needed than is allowed.
	AtMost Reason = "at most"
	// Bounded: it was outside of the bounds, which have changed.
	Bounded Reason = "bounded"
	// Off: the queue does not scale.
	Off Reason = "off"
)

// A Step is what the rule says.
type Step struct {
	// State is to be kept until the next look; its Concurrency is the mapping's next
	// MaximumConcurrency.
	State State
	// Reason says why.
	Reason Reason
	// Need is the concurrency that the jobs that wait need, within no bounds.
	Need int
}

// Next says what the concurrency shall be: see the package. It is within the bounds
// whatever is observed, and with all else equal never lower for a greater age.
func (b Bounds) Next(s State, o Observation) Step {
	now := min(max(s.Concurrency, b.Least), b.Most)
	o.Age, o.Arrivals = max(o.Age, 0), max(o.Arrivals, 0)
	if b.Fixed() {
		return Step{State: State{Concurrency: now}, Reason: Off, Need: now}
	}
	need := b.need(o)
	step := Step{State: State{Concurrency: now}, Reason: Fits, Need: need}
	wanted := min(max(need, b.busy(now, o), b.Least), b.Most)
	switch band := max(now/10, 1); {
	case wanted >= now+band || wanted == b.Most && now < b.Most:
		step.State.Concurrency, step.Reason = wanted, Raised
	case need > b.Most && now == b.Most:
		step.Reason = AtMost
	case s.Concurrency != 0 && s.Concurrency != now:
		step.Reason = Bounded
	case o.Age <= b.Plan.Queue.LongestWait/4 && (wanted <= now-band || wanted == b.Least && now > b.Least):
		step.State, step.Reason = lower(now, wanted, s.LowSince, o.At)
	}
	return step
}

// lower waits until Patience has passed, and then goes down by a quarter at most.
func lower(now, wanted int, since, at time.Time) (State, Reason) {
	if since.IsZero() || since.After(at) {
		since = at
	}
	if at.Sub(since) < Patience {
		return State{Concurrency: now, LowSince: since}, Patient
	}
	return State{Concurrency: max(wanted, now-max(now/4, 1)), LowSince: at}, Lowered
}

// need is the concurrency that arrivals and backlog need.
func (b Bounds) need(o Observation) int {
	q := b.Plan.Queue
	service := q.ServiceTime
	if o.ServiceTime > 0 {
		service = o.ServiceTime
	}
	workers := float64(b.Workers(b.Least))
	if o.Arrivals > 0 {
		workers = max(workers, sizing.InProgress(o.Arrivals, service)/q.TargetUtilisation())
	}
	depth := float64(max(o.Depth, 0))
	if behind := sizing.InProgress(o.Arrivals, o.Age); o.Depth > 0 && behind > depth {
		depth = behind // what arrived while the oldest waited: the count lags
	}
	return b.concurrency(workers + depth*service.Seconds()/b.horizon(o.Age).Seconds())
}

// horizon is the time in which the backlog shall be worked off: the less of it, the
// longer the oldest job has waited.
func (b Bounds) horizon(age time.Duration) time.Duration {
	longest := b.Plan.Queue.LongestWait
	late := min(max(age-longest/2, 0), longest/2) // from zero to half of longest
	return max(longest/2-late/2, ShortestHorizon)
}

// busy is the concurrency that the jobs under way need at the utilisation that was
// asked for, at most what there is: it keeps that from being lowered.
func (b Bounds) busy(now int, o Observation) int {
	workers := float64(max(o.Busy, 0)) / b.Plan.Queue.TargetUtilisation()
	return min(b.concurrency(workers), now)
}

// ceil rounds up, forgiving the last digits of floating point; what is no number
// counts as too many.
func ceil(x float64) int {
	x = math.Ceil(x - 1e-9)
	if !(x < math.MaxInt32) {
		return math.MaxInt32
	}
	return int(x)
}
