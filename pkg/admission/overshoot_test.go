package admission

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// crowd is many processes with a gate each before one queue, whose count shows what
// entered it with a lag.
type crowd struct {
	gates    int
	arrivals int           // a second, at all gates together
	refresh  time.Duration // R
	lag      time.Duration // L
	limit    int
	drain    job.Rate
}

// overshoot plays until the queue has been full for a while and gives the greatest
// depth beyond the limit.
func (c crowd) overshoot(t testing.TB, seed uint64) int {
	random := rand.New(rand.NewPCG(seed, 1))
	const tick = time.Millisecond
	begin := time.Unix(1_800_000_000, 0)
	now := begin
	depths := []int{0} // at each tick
	shown := func() int { return depths[max(len(depths)-1-int(c.lag/tick), 0)] }
	gates := make([]*Gate, c.gates)
	for i := range gates {
		gates[i] = made(t, Config{
			Queue: "photos", Limit: c.limit, DrainRate: c.drain, Refresh: c.refresh, Settle: max(c.lag, 1), Inline: true,
			Depth: func(context.Context) (int, error) { return shown(), nil },
			Now:   func() time.Time { return now }, Random: random.Float64,
		})
	}
	worst, depth := 0, 0.0
	fills := time.Duration(float64(c.limit) / (float64(c.arrivals) - float64(c.drain)) * float64(time.Second))
	for end := begin.Add(fills + 10*(c.refresh+c.lag)); now.Before(end); now = now.Add(tick) {
		depth = max(depth-float64(c.drain)*tick.Seconds(), 0)
		due := float64(c.arrivals) * tick.Seconds()
		for range int(due + random.Float64()) {
			if gates[random.IntN(c.gates)].Admit(t.Context()).Admitted {
				depth++
			}
		}
		depths = append(depths, int(depth))
		worst = max(worst, int(depth)-c.limit)
	}
	return worst
}

// bound is the formula: A × (R + L). A tick and chance add a little.
func (c crowd) bound() float64 {
	return float64(c.arrivals) * (c.refresh + c.lag + 20*time.Millisecond).Seconds() * 1.02
}

var crowds = []crowd{
	{gates: 1, arrivals: 100, refresh: time.Second, lag: 2 * time.Second, limit: 1000, drain: 30},
	{gates: 4, arrivals: 100, refresh: time.Second, lag: 2 * time.Second, limit: 1000, drain: 30},
	{gates: 20, arrivals: 100, refresh: time.Second, lag: 2 * time.Second, limit: 1000, drain: 30},
	{gates: 100, arrivals: 1000, refresh: time.Second, lag: 2 * time.Second, limit: 18_000, drain: 30},
	{gates: 100, arrivals: 1000, refresh: time.Second, lag: 0, limit: 5000, drain: 30},
	{gates: 50, arrivals: 500, refresh: 5 * time.Second, lag: time.Second, limit: 5000, drain: 100},
}

func (c crowd) name() string {
	return fmt.Sprintf("%d gates, %d a second, R %v, L %v", c.gates, c.arrivals, c.refresh, c.lag)
}

// What stands in docs/admission.md: gates side by side exceed the limit by no more than
// the formula says, and one alone does not exceed it.
func TestOvershootKeepsToTheFormula(t *testing.T) {
	for _, c := range crowds {
		t.Run(c.name(), func(t *testing.T) {
			worst := 0
			for seed := range uint64(3) {
				worst = max(worst, c.overshoot(t, seed))
			}
			t.Logf("the limit of %d was exceeded by %d; the formula says %.0f", c.limit, worst, c.bound())
			if float64(worst) > c.bound() {
				t.Errorf("the limit of %d was exceeded by %d, the formula says %.0f", c.limit, worst, c.bound())
			}
			if (c.gates > 1) != (worst > 0) {
				t.Errorf("%d gates exceeded it by %d", c.gates, worst)
			}
		})
	}
}

func BenchmarkOvershoot(b *testing.B) {
	for _, c := range crowds {
		b.Run(c.name(), func(b *testing.B) {
			worst := 0
			for i := range b.N {
				worst = max(worst, c.overshoot(b, uint64(i)))
			}
			b.ReportMetric(float64(worst), "jobs-over")
			b.ReportMetric(c.bound(), "jobs-by-formula")
		})
	}
}
