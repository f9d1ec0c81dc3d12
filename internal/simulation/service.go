package simulation

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// sampler gives the function that draws service times.
func (s Service) sampler(random *rand.Rand) func() time.Duration {
	mean := float64(s.Mean)
	switch s.Distribution {
	case Exponential:
		return func() time.Duration { return time.Duration(random.ExpFloat64() * mean) }
	case LogNormal:
		// A log-normal of this mean and deviation: its logarithm has the variance
		// ln(1 + spread²), and the mean below.
		variance := math.Log1p(s.Spread * s.Spread)
		mu, sigma := math.Log(mean)-variance/2, math.Sqrt(variance)
		return func() time.Duration { return time.Duration(math.Exp(mu + sigma*random.NormFloat64())) }
	case Empirical:
		values := slices.Clone(s.Values)
		return func() time.Duration { return values[random.IntN(len(values))] }
	default:
		return func() time.Duration { return s.Mean }
	}
}
