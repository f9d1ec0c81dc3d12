package tasks

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Recipes is the topic on which everyone hears of recipes. The events of one
// recipe are in order, for those whose queues are as well.
var Recipes = job.Topic{Name: "recipes", FIFO: true}

// A RecipeChange is what is told of a recipe: enough to know whether to care, and
// no more. Who needs the recipe reads it.
type RecipeChange struct {
	Recipe string `json:"recipe"`
	// Version counts the recipe's changes, from 1.
	Version int `json:"version"`
	// Turns counts how often it was held and released.
	Turns  int    `json:"turns,omitempty"`
	Author string `json:"author"`
	Title  string `json:"title"`
	// PublishedAt says where lists have it, also when the recipe is no more; zero
	// for one that was never published.
	PublishedAt time.Time `json:"published_at,omitzero"`
}

// Rank says which of two changes of a recipe came later: each is of a higher one.
func (c RecipeChange) Rank() int { return c.Version + c.Turns }

// What happens to recipes. Each is published in the transaction that writes the
// recipe.
var (
	RecipePublished = job.DefineEvent[RecipeChange]("recipe.published", Recipes)
	RecipeEdited    = job.DefineEvent[RecipeChange]("recipe.edited", Recipes)
	RecipeDeleted   = job.DefineEvent[RecipeChange]("recipe.deleted", Recipes)
)

// Happened makes the event of a change, keyed by the recipe.
func (c RecipeChange) Happened(event job.Event[RecipeChange]) job.Occurrence {
	return event.With("recipe/"+c.Recipe, c)
}

// Topics lists Crumb's topics.
func Topics() []job.Topic { return []job.Topic{Recipes} }
