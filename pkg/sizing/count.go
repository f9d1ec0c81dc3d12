package sizing

import (
	"cmp"
	"math"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Rules of what is counted exactly (job.Queue.Hard, and what is spilled).
const (
	// transactionTime is how long a transaction holds the row of a counter, in
	// seconds, and met the share of transactions that may meet another there and
	// have to be tried again.
	transactionTime = 0.02
	met             = 0.1
	// leastShare is how many places a shard has at least.
	leastShare = 10
	// MostShards is over how many rows a counter is spread at most.
	MostShards = 512
	// leastRelease is the part of the drain rate at which spilled jobs are released
	// at least.
	leastRelease = 0.1
)

// CountShards is over how many rows the count of a queue's jobs is spread: so many
// that at the peak one transaction in ten meets another on its row, yet no more than
// leave each a share of ten places. (A row alone bears the 500 writes in transactions
// that a partition takes in a second; those that meet are refused long before.)
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
func CountShards(arrivals job.Rate, limit int) int {
	shards := whole(math.Ceil(float64(arrivals)*transactionTime/met - 1e-9))
	return max(min(shards, limit/leastShare, MostShards), 1)
}

// ReleaseRate is how many spilled jobs are released in a second where nobody says
// otherwise: what the workers finish beyond what arrives, and a tenth of what they
// finish at least.
func ReleaseRate(drain, arrivals job.Rate) job.Rate {
	return max(drain-arrivals, leastRelease*drain)
}

// Room is how many jobs a queue of a depth takes before it is at the mark up to which
// spilled jobs are released: below that of its limit, and, where jobs are degraded,
// below the one at which that ends. The smallest limits have their mark at zero; an
// empty queue takes one all the same, or what is spilled would never come out.
func (p Plan) Room(depth int) int {
	mark := Mark(p.Limit)
	if p.Queue.Full == job.Degrade {
		mark = Mark(DegradeAt(p.Limit))
	}
	return max(max(mark, 1)-depth, 0)
}

// MostSpilled is how many jobs of the queue may be spilled at once: also where its Full
// is not Spill, since any job may be (job.Spilled).
func (p Plan) MostSpilled() int {
	return cmp.Or(p.Queue.SpillLimit, DefaultSpillLimit(p.DrainRate))
}
