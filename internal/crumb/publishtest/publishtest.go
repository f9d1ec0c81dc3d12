// Package publishtest gives tests of those who hear of recipes a site in memory: its
// authors publish as they do in earnest, and what they publish reaches the
// subscribers by the outbox, the relay and the topic of a test kit.
package publishtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

// A World is a site with one author, Ada. It is for one test.
type World struct {
	Kit     *nightshifttest.Kit
	Table   *rows.Table
	Recipes *recipes.Recipes

	t testing.TB
}

// Ada is the author's id.
const Ada = "ada"

// New makes a World on a kit of this configuration, whose tables and topics are the
// site's. further are tasks that are not Crumb's.
func New(t testing.TB, config nightshifttest.Config, further ...job.Defined) *World {
	t.Helper()
	config.Tables, config.Topics = rowstest.Tables(), tasks.Topics()
	w := &World{t: t, Kit: nightshifttest.New(t, config, append(tasks.Defined(), further...)...)}
	w.Table = rowstest.Of(t, w.Kit)
	accounts, err := readers.New(readers.Config{Table: w.Table, Now: w.Kit.Now})
	if err != nil {
		t.Fatal(err)
	}
	w.Recipes, err = recipes.New(recipes.Config{
		Table: w.Table, Outbox: w.Kit.Outbox, Producer: w.Kit.Producer, Jobs: w.Kit.Jobs, Readers: accounts, Now: w.Kit.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.apply(w.Table.Change().Put(readers.Key(Ada), readers.Reader{ID: Ada, Name: "Ada", Email: "ada@example.com"}, "", nil))
	return w
}

// Serve gives all of what a subscriber hears to its handler.
func (w *World) Serve(hears tasks.Hearing, follow func(context.Context, *job.Job[tasks.RecipeChange]) error) {
	w.t.Helper()
	w.Kit.Serve(wire.Handlers(hears, follow)...)
}

// Follow has readers r0, r1, … follow Ada; every nth of them asks for notices (0:
// none does).
func (w *World) Follow(readersInAll, nth int) {
	w.t.Helper()
	for i := range readersInAll {
		reader := fmt.Sprintf("r%d", i)
		f := readers.Follower{Reader: reader, Notify: nth > 0 && i%nth == 0}
		w.apply(w.Table.Change().Put(readers.FollowerKey(Ada, reader), f, "", nil))
	}
}

func (w *World) apply(c *rows.Changes) {
	w.t.Helper()
	if err := c.Apply(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// Content is a recipe of this title. What follows are its ingredients; the last one is
// what is to be done.
func Content(title string, lines ...string) recipes.Content {
	c := recipes.Content{Title: title, Ingredients: []string{"water"}, Steps: []recipes.Step{{Text: "Cook.", Minutes: 10}}}
	if n := len(lines); n > 0 {
		c.Steps[0].Text = lines[n-1]
		c.Ingredients = append(c.Ingredients, lines[:n-1]...)
	}
	return c
}

// Publish has Ada write a recipe and publish it.
func (w *World) Publish(content recipes.Content) recipes.Recipe {
	w.t.Helper()
	draft, err := w.Recipes.Draft(w.t.Context(), Ada, recipes.Written{Content: content})
	if err != nil {
		w.t.Fatal(err)
	}
	recipe, err := w.Recipes.Publish(w.t.Context(), Ada, draft.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return recipe
}

// Edit has Ada change a recipe from the version that she knows.
func (w *World) Edit(recipe recipes.Recipe, content recipes.Content) recipes.Recipe {
	w.t.Helper()
	edited, err := w.Recipes.Edit(w.t.Context(), Ada, recipe.ID, recipe.Version, recipes.Written{Content: content})
	if err != nil {
		w.t.Fatal(err)
	}
	return edited
}

// Delete has Ada take a recipe away.
func (w *World) Delete(recipe recipes.Recipe) {
	w.t.Helper()
	if err := w.Recipes.Delete(w.t.Context(), Ada, recipe.ID); err != nil {
		w.t.Fatal(err)
	}
}

// Rows counts the site's rows whose partition begins so.
func (w *World) Rows(prefix string) int {
	w.t.Helper()
	n := 0
	for _, row := range w.Kit.Rows(rowstest.Name) {
		if strings.HasPrefix(rowstest.Partition(row), prefix) {
			n++
		}
	}
	return n
}
