package recipes

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/outbox"
)

// asRead is the condition that a recipe is as it was read: nobody edited it, and
// nobody held it back.
const asRead = "#version = :version AND #state = :state"

func (r Recipe) asRead() rows.Values { return rows.Values{":version": r.Version, ":state": r.State} }

// Publish shows a draft to everybody: the recipe, its author's list, the list of
// the newest and the event that tells of it are one transaction. Whoever hears of
// the event finds the recipe. Published already is no error. Errors: *BadContent
// for what is not complete, *ConflictError, ErrHeld.
func (s *Recipes) Publish(ctx context.Context, author, id string) (Recipe, error) {
	draft, err := s.own(ctx, author, id)
	switch {
	case err != nil:
		return Recipe{}, err
	case draft.State == Published:
		return draft, nil
	case draft.State == Held:
		return Recipe{}, ErrHeld
	}
	if err := draft.Complete(); err != nil {
		return Recipe{}, err
	}
	now := s.Now().UTC()
	recipe := draft
	recipe.State, recipe.Version, recipe.Nudge = Published, draft.Version+1, ""
	recipe.PublishedAt, recipe.ChangedAt = now, now
	// The draft as it was read becomes the recipe. A lost race means that it was
	// edited, published or deleted meanwhile.
	c := draft.hide(s.Table.Change().Put(Key(id), recipe, asRead, draft.asRead()))
	err = recipe.show(c).Transact(ctx, s.Outbox, outbox.Publish(recipe.Change().Happened(tasks.RecipePublished)))
	if err != nil {
		return s.overtaken(id, err, func(current Recipe) bool { return current.PublishedAt.Equal(now) })
	}
	s.cancelNudge(ctx, draft)
	return recipe, nil
}

// Edit changes a recipe from the version that its author saw. Of a published one,
// everybody who heard of it hears of the edit. Errors: *BadContent, *ConflictError,
// *gates.FullError.
func (s *Recipes) Edit(ctx context.Context, author, id string, version int, in Written) (Recipe, error) {
	old, err := s.own(ctx, author, id)
	if err != nil {
		return Recipe{}, err
	}
	in.Content = in.tidy()
	recipe := old
	recipe.Content, recipe.Version, recipe.ChangedAt = in.Content, version+1, s.Now().UTC()
	if old.State == Draft {
		err = recipe.Validate()
	} else {
		err = recipe.Complete()
	}
	if err != nil {
		return Recipe{}, err
	}
	if old.Version != version {
		return s.unless(old, sameAs(recipe, in))
	}
	follow, err := s.attach(ctx, &recipe, in)
	if err != nil {
		return Recipe{}, err
	}
	if old.State != Draft {
		follow = append(follow, outbox.Publish(recipe.Change().Happened(tasks.RecipeEdited)))
	}
	// The recipe as it was read. A lost race means that it was edited, published,
	// held or deleted meanwhile.
	c := s.Table.Change().Put(Key(id), recipe, asRead, old.asRead())
	if err := recipe.show(c).Transact(ctx, s.Outbox, follow...); err != nil {
		return s.overtaken(id, err, sameAs(recipe, in))
	}
	return recipe, nil
}

// sameAs tells an edit that was made already, its answer lost, from another's.
func sameAs(want Recipe, in Written) func(Recipe) bool {
	return func(current Recipe) bool {
		return current.Version == want.Version && current.PhotoKey == in.PhotoKey && reflect.DeepEqual(current.Content, want.Content)
	}
}

// overtaken finds out why a change was not made: it was made before, and its
// answer lost; another change was quicker; or something else.
func (s *Recipes) overtaken(id string, err error, mine func(Recipe) bool) (Recipe, error) {
	if !errors.Is(err, rows.ErrCondition) {
		return Recipe{}, fmt.Errorf("recipes: changing %s: %w", id, err)
	}
	current, ok := rows.Old[Recipe](err)
	if !ok {
		return Recipe{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return s.unless(current, mine)
}

// unless is the refusal of a change for which the recipe is too new, unless the
// change is what made it so.
func (s *Recipes) unless(current Recipe, mine func(Recipe) bool) (Recipe, error) {
	if mine(current) {
		return current, nil
	}
	return Recipe{}, &ConflictError{Current: current}
}

// Delete takes a recipe away, with its lists, its rating and its progress, and
// tells those who heard of it.
func (s *Recipes) Delete(ctx context.Context, author, id string) error {
	for range tries {
		recipe, err := s.own(ctx, author, id)
		if err != nil {
			return err
		}
		if err = s.delete(ctx, recipe); err == nil {
			s.cancelNudge(ctx, recipe)
			return nil
		}
		if !errors.Is(err, rows.ErrCondition) {
			return fmt.Errorf("recipes: deleting %s: %w", id, err)
		}
	}
	return fmt.Errorf("%w: deleting %s", ErrBusy, id)
}

func (s *Recipes) delete(ctx context.Context, recipe Recipe) error {
	// The recipe as it was read. A lost race means that it was changed meanwhile,
	// and has to be read again to know which lists it is in.
	c := recipe.hide(s.Table.Change().Delete(Key(recipe.ID), asRead, recipe.asRead()))
	if recipe.State == Draft {
		return c.Transact(ctx, s.Outbox)
	}
	c.Delete(RatingKey(recipe.ID), "", nil)
	for _, who := range subscribers {
		c.Delete(ProgressKey(recipe.ID, who), "", nil)
	}
	gone := recipe.Change()
	gone.Version++
	return c.Transact(ctx, s.Outbox, outbox.Publish(gone.Happened(tasks.RecipeDeleted)))
}
