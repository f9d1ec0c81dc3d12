package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Search is the queue of the search index. It is a FIFO queue: what happens to one
// recipe is indexed in order, different recipes side by side.
var Search = job.Queue{
	Name:         "search",
	PeakArrivals: job.PerSecond(20),
	ServiceTime:  200 * time.Millisecond,
	LongestWait:  2 * time.Minute,
	Batch:        10,
	FIFO:         true,
}

// SearchHears is what changes what can be found.
var SearchHears = hearing(job.Policy{Queue: Search, Timeout: 30 * time.Second},
	RecipePublished, RecipeEdited, RecipeDeleted, RecipeWithheld, RecipeCleared)
