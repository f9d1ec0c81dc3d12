// Package recipes keeps Crumb's recipes: drafts, what is published, ratings. What
// follows from a change (the search index, followers' feeds) is told as an event
// in the transaction that makes the change.
package recipes

import (
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// A State says how far a recipe is.
type State string

// The states of a recipe. A held one was found to be spam: its author alone sees
// it.
const (
	Draft     State = "draft"
	Published State = "published"
	Held      State = "held"
)

// A Recipe is one recipe, as it is kept and shown. Key: recipe#<id>, "recipe".
type Recipe struct {
	ID      string `json:"id" dynamodbav:"id"`
	State   State  `json:"state" dynamodbav:"state"`
	Version int    `json:"version" dynamodbav:"version"` // counts its changes, from 1
	// Turns counts how often it was held and released. Versions and turns together
	// grow with whatever happens to it.
	Turns      int    `json:"-" dynamodbav:"turns,omitempty"`
	Author     string `json:"author" dynamodbav:"author"`
	AuthorName string `json:"author_name" dynamodbav:"author_name"`
	Content
	// PhotoKey is where the upload lies; PhotoJob the job that makes its sizes.
	PhotoKey    string    `json:"photo_key,omitempty" dynamodbav:"photo_key,omitempty"`
	PhotoJob    string    `json:"photo_job,omitempty" dynamodbav:"photo_job,omitempty"`
	CreatedAt   time.Time `json:"created_at" dynamodbav:"created_at"`
	ChangedAt   time.Time `json:"changed_at" dynamodbav:"changed_at"`
	PublishedAt time.Time `json:"published_at,omitzero" dynamodbav:"published_at,omitempty"`
	// Nudge is the job that reminds the author of a draft.
	Nudge string `json:"-" dynamodbav:"nudge,omitempty"`
}

// Content is what an author writes.
type Content struct {
	Title       string   `json:"title" dynamodbav:"title"`
	Summary     string   `json:"summary,omitempty" dynamodbav:"summary,omitempty"`
	Servings    int      `json:"servings,omitempty" dynamodbav:"servings,omitempty"`
	Ingredients []string `json:"ingredients" dynamodbav:"ingredients"`
	Steps       []Step   `json:"steps" dynamodbav:"steps"`
	Tags        []string `json:"tags,omitempty" dynamodbav:"tags,omitempty"`
}

// A Step is one of the things to do.
type Step struct {
	Text    string `json:"text" dynamodbav:"text"`
	Minutes int    `json:"minutes,omitempty" dynamodbav:"minutes,omitempty"`
}

// TotalMinutes is the time that a recipe takes. It is a sum: the request does it,
// and no queue.
func (c Content) TotalMinutes() int {
	total := 0
	for _, s := range c.Steps {
		total += s.Minutes
	}
	return total
}

// A Card is what lists show of a recipe; rows of feeds and indexes hold it, so
// that a page of them is one read.
type Card struct {
	ID          string    `json:"id" dynamodbav:"id"`
	Title       string    `json:"title" dynamodbav:"title"`
	Summary     string    `json:"summary,omitempty" dynamodbav:"summary,omitempty"`
	Author      string    `json:"author" dynamodbav:"author"`
	AuthorName  string    `json:"author_name" dynamodbav:"author_name"`
	Minutes     int       `json:"minutes" dynamodbav:"minutes"`
	PhotoKey    string    `json:"photo_key,omitempty" dynamodbav:"photo_key,omitempty"`
	PublishedAt time.Time `json:"published_at,omitzero" dynamodbav:"published_at,omitempty"`
	// State is that of recipes which their author alone sees; empty: published.
	State State `json:"state,omitempty" dynamodbav:"state,omitempty"`
}

// Card gives what lists show of it.
func (r Recipe) Card() Card {
	card := Card{
		ID: r.ID, Title: r.Title, Summary: r.Summary, Author: r.Author, AuthorName: r.AuthorName,
		Minutes: r.TotalMinutes(), PhotoKey: r.PhotoKey, PublishedAt: r.PublishedAt,
	}
	if r.State != Published {
		card.State = r.State
	}
	return card
}

// Change is what is told of the recipe as it is.
func (r Recipe) Change() tasks.RecipeChange {
	return tasks.RecipeChange{
		Recipe: r.ID, Version: r.Version, Turns: r.Turns, Author: r.Author, Title: r.Title, PublishedAt: r.PublishedAt,
	}
}

// Turned is what is told of the recipe when it is held or released.
func (r Recipe) Turned() tasks.RecipeChange {
	r.Turns++
	return r.Change()
}

// Key is where a recipe's row lies.
func Key(id string) rows.Key { return rows.Key{Partition: "recipe#" + id, Sort: "recipe"} }

// AuthorKey is where an author's list has a card: the newest last.
func AuthorKey(r Recipe) rows.Key {
	return rows.Key{Partition: AuthorsList(r.Author), Sort: rows.Place(r.PublishedAt) + "#" + r.ID}
}

// RecentKey is where the list of a day's recipes has a card. A day is a partition
// of its own: the list grows without end, and no partition does.
func RecentKey(r Recipe) rows.Key {
	return rows.Key{Partition: recentOn(r.PublishedAt), Sort: rows.Place(r.PublishedAt) + "#" + r.ID}
}

func recentOn(day time.Time) string { return "recent#" + day.UTC().Format(time.DateOnly) }

// UnpublishedKey is where an author's list of drafts and held recipes, which they
// alone see, has a card: the newest last.
func UnpublishedKey(r Recipe) rows.Key {
	return rows.Key{Partition: "unpublished#" + r.Author, Sort: rows.Place(r.CreatedAt) + "#" + r.ID}
}

// Words gives everything of a recipe that is worth finding it by.
func (c Content) Words() string {
	parts := append([]string{c.Title, c.Summary}, c.Ingredients...)
	for _, s := range c.Steps {
		parts = append(parts, s.Text)
	}
	return strings.Join(append(parts, c.Tags...), "\n")
}
