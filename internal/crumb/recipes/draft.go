package recipes

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
)

// Written is what an author sends.
type Written struct {
	Content
	// PhotoKey is that of an upload; empty: no photo.
	PhotoKey string `json:"photo_key,omitempty"`
	// PhotoJob is the job that resizes it, where it was enqueued already.
	PhotoJob string `json:"photo_job,omitempty"`
	// Key is that of the request, drawn by who sends it (Idempotency-Key): the same
	// author's second draft of the same key is the first one. Empty: each is
	// another.
	Key string `json:"-"`
}

// Draft keeps a recipe that is not published yet, and plans to remind its author of
// it: one transaction, so that there is no draft that nobody is reminded of, and
// no reminder of what was never saved. Errors: *BadContent, a *gates.FullError.
func (s *Recipes) Draft(ctx context.Context, author string, in Written) (Recipe, error) {
	in.Content = in.tidy()
	if err := in.Validate(); err != nil {
		return Recipe{}, err
	}
	reader, err := s.Readers.Get(ctx, author)
	if err != nil {
		return Recipe{}, err
	}
	id, err := s.draftID(author, in.Key)
	if err != nil {
		return Recipe{}, err
	}
	now := s.Now().UTC()
	recipe := Recipe{
		ID: string(id), State: Draft, Version: 1, Author: author, AuthorName: reader.Name,
		Content: in.Content, CreatedAt: now, ChangedAt: now,
	}
	follow, err := s.attach(ctx, &recipe, in)
	if err != nil {
		return Recipe{}, err
	}
	nudge, err := s.nudge(&recipe)
	if err != nil {
		return Recipe{}, err
	}
	// The recipe, if there is none of its id, and its card. A failed condition means
	// that the same request was obeyed before, and its answer lost.
	c := s.Table.Change().Put(Key(recipe.ID), recipe, rows.Absent, nil)
	err = recipe.show(c).Transact(ctx, s.Outbox, append(follow, nudge...)...)
	if old, ok := rows.Old[Recipe](err); ok && old.ID == recipe.ID {
		return old, nil
	}
	if err != nil {
		return Recipe{}, fmt.Errorf("recipes: saving a draft: %w", err)
	}
	return recipe, nil
}

// draftID is the id of a new draft: one that follows from author and key, where there
// is a key. It need not be secret: a draft is its author's alone.
func (s *Recipes) draftID(author, key string) (job.ID, error) {
	if key == "" {
		return s.newID()
	}
	sum := sha256.Sum256([]byte(author + "\x00" + key))
	return job.IDOf([16]byte(sum[:16])), nil
}

// nudge plans the reminder of a draft, under an id that the recipe keeps: who
// finishes it cancels the job.
func (s *Recipes) nudge(recipe *Recipe) ([]outbox.Action, error) {
	id, err := s.newID()
	if err != nil {
		return nil, err
	}
	recipe.Nudge = string(id)
	request := tasks.NudgeDraft.With(tasks.DraftNudge{Author: recipe.Author, Recipe: recipe.ID})
	return []outbox.Action{outbox.Enqueue(request, job.In(tasks.NudgeAfter), job.WithID(id, recipe.ID))}, nil
}

// cancelNudge takes a planned reminder back. It comes after the write that makes
// the reminder needless: where it fails, the reminder finds a finished recipe, and
// does nothing.
func (s *Recipes) cancelNudge(ctx context.Context, recipe Recipe) {
	if recipe.Nudge == "" {
		return
	}
	if _, err := s.Producer.Cancel(ctx, job.ID(recipe.Nudge)); err != nil && !gone(err) {
		s.Logger.WarnContext(ctx, "a draft's reminder was not cancelled", "recipe", recipe.ID, "job", recipe.Nudge, "error", err.Error())
	}
}
