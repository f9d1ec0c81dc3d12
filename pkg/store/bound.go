package store

import "github.com/nightshift-go/nightshift/pkg/sizing"

// HardBound is how many jobs of a queue that is Hard there may be, and over how many
// rows they are counted.
func HardBound(p sizing.Plan) Bound {
	return Bound{Limit: p.Limit, Shards: sizing.CountShards(p.Queue.PeakArrivals, p.Limit)}
}

// SpillBound is how many jobs of a queue may be spilled, and over how many rows they
// are counted.
func SpillBound(p sizing.Plan) Bound {
	most := p.MostSpilled()
	return Bound{Limit: most, Shards: sizing.CountShards(p.Queue.PeakArrivals, most)}
}
