package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// What the spam check makes of recipes. Both are published in the transaction that
// changes the recipe's state.
var (
	// RecipeWithheld: it was found to be spam, and nobody but its author sees it.
	RecipeWithheld = job.DefineEvent[RecipeChange]("recipe.held", Recipes)
	// RecipeCleared: it was held, and its edited version is fine.
	RecipeCleared = job.DefineEvent[RecipeChange]("recipe.cleared", Recipes)
)

// Moderation is the queue of the spam check.
var Moderation = job.Queue{
	Name:         "moderation",
	PeakArrivals: job.PerSecond(20),
	ServiceTime:  100 * time.Millisecond,
	LongestWait:  time.Minute,
	Batch:        10,
}

// ModerationHears is what has to be checked.
var ModerationHears = hearing(job.Policy{Queue: Moderation, Timeout: 20 * time.Second},
	RecipePublished, RecipeEdited)
