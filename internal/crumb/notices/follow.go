package notices

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/followers"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Follow tells of a recipe whoever asked to be told of its author's: it looks at a
// thousand followers, and at the rest in further runs. A recipe that was deleted, or
// is held by then, nobody is told of.
func (n *Notices) Follow(ctx context.Context, j *job.Job[tasks.RecipeChange]) error {
	from, _, err := job.Cursor[followers.Place](j)
	if err != nil {
		return job.Fail(err)
	}
	recipe, found, err := rows.Get[recipes.Recipe](ctx, n.table, recipes.Key(j.Args.Recipe))
	if err != nil || !found || recipe.State != recipes.Published {
		return err
	}
	notice := Notice{
		ID: "published/" + recipe.ID, Kind: "published", Link: "/recipes/" + recipe.ID, At: recipe.PublishedAt, Told: n.now(),
		Text: fmt.Sprintf("%s published “%s”", recipe.AuthorName, recipe.Title),
	}
	to, over, err := followers.Walk(ctx, n.table, recipe.Author, from, func(ctx context.Context, f readers.Follower) (bool, error) {
		if !f.Notify {
			return false, nil
		}
		return true, Tell(ctx, n.table, f.Reader, notice)
	})
	if err != nil {
		return err
	}
	standing := recipes.Standing{Stage: recipes.Working, Version: recipe.Version, Reached: to.Reached, At: n.now()}
	if over {
		standing.Stage, standing.Of = recipes.Done, to.Reached
	}
	if err := recipes.Tell(n.table.Change(), recipe.ID, recipes.Notices, standing).Apply(ctx); err != nil || over {
		return err
	}
	return job.Continue(to)
}
