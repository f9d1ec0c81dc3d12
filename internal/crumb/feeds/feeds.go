// Package feeds brings recipes to the feeds of those who follow their author.
//
// A feed's row has a key that follows from reader and recipe, and a rank that follows
// from what happened to the recipe before: a write takes the place of a lower rank
// only. So it is all the same how often, how late and in which order rows are written:
// when the last of a recipe's changes has been walked, each follower has one row for
// it, and it is that of its latest version. No transaction is needed for it, which
// would cost twice as much; see docs/feeds.md.
package feeds

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/followers"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Feeds writes and reads feeds. It may be used by many goroutines.
type Feeds struct {
	table *rows.Table
	now   func() time.Time
}

// New makes Feeds of the site's table and a clock.
func New(table *rows.Table, now func() time.Time) (*Feeds, error) {
	if table == nil || now == nil {
		return nil, errors.New("feeds: New needs the site's table and a clock")
	}
	return &Feeds{table: table, now: now}, nil
}

// Follow brings what became of a recipe to the feeds of its author's followers: a
// thousand of them, and the rest in further runs.
func (f *Feeds) Follow(ctx context.Context, j *job.Job[tasks.RecipeChange]) error {
	from, _, err := job.Cursor[followers.Place](j)
	if err != nil {
		return job.Fail(err)
	}
	key, row, due, err := f.rowOf(ctx, j.Args)
	if err != nil || !due {
		return err
	}
	to, over, err := followers.Walk(ctx, f.table, j.Args.Author, from, func(ctx context.Context, follower readers.Follower) (bool, error) {
		return true, f.put(ctx, key.of(follower.Reader), row)
	})
	if err != nil {
		return err
	}
	if err := f.tell(ctx, j.Args, row, to, over); err != nil || over {
		return err
	}
	return job.Continue(to)
}

// put writes a feed's row, unless it has that of a later version.
//
// Key: the reader's and the recipe's. Condition: there is no row, or one of a lower
// rank. A lost race: it is there already, or what came later is.
func (f *Feeds) put(ctx context.Context, key rows.Key, row Row) error {
	err := f.table.Change().
		Put(key, row, rows.Absent+" OR #rank < :rank", rows.Values{":rank": row.Rank}).
		Apply(ctx)
	if errors.Is(err, rows.ErrCondition) {
		return nil
	}
	return err
}

// tell says on the recipe's page how many feeds have it.
func (f *Feeds) tell(ctx context.Context, change tasks.RecipeChange, row Row, to followers.Place, over bool) error {
	if row.Gone {
		return nil
	}
	of, err := readers.CountFollowers(ctx, f.table, change.Author)
	if err != nil {
		return err
	}
	standing := recipes.Standing{
		Stage: recipes.Working, Version: change.Version, Reached: to.Reached, Of: max(of, to.Reached), At: f.now(),
	}
	if over {
		standing.Stage, standing.Of = recipes.Done, to.Reached
	}
	return recipes.Tell(f.table.Change(), change.Recipe, recipes.Feeds, standing).Apply(ctx)
}

// rowOf gives what feeds are to hold of a recipe, as it is now. It is due unless the
// recipe was never published, or was changed since: another walk is on its way
// then, to the same followers.
func (f *Feeds) rowOf(ctx context.Context, change tasks.RecipeChange) (place, Row, bool, error) {
	recipe, found, err := rows.Get[recipes.Recipe](ctx, f.table, recipes.Key(change.Recipe))
	switch {
	case err != nil:
		return "", Row{}, false, fmt.Errorf("feeds: %w", err)
	case change.PublishedAt.IsZero() || found && recipe.Change().Rank() > change.Rank():
		return "", Row{}, false, nil
	case !found || recipe.State != recipes.Published:
		return placeOf(change), withdrawn(change.Rank(), f.now()), true, nil
	}
	return placeOf(change), Row{Card: recipe.Card(), Rank: change.Rank()}, true, nil
}
