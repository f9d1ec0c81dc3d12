// Package moderation holds spam. What is published and edited is checked; a recipe that
// is found to be spam is seen by its author alone from then on, who is told why, and
// whose next version is checked again.
package moderation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/notices"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A Moderator checks recipes. It may be used by many goroutines.
type Moderator struct {
	table *rows.Table
	box   *outbox.Outbox
	now   func() time.Time
}

// New makes a Moderator of the site's table, an outbox for its events, and a clock.
func New(table *rows.Table, box *outbox.Outbox, now func() time.Time) (*Moderator, error) {
	if table == nil || box == nil || now == nil {
		return nil, errors.New("moderation: New needs the site's table, an outbox and a clock")
	}
	return &Moderator{table: table, box: box, now: now}, nil
}

// Follow checks a recipe as it is, each version once. State, lists, the notice and the
// event for those who have to know are one transaction, with the end of the job. Its
// condition is the version that was judged: where the author was faster, the job is
// tried again, with what is there then.
func (m *Moderator) Follow(ctx context.Context, j *job.Job[tasks.RecipeChange]) error {
	recipe, due, err := m.unjudged(ctx, j.Args.Recipe)
	if err != nil || !due {
		return err
	}
	changes, event := m.judge(recipe)
	writes, err := changes.Writes()
	if err != nil {
		return job.Fail(err)
	}
	if event != nil {
		happened, err := m.box.Writes(ctx, m.follows(recipe, event)...)
		if err != nil {
			return job.Fail(err)
		}
		writes = append(writes, happened...)
	}
	if err = worker.Commit(ctx, j, writes...); errors.Is(err, rows.ErrCondition) {
		return job.RetryAfter(time.Second, fmt.Errorf("moderation: %s was changed while it was checked: %w", recipe.ID, err))
	}
	return err
}

// follows is what follows from another state: the event, and a mail to whom it is bad
// news for.
func (m *Moderator) follows(recipe recipes.Recipe, event *job.Event[tasks.RecipeChange]) []outbox.Action {
	all := []outbox.Action{outbox.Publish(recipe.Turned().Happened(*event))}
	if event == &tasks.RecipeWithheld {
		mail := tasks.RecipeHeld{Title: recipe.Title, Link: "/recipes/" + recipe.ID}.To(recipe.Author)
		all = append(all, outbox.Enqueue(tasks.SendUrgent.With(mail)))
	}
	return all
}

// unjudged reads a recipe whose version is still to be checked. One that is deleted,
// or not published, is not.
func (m *Moderator) unjudged(ctx context.Context, id string) (recipe recipes.Recipe, due bool, err error) {
	recipe, found, err := rows.Get[recipes.Recipe](ctx, m.table, recipes.Key(id))
	if err != nil {
		return recipe, false, fmt.Errorf("moderation: %w", err)
	}
	if !found || recipe.State == recipes.Draft {
		return recipe, false, nil
	}
	standing, _, err := rows.Get[recipes.Standing](ctx, m.table, recipes.ProgressKey(id, recipes.Spam))
	if err != nil {
		return recipe, false, fmt.Errorf("moderation: %w", err)
	}
	return recipe, standing.Version < recipe.Version, nil
}

// judge gives what follows from a recipe's verdict, and the event where its state
// changes.
func (m *Moderator) judge(recipe recipes.Recipe) (*rows.Changes, *job.Event[tasks.RecipeChange]) {
	changes := m.table.Change()
	verdict := Judge(recipe.Content)
	standing := recipes.Standing{Stage: recipes.Clear, Version: recipe.Version, At: m.now()}
	if verdict.Spam() {
		standing.Stage = recipes.OnHold
	}
	recipes.Tell(changes, recipe.ID, recipes.Spam, standing)
	switch {
	case verdict.Spam() && recipe.State == recipes.Published:
		recipes.Hold(changes, recipe)
		m.tell(changes, recipe, "held", fmt.Sprintf("We took “%s” for spam, and only you see it: %s. Edit it, and it is checked again.", recipe.Title, verdict.Reasons()))
		return changes, &tasks.RecipeWithheld
	case !verdict.Spam() && recipe.State == recipes.Held:
		recipes.Release(changes, recipe)
		m.tell(changes, recipe, "cleared", fmt.Sprintf("“%s” is fine now, and everybody sees it.", recipe.Title))
		return changes, &tasks.RecipeCleared
	}
	// The recipe as it was read. A lost race means that it was edited or deleted.
	changes.Check(recipes.Key(recipe.ID), "#version = :version", rows.Values{":version": recipe.Version})
	if verdict.Spam() { // it was held before, and is no better
		m.tell(changes, recipe, "held", fmt.Sprintf("We still take “%s” for spam: %s.", recipe.Title, verdict.Reasons()))
	}
	return changes, nil
}

// tell puts a notice about this version into the author's inbox.
func (m *Moderator) tell(c *rows.Changes, recipe recipes.Recipe, kind, text string) {
	notices.Add(c, recipe.Author, notices.Notice{
		ID: fmt.Sprintf("%s/%s/%d", kind, recipe.ID, recipe.Version), Kind: kind, Text: text,
		Link: "/recipes/" + recipe.ID, At: recipe.ChangedAt, Told: m.now(),
	})
}
