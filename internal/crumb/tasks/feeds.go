package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
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

// soon is for walks through many followers: what fails once in a thousand of them is
// tried again within a minute, however often it happened before.
var soon = backoff.Policy{Base: 2 * time.Second, Cap: time.Minute}

// FeedsHear is what changes feeds.
var FeedsHear = hearing(job.Policy{Queue: Feeds, Timeout: time.Minute, Backoff: soon},
	RecipePublished, RecipeEdited, RecipeDeleted, RecipeWithheld, RecipeCleared)
