package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Notices is the queue that tells those who want to hear of an author's new recipes.
// One job looks at a thousand followers, and there is one more for each further
// thousand.
var Notices = job.Queue{
	Name:         "notices",
	PeakArrivals: job.PerSecond(10),
	ServiceTime:  time.Second,
	LongestWait:  5 * time.Minute,
	Batch:        5,
}

// NoticesHear is what readers are told of: new recipes, and those that turned out to
// be no spam.
var NoticesHear = hearing(job.Policy{Queue: Notices, Timeout: time.Minute, Backoff: soon}, RecipePublished, RecipeCleared)
