package scaling_test

import (
	"fmt"
	"testing"
	"time"
)

// Whatever arrives all the time, within what the most workers drain, the concurrency
// comes to rest, and the wait below half of the longest.
func TestConstantLoadSettles(t *testing.T) {
	for _, rate := range []float64{0.1, 5, 20, 29, 31, 40, 60, 90, 120} {
		for _, lag := range []int{0, 1, 2, 3} {
			for _, slower := range []float64{1, 1.5} {
				if rate*slower > 125 {
					continue // more than the most workers can do
				}
				p := &plant{bounds: bounds(t, nil), arrivals: constant(rate), lag: lag, slower: slower}
				p.run(10 * 60)
				if settled := p.settled(); settled > 4*60 || p.raised > 15 || p.turns > 1 {
					t.Errorf("%v a second, lag %d, %v times as slow: settled after %d looks and %d turns: %v", rate, lag, slower, settled, p.turns, p.set)
				}
				if p.lastWait > 5*time.Minute {
					t.Errorf("%v a second, lag %d: at last the oldest waits %v", rate, lag, p.lastWait)
				}
			}
		}
	}
}

// Measurements that lag, are off by a third, and dip to zero: up and down again.
func TestASpikeIsNotHunted(t *testing.T) {
	spike := func(second int) float64 {
		if second >= 1800 && second < 3600 {
			return 80
		}
		return 10
	}
	for lag := range 4 {
		for _, noise := range []float64{0, 0.1, 0.33} {
			for _, dips := range []float64{0, 0.1, 0.3} {
				t.Run(fmt.Sprintf("lag %d, noise %v, dips %v", lag, noise, dips), func(t *testing.T) {
					p := &plant{bounds: bounds(t, nil), arrivals: spike, lag: lag, noise: noise, dips: dips}
					p.run(8 * 60)
					if p.turns != 1 || p.raised == 0 || p.set[len(p.set)-1] != p.bounds.Least {
						t.Errorf("%d raises, %d lowerings, %d turns: %v", p.raised, p.lowered, p.turns, p.set)
					}
					if p.longest > 10*time.Minute {
						t.Errorf("somebody waited %v", p.longest)
					}
				})
			}
		}
	}
}

// Load that goes up and down every few minutes does not move the workers with it.
func TestWavesAreSmoothed(t *testing.T) {
	waves := func(second int) float64 {
		if second/180%2 == 0 {
			return 70
		}
		return 5
	}
	p := &plant{bounds: bounds(t, nil), arrivals: waves, lag: 1, noise: 0.1}
	p.run(5 * 60)
	if p.turns > 1 || p.settled() > 60 {
		t.Errorf("%d turns, %d raises, %d lowerings: %v", p.turns, p.raised, p.lowered, p.set)
	}
}
