package scaling_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func bounds(t testing.TB, change func(*job.Queue)) scaling.Bounds {
	t.Helper()
	q := job.Queue{
		Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, MostWorkers: 400,
	}
	if change != nil {
		change(&q)
	}
	plan, err := sizing.For(q, 50*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return scaling.For(plan)
}

// A plant is a queue with its workers, second by second, and a scaler that looks at
// it each minute through measurements that lag, err and dip to zero.
type plant struct {
	bounds scaling.Bounds
	// arrivals a second at a second; slower is by how much jobs take longer than
	// was declared.
	arrivals func(second int) float64
	slower   float64
	// lag is how many looks old a measurement is, noise how far it is off (0 to 1),
	// dips how likely it is that the depth reads zero.
	lag   int
	noise float64
	dips  float64

	random   *rand.Rand
	arrived  []float64 // in all, by second
	done     float64
	state    scaling.State
	seen     []scaling.Observation
	raised   int
	lowered  int
	turns    int // changes of direction
	up       bool
	set      []int // concurrency after each look
	longest  time.Duration
	lastWait time.Duration
}

func (p *plant) run(minutes int) {
	p.random = rand.New(rand.NewPCG(1, 2))
	if p.slower == 0 {
		p.slower = 1
	}
	p.state.Concurrency = p.bounds.Least
	for second := range minutes * 60 {
		before := 0.0
		if second > 0 {
			before = p.arrived[second-1]
		}
		p.arrived = append(p.arrived, before+p.arrivals(second))
		drain := float64(sizing.DrainRate(p.bounds.Workers(p.state.Concurrency), p.bounds.Plan.Queue.ServiceTime)) / p.slower
		p.done = min(p.done+drain, p.arrived[second])
		p.lastWait = p.age(second)
		p.longest = max(p.longest, p.lastWait)
		if second%60 == 59 {
			p.look(second)
		}
	}
}

// age is how long the job has waited that is started next.
func (p *plant) age(second int) time.Duration {
	arrived := second
	for arrived > 0 && p.arrived[arrived-1] > p.done {
		arrived--
	}
	return time.Duration(second-arrived) * time.Second
}

func (p *plant) look(second int) {
	q := p.bounds.Plan.Queue
	depth := p.arrived[second] - p.done
	busy := min(p.arrivals(second)*q.ServiceTime.Seconds()*p.slower, float64(p.bounds.Workers(p.state.Concurrency)))
	p.seen = append(p.seen, scaling.Observation{Depth: int(depth), Busy: int(busy), Age: p.age(second)})
	o := p.seen[max(len(p.seen)-1-p.lag, 0)]
	o.At = time.Unix(1_800_000_000+int64(second), 0)
	off := func() float64 { return 1 + p.noise*(2*p.random.Float64()-1) }
	o.Depth, o.Busy = int(float64(o.Depth)*off()), int(float64(o.Busy)*off())
	o.Age = time.Duration(float64(o.Age) * off())
	if p.random.Float64() < p.dips {
		o.Depth, o.Busy = 0, 0
	}
	before := p.state.Concurrency
	p.state = p.bounds.Next(p.state, o).State
	p.note(before, p.state.Concurrency)
}

func (p *plant) note(before, now int) {
	p.set = append(p.set, now)
	if before == now {
		return
	}
	up := now > before
	if p.raised+p.lowered > 0 && up != p.up {
		p.turns++
	}
	p.up = up
	if up {
		p.raised++
	} else {
		p.lowered++
	}
}

// settled is the number of looks after which the concurrency did not change any more.
func (p *plant) settled() int {
	n := len(p.set)
	for n > 1 && p.set[n-1] == p.set[n-2] {
		n--
	}
	return n
}

func constant(rate float64) func(int) float64 { return func(int) float64 { return rate } }
