package sizing_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func near(a, b, within float64) bool {
	return math.Abs(a-b) <= within*math.Max(math.Abs(a), math.Abs(b))
}

// One worker waits with the probability that it is busy, ρ, and on average
// ρ ÷ (1 − ρ) service times: the textbook's M/M/1. Two have ρ² × 2 ÷ (1 + ρ).
func TestErlangCOfTextbooks(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.7, 0.9, 0.99} {
		if got := sizing.ErlangC(rho, 1); !near(got, rho, 1e-12) {
			t.Errorf("one worker at %v waits with %v", rho, got)
		}
		if got, want := sizing.ErlangC(2*rho, 2), 2*rho*rho/(1+rho); !near(got, want, 1e-12) {
			t.Errorf("two workers at %v wait with %v, want %v", rho, got, want)
		}
		w := sizing.WaitingFor(job.Rate(rho), time.Second, 1)
		if want := rho / (1 - rho); !near(w.Mean.Seconds(), want, 1e-6) {
			t.Errorf("one worker at %v waits %v on average, want %v s", rho, w.Mean, want)
		}
	}
	// Tables of traffic engineers: 10 erlangs on 12 and on 14 lines.
	for workers, want := range map[int]float64{12: 0.4494, 14: 0.1741} {
		if got := sizing.ErlangC(10, workers); !near(got, want, 5e-4) {
			t.Errorf("load 10 on %d: %v, want %v", workers, got, want)
		}
	}
}

// exactErlangC is the definition, with as many digits as it takes.
func exactErlangC(load float64, workers int) float64 {
	const digits = 400
	a := new(big.Float).SetPrec(digits).SetFloat64(load)
	term, sum := big.NewFloat(1).SetPrec(digits), new(big.Float).SetPrec(digits)
	for k := 1; k <= workers; k++ {
		sum.Add(sum, term)
		term.Mul(term, a).Quo(term, new(big.Float).SetPrec(digits).SetInt64(int64(k)))
	}
	n := new(big.Float).SetPrec(digits).SetInt64(int64(workers))
	top := new(big.Float).SetPrec(digits).Mul(term, n)
	top.Quo(top, new(big.Float).SetPrec(digits).Sub(n, a))
	share, _ := new(big.Float).SetPrec(digits).Quo(top, sum.Add(sum, top)).Float64()
	return share
}

func TestErlangCHoldsForThousandsOfWorkers(t *testing.T) {
	for _, workers := range []int{1, 2, 7, 90, 1000, 5000, 20_000} {
		for _, rho := range []float64{0.3, 0.7, 0.9, 0.99, 0.9999} {
			load := rho * float64(workers)
			got, want := sizing.ErlangC(load, workers), exactErlangC(load, workers)
			if !near(got, want, 1e-9) && math.Abs(got-want) > 1e-300 {
				t.Errorf("%d workers at %v: %v, want %v", workers, rho, got, want)
			}
		}
	}
}

// Where steps end and the limit for many workers begins, nothing jumps.
func TestErlangCHasNoSeam(t *testing.T) {
	for _, beta := range []float64{0.01, 0.1, 0.5, 1, 2, 4} {
		const n = 1_000_000
		load := func(workers float64) float64 { return workers - beta*math.Sqrt(workers) }
		stepped, limit := sizing.ErlangC(load(n), n), sizing.ErlangC(load(n+1), n+1)
		if !near(stepped, limit, 5e-3) && math.Abs(stepped-limit) > 1e-6 {
			t.Errorf("β %v: %v at the last step, %v after it", beta, stepped, limit)
		}
	}
	if got := sizing.ErlangC(1e9, 2e9); got < 0 || got > 1e-9 {
		t.Errorf("half of two billion workers: %v", got)
	}
}

func TestWaitsOfThePhotoQueue(t *testing.T) {
	w := sizing.WaitingFor(20, 3*time.Second, 90)
	if w.Utilisation != 60.0/90 || w.Percentile(0.99) != 0 || w.Mean > time.Millisecond {
		t.Errorf("90 workers at two thirds: %+v", w)
	}
	full := sizing.WaitingFor(30, 3*time.Second, 90)
	if full.Probability != 1 || full.Mean != math.MaxInt64 || full.Percentile(0.5) != math.MaxInt64 || full.Exceeds(time.Hour) != 1 {
		t.Errorf("90 workers who are all busy: %+v", full)
	}
	busy := sizing.WaitingFor(29, 3*time.Second, 90)
	if p99 := busy.Percentile(0.99); !near(busy.Exceeds(p99), 0.01, 1e-6) {
		t.Errorf("%v exceeds the 99th percentile %v", busy.Exceeds(p99), p99)
	}
}

func TestWorkersForAWait(t *testing.T) {
	for _, c := range []struct {
		arrivals job.Rate
		service  time.Duration
		longest  time.Duration
	}{{20, 3 * time.Second, 0}, {20, 3 * time.Second, time.Second}, {0.01, time.Second, 0}, {2000, 3 * time.Second, 100 * time.Millisecond}, {1, time.Second, time.Hour}} {
		n := sizing.WorkersFor(c.arrivals, c.service, c.longest, 0.99)
		if got := sizing.WaitingFor(c.arrivals, c.service, n); got.Utilisation >= 1 || got.Percentile(0.99) > c.longest {
			t.Errorf("%+v: %d workers wait %v", c, n, got.Percentile(0.99))
		}
		if less := sizing.WaitingFor(c.arrivals, c.service, n-1); n > 1 && less.Utilisation < 1 && less.Percentile(0.99) <= c.longest {
			t.Errorf("%+v: %d workers, and %d would do", c, n, n-1)
		}
	}
	if n := sizing.WorkersFor(1e300, time.Hour, 0, 0.99); n != math.MaxInt32 {
		t.Errorf("a load beyond all numbers takes %d workers", n)
	}
}

// A queue simulated job by job waits as the formula says.
func TestErlangCAgreesWithASimulation(t *testing.T) {
	w := sizing.WaitingFor(8, time.Second, 10)
	waited, mean := simulate(8, 1, 10, 400_000)
	if !near(waited, w.Probability, 0.03) || !near(mean, w.Mean.Seconds(), 0.05) {
		t.Errorf("simulated %.4f wait, %.4f s on average; by formula %.4f, %v", waited, mean, w.Probability, w.Mean)
	}
}

func FuzzErlangC(f *testing.F) {
	f.Add(60.0, 90, 0.99)
	f.Add(1e300, math.MaxInt, 0.0)
	f.Add(math.NaN(), -1, math.Inf(1))
	f.Fuzz(func(t *testing.T, load float64, workers int, share float64) {
		c := sizing.ErlangC(load, workers)
		if !(c >= 0 && c <= 1) {
			t.Fatalf("ErlangC(%v, %d) = %v", load, workers, c)
		}
		if workers > 0 && workers < 100_000 {
			if more := sizing.ErlangC(load, workers+1); more > c*(1+1e-9) {
				t.Errorf("one worker more than %d, and %v wait instead of %v", workers, more, c)
			}
			if more := sizing.ErlangC(load*1.01, workers); load > 0 && more < c*(1-1e-9) {
				t.Errorf("a load of %v grows, and %v wait instead of %v", load, more, c)
			}
		}
		w := sizing.WaitingFor(job.Rate(load), time.Second, workers)
		if w.Mean < 0 || w.Percentile(share) < 0 || w.Percentile(0.5) > w.Percentile(0.99) {
			t.Errorf("load %v, %d workers: %+v, %v, %v", load, workers, w, w.Percentile(0.5), w.Percentile(0.99))
		}
		if e := w.Exceeds(time.Second); !(e >= 0 && e <= 1) {
			t.Errorf("%v exceed a second", e)
		}
	})
}

func ExampleWaitingAt() {
	for _, w := range sizing.WaitingAt(4, time.Second, 0.5, 0.7, 0.9, 0.99) {
		fmt.Printf("%.0f %%: %.0f %% wait, %s on average\n", 100*w.Utilisation, 100*w.Probability, sizing.Period(w.Mean))
	}
	// Output:
	// 50 %: 17 % wait, 87 ms on average
	// 70 %: 43 % wait, 357 ms on average
	// 90 %: 79 % wait, 2 s on average
	// 99 %: 98 % wait, 24.4 s on average
}
