package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Feeds is the queue that brings recipes to the feeds of those who follow the author.
// One job takes a thousand followers, and there is one more for each further
// thousand.
var Feeds = job.Queue{
	Name:         "feeds",
	PeakArrivals: job.PerSecond(10),
	ServiceTime:  time.Second,
	LongestWait:  5 * time.Minute,
	Batch:        5,
}

// FeedsHear is what changes feeds.
var FeedsHear = hearing(job.Policy{Queue: Feeds, Timeout: time.Minute},
	RecipePublished, RecipeEdited, RecipeDeleted, RecipeWithheld, RecipeCleared)
