package tasks

import (
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
)

// Trending is the queue of the recount. One run at a time is enough.
var Trending = job.Queue{
	Name:         "trending",
	PeakArrivals: job.PerMinute(1),
	ServiceTime:  10 * time.Second,
	LongestWait:  5 * time.Minute,
	// A full queue takes a recount only in the place of one that waits: the newer
	// one counts all that the older one would have.
	Full: job.Replace,
}

// TrendingKey is the key of all recounts: a newer one takes the place of one that
// still waits (drop the oldest: nobody wants the list of ten minutes ago).
const TrendingKey = "trending"

// A Recount says up to when views and saves are counted.
type Recount struct {
	At time.Time `json:"at"`
}

// Validate refuses a recount of no time.
func (r Recount) Validate() error {
	if r.At.IsZero() {
		return errors.New("at is missing: the time up to which is counted")
	}
	return nil
}

// RecountTrending counts what the trending list is made of. It is enqueued every
// five minutes, with job.Unique(TrendingKey). A recount that fails is given up
// soon: the next one does its work.
var RecountTrending = job.Define[Recount]("trending.recount", job.Policy{
	Queue: Trending, MaxAttempts: 2, Timeout: 2 * time.Minute, Unique: job.Uniqueness{NewestWins: true},
})

// TrendingEveryFiveMinutes has the list worked out in advance. A recount that is
// missed is not wanted any more: the next one counts the same hours.
var TrendingEveryFiveMinutes = periodic.Job{
	Name:       "trending",
	Expression: "rate(5 minutes)",
	CatchUp:    periodic.Skip,
	Options:    []job.Option{job.Unique(TrendingKey)},
	Request:    func(at time.Time) job.Request { return RecountTrending.With(Recount{At: at}) },
}
