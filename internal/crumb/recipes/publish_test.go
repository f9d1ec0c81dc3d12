package recipes_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

const ada = publishtest.Ada

func world(t *testing.T) *publishtest.World {
	t.Helper()
	return publishtest.New(t, nightshifttest.Config{})
}

func drafted(t *testing.T, w *publishtest.World, content recipes.Content) recipes.Recipe {
	t.Helper()
	draft, err := w.Recipes.Draft(t.Context(), ada, recipes.Written{Content: content})
	if err != nil {
		t.Fatal(err)
	}
	return draft
}

func cards(t *testing.T, list func(context.Context, string, string) (recipes.Cards, error)) []recipes.Card {
	t.Helper()
	page, err := list(t.Context(), ada, "")
	if err != nil {
		t.Fatal(err)
	}
	return page.Recipes
}

// A draft is kept with the reminder of it, and seen by its author alone.
func TestDraft(t *testing.T) {
	w := world(t)
	draft := drafted(t, w, soup())
	nudge := nightshifttest.EnqueuedOne(w.Kit, tasks.NudgeDraft)
	if nudge.Delay != tasks.NudgeAfter || nudge.Args != (tasks.DraftNudge{Author: ada, Recipe: draft.ID}) || string(nudge.ID) != draft.Nudge {
		t.Errorf("the reminder is %+v, the draft %+v", nudge, draft)
	}
	if got := cards(t, w.Recipes.Unpublished); len(got) != 1 || got[0].State != recipes.Draft {
		t.Errorf("listed are %+v", got)
	}
	if _, err := w.Recipes.View(t.Context(), "bob", draft.ID); !errors.Is(err, recipes.ErrNotFound) {
		t.Error("Bob sees it:", err)
	}
	if v, err := w.Recipes.View(t.Context(), ada, draft.ID); err != nil || v.Progress != nil || v.TotalMinutes != 30 {
		t.Errorf("Ada sees %+v, %v", v, err)
	}
	if len(nightshifttest.Published(w.Kit, tasks.RecipePublished)) != 0 {
		t.Error("somebody was told of a draft")
	}
}

// A draft that is sent again, because the answer was lost, is the one that there is.
func TestDraftThatIsSentAgain(t *testing.T) {
	w := world(t)
	send := func(author, key string) string {
		t.Helper()
		if author != ada {
			if err := w.Table.Change().Put(readers.Key(author), readers.Reader{ID: author, Name: author}, "", nil).Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		draft, err := w.Recipes.Draft(t.Context(), author, recipes.Written{Content: soup(), Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return draft.ID
	}
	first := send(ada, "k1")
	if again := send(ada, "k1"); again != first {
		t.Errorf("sent again it is %s, not %s", again, first)
	}
	for _, other := range []string{send(ada, "k2"), send("bob", "k1"), send(ada, ""), send(ada, "")} {
		if other == first {
			t.Error("another draft is the same")
		}
	}
	if n := len(nightshifttest.Enqueued(w.Kit, tasks.NudgeDraft)); n != 5 {
		t.Errorf("%d reminders for 5 drafts", n)
	}
}

// Publishing moves the recipe from list to list, tells of it, and cancels the
// reminder.
func TestPublish(t *testing.T) {
	w := world(t)
	draft := drafted(t, w, soup())
	recipe, err := w.Recipes.Publish(t.Context(), ada, draft.ID)
	if err != nil {
		t.Fatal(err)
	}
	events := nightshifttest.WantPublished(w.Kit, tasks.RecipePublished, tasks.RecipeChange{
		Recipe: draft.ID, Version: 2, Author: ada, Title: "Onion soup", PublishedAt: recipe.PublishedAt,
	})
	if events[0].Key != "recipe/"+draft.ID {
		t.Errorf("the event's key is %s", events[0].Key)
	}
	w.Kit.WantState(job.ID(draft.Nudge), lifecycle.Cancelled)
	if got := cards(t, w.Recipes.By); len(got) != 1 || got[0].ID != recipe.ID || got[0].Minutes != 30 || got[0].State != "" {
		t.Errorf("listed are %+v", got)
	}
	if got := cards(t, w.Recipes.Unpublished); len(got) != 0 {
		t.Errorf("still a draft: %+v", got)
	}
	if newest, err := w.Recipes.Recent(t.Context(), ""); err != nil || len(newest.Recipes) != 1 {
		t.Errorf("the newest are %+v, %v", newest, err)
	}
	// Once more, as somebody does whose first answer was lost.
	if again, err := w.Recipes.Publish(t.Context(), ada, draft.ID); err != nil || again.Version != 2 {
		t.Errorf("again: %+v, %v", again, err)
	}
	if n := len(nightshifttest.Published(w.Kit, tasks.RecipePublished)); n != 1 {
		t.Errorf("%d events", n)
	}
}

func TestPublishRefuses(t *testing.T) {
	w := world(t)
	unfinished := drafted(t, w, recipes.Content{Title: "Onion soup"})
	var bad *recipes.BadContent
	if _, err := w.Recipes.Publish(t.Context(), ada, unfinished.ID); !errors.As(err, &bad) {
		t.Error("an unfinished one:", err)
	}
	if _, err := w.Recipes.Publish(t.Context(), "bob", unfinished.ID); !errors.Is(err, recipes.ErrNotFound) {
		t.Error("another's:", err)
	}
	held := w.Publish(soup())
	if err := recipes.Hold(w.Table.Change(), held).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Recipes.Publish(t.Context(), ada, held.ID); !errors.Is(err, recipes.ErrHeld) {
		t.Error("a held one:", err)
	}
	if len(nightshifttest.Published(w.Kit, tasks.RecipePublished)) != 1 {
		t.Error("somebody was told all the same")
	}
}

func TestEdit(t *testing.T) {
	w := world(t)
	recipe := w.Publish(soup())
	better := soup()
	better.Title = "Better onion soup"
	edited := w.Edit(recipe, better)
	nightshifttest.WantPublished(w.Kit, tasks.RecipeEdited, edited.Change())
	if got := cards(t, w.Recipes.By); len(got) != 1 || got[0].Title != better.Title {
		t.Errorf("listed are %+v", got)
	}
	// Once more, as somebody does whose first answer was lost.
	if again := w.Edit(recipe, better); again.Version != edited.Version {
		t.Errorf("again: %+v", again)
	}
	var conflict *recipes.ConflictError
	if _, err := w.Recipes.Edit(t.Context(), ada, recipe.ID, recipe.Version, recipes.Written{Content: soup()}); !errors.As(err, &conflict) || conflict.Current.Title != better.Title {
		t.Error("another edit of the old version:", err)
	}
	if _, err := w.Recipes.Edit(t.Context(), "bob", recipe.ID, edited.Version, recipes.Written{Content: soup()}); !errors.Is(err, recipes.ErrNotYours) {
		t.Error("Bob's:", err)
	}
	var bad *recipes.BadContent
	if _, err := w.Recipes.Edit(t.Context(), ada, recipe.ID, edited.Version, recipes.Written{}); !errors.As(err, &bad) {
		t.Error("an empty one, in public:", err)
	}
}

// Drafts are edited without anybody hearing of it.
func TestEditDraft(t *testing.T) {
	w := world(t)
	draft := drafted(t, w, recipes.Content{})
	if edited := w.Edit(draft, soup()); edited.State != recipes.Draft || edited.Version != 2 {
		t.Errorf("%+v", edited)
	}
	nightshifttest.WantPublished(w.Kit, tasks.RecipeEdited)
}

func TestDelete(t *testing.T) {
	w := world(t)
	recipe, draft := w.Publish(soup()), drafted(t, w, soup())
	if _, err := w.Recipes.Rate(t.Context(), "bob", recipe.ID, 5); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{recipe.ID, draft.ID} {
		if err := w.Recipes.Delete(t.Context(), ada, id); err != nil {
			t.Fatal(err)
		}
		if err := w.Recipes.Delete(t.Context(), ada, id); !errors.Is(err, recipes.ErrNotFound) {
			t.Error("a second time:", err)
		}
	}
	gone := recipe.Change()
	gone.Version = 3
	nightshifttest.WantPublished(w.Kit, tasks.RecipeDeleted, gone)
	w.Kit.WantState(job.ID(draft.Nudge), lifecycle.Cancelled)
	for _, prefix := range []string{"recipe#", "author#", "recent#", "unpublished#"} {
		if n := w.Rows(prefix); n != 0 {
			t.Errorf("%d rows of %s are left", n, prefix)
		}
	}
	if _, err := w.Recipes.Rate(t.Context(), "eve", recipe.ID, 5); !errors.Is(err, recipes.ErrNotFound) {
		t.Error("rated after the end:", err)
	}
}

// What is held is in no list but its author's; an edit in hand does not bring it
// back.
func TestHoldAndRelease(t *testing.T) {
	w := world(t)
	recipe := w.Publish(soup())
	if err := recipes.Hold(w.Table.Change(), recipe).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(cards(t, w.Recipes.By)) != 0 || len(cards(t, w.Recipes.Unpublished)) != 1 {
		t.Error("it is in the wrong lists")
	}
	if _, err := w.Recipes.View(t.Context(), "bob", recipe.ID); !errors.Is(err, recipes.ErrNotFound) {
		t.Error("Bob sees it:", err)
	}
	if err := recipes.Hold(w.Table.Change(), recipe).Apply(t.Context()); !errors.Is(err, rows.ErrCondition) {
		t.Error("held twice:", err)
	}
	edited := w.Edit(recipe, soup())
	if edited.State != recipes.Held {
		t.Errorf("the edit made it %s", edited.State)
	}
	if err := recipes.Release(w.Table.Change(), recipe).Apply(t.Context()); !errors.Is(err, rows.ErrCondition) {
		t.Error("released as it was before the edit:", err)
	}
	if err := recipes.Release(w.Table.Change(), edited).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(cards(t, w.Recipes.By)) != 1 || len(cards(t, w.Recipes.Unpublished)) != 0 {
		t.Error("it is in the wrong lists after its release")
	}
}
