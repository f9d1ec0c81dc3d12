// Package search keeps an index from words to recipes, and finds recipes by it.
//
// The index hears of each change of a recipe, in order, and then makes it so that the
// recipe as it is can be found, and by nothing that it was. See docs/search.md for how
// words are made, weighed and ranked, and for the limits.
package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// perCommit is how many entries are written or taken away in one transaction: of the
// 100 actions one is the job's, one the indexed row, one the progress.
const perCommit = 97

// An Index writes and searches the index. It may be used by many goroutines.
type Index struct {
	table *rows.Table
	now   func() time.Time
}

// New makes an Index in the site's table, with a clock.
func New(table *rows.Table, now func() time.Time) (*Index, error) {
	if table == nil || now == nil {
		return nil, errors.New("search: New needs the site's table and a clock")
	}
	return &Index{table: table, now: now}, nil
}

// wanted is what the index is to have of a recipe: nothing of one that is not there
// for everybody.
type wanted struct {
	card    recipes.Card
	version int
	entries map[place]int // place to weight
}

// remaining is the cursor of a job that continues. What is to be done follows from
// the rows alone; it is for people.
type remaining struct {
	Entries int `json:"entries"`
}

// Follow brings the index to where the recipe is, some entries in each run. The rows
// say what is left to do, so that a run that is repeated, or comes late, finds that
// out: it is not the event that is carried out.
func (x *Index) Follow(ctx context.Context, j *job.Job[tasks.RecipeChange]) error {
	recipe := j.Args.Recipe
	// The recipe is read after what is indexed of it: it is at least as new.
	have, _, err := rows.Get[indexed](ctx, x.table, indexedKey(recipe))
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	want, err := x.wanted(ctx, recipe)
	if err != nil {
		return err
	}
	old, missing := difference(have, want)
	left := len(old) + len(missing) - perCommit
	changes := x.step(recipe, &have, want, old, missing)
	if left > 0 {
		writes, err := changes.Writes()
		if err != nil {
			return job.Fail(err)
		}
		return worker.CommitContinue(ctx, j, remaining{left}, writes...)
	}
	if want.entries != nil {
		recipes.Tell(changes, recipe, recipes.Search, recipes.Standing{Stage: recipes.Done, Version: want.version, At: x.now()})
	}
	writes, err := changes.Writes()
	if err != nil {
		return job.Fail(err)
	}
	return worker.Commit(ctx, j, writes...)
}

// wanted reads a recipe. One that is deleted is no error, and has no version.
func (x *Index) wanted(ctx context.Context, id string) (wanted, error) {
	recipe, found, err := rows.Get[recipes.Recipe](ctx, x.table, recipes.Key(id))
	if err != nil {
		return wanted{}, fmt.Errorf("search: %w", err)
	}
	if !found || recipe.State != recipes.Published {
		return wanted{version: recipe.Version}, nil
	}
	w := wanted{card: recipe.Card(), version: recipe.Version, entries: map[place]int{}}
	for word, weight := range weigh(recipe.Content) {
		w.entries[placeOf(word, weight)] = weight
	}
	return w, nil
}

// difference gives the entries that have to go, and those that are not there, or show
// an older version's card.
func difference(have indexed, want wanted) (old, missing []place) {
	for at := range have.Entries {
		if _, stays := want.entries[at]; !stays {
			old = append(old, at)
		}
	}
	for at := range want.entries {
		if have.Entries[at] != want.version {
			missing = append(missing, at)
		}
	}
	slices.Sort(old)
	slices.Sort(missing)
	return old, missing
}

// step gives the changes of one transaction: some of the entries, and the row that
// says which there are.
//
// Key: the recipe's. Condition: the row is as it was read. A lost race: another job of
// the recipe was at work, which order forbids; this one is tried again.
func (x *Index) step(recipe string, have *indexed, want wanted, old, missing []place) *rows.Changes {
	changes, left := x.table.Change(), perCommit
	if len(old)+len(missing) == 0 {
		return changes
	}
	if have.Entries == nil {
		have.Entries = map[place]int{}
	}
	for _, at := range old[:min(left, len(old))] {
		changes.Delete(at.key(recipe), "", nil)
		delete(have.Entries, at)
		left--
	}
	for _, at := range missing[:min(left, len(missing))] {
		changes.Put(at.key(recipe), entry{Card: want.card, Weight: want.entries[at]}, "", nil)
		have.Entries[at] = want.version
	}
	read := rows.Values{":read": have.Revision}
	condition := "#revision = :read"
	if have.Revision == 0 {
		condition, read = rows.Absent, nil
	}
	if len(have.Entries) == 0 {
		return changes.Delete(indexedKey(recipe), condition, read)
	}
	have.Revision++
	return changes.Put(indexedKey(recipe), *have, condition, read)
}
