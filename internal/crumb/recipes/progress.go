package recipes

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// A Subscriber works on what is published, on a queue of its own, and tells how
// far it has come in a row of its own that nobody else writes. The publisher knows
// none of them; these are the names under which readers of a recipe see them.
type Subscriber string

// Who works on what is published.
const (
	Search  Subscriber = "search"
	Feeds   Subscriber = "feeds"
	Notices Subscriber = "notices"
	Spam    Subscriber = "spam"
)

var subscribers = []Subscriber{Search, Feeds, Notices, Spam}

// A Stage says how far a subscriber is.
type Stage string

// The stages. Queued is what nobody writes: there is no row yet. A spam check ends
// in Clear or OnHold, the others in Done.
const (
	Queued  Stage = "queued"
	Working Stage = "working"
	Done    Stage = "done"
	Clear   Stage = "clear"
	OnHold  Stage = "held"
)

// A Standing is how far a subscriber has come with a recipe. Key: recipe#<id>,
// progress#<subscriber>.
type Standing struct {
	Stage Stage `json:"state" dynamodbav:"state"`
	// Version is the recipe's that it is about; an edit makes it old.
	Version int `json:"-" dynamodbav:"version"`
	// Reached counts the readers that have it, of those who are to get it.
	Reached int       `json:"reached,omitempty" dynamodbav:"reached,omitempty"`
	Of      int       `json:"of,omitempty" dynamodbav:"of,omitempty"`
	At      time.Time `json:"-" dynamodbav:"at"`
}

// ProgressKey is where a subscriber's row lies.
func ProgressKey(recipe string, who Subscriber) rows.Key {
	return rows.Key{Partition: Key(recipe).Partition, Sort: progressPlace + string(who)}
}

const progressPlace = "progress#"

// Tell adds a subscriber's standing to the changes in which it does its work, over the
// one before.
func Tell(c *rows.Changes, recipe string, who Subscriber, standing Standing) *rows.Changes {
	return c.Put(ProgressKey(recipe, who), standing, "", nil)
}

// Progress is how far a publication is, as pages show it.
type Progress struct {
	Search  Stage    `json:"search"`
	Feeds   Standing `json:"feeds"`
	Notices Standing `json:"notices"`
	Spam    Stage    `json:"spam"`
}

// ProgressOf reads how far the subscribers are with a recipe, in one query. Search
// and spam check begin anew with each version; feeds and notices do not.
func ProgressOf(ctx context.Context, table *rows.Table, r Recipe) (Progress, error) {
	standings := map[Subscriber]Standing{}
	for _, who := range subscribers {
		standings[who] = Standing{Stage: Queued}
	}
	page, err := rows.List[progressRow](ctx, table, rows.Range{Partition: Key(r.ID).Partition, Prefix: progressPlace})
	if err != nil {
		return Progress{}, fmt.Errorf("recipes: reading the progress of %s: %w", r.ID, err)
	}
	for _, row := range page.Rows {
		who := Subscriber(row.Place[len(progressPlace):])
		if (who == Search || who == Spam) && row.Version < r.Version {
			continue
		}
		standings[who] = row.Standing
	}
	return Progress{Search: standings[Search].Stage, Feeds: standings[Feeds], Notices: standings[Notices], Spam: standings[Spam].Stage}, nil
}

// A progressRow is a Standing with the place that says whose it is.
type progressRow struct {
	Place string `dynamodbav:"sk"`
	Standing
}
