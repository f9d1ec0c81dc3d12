package trending

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// A saved row tells that a reader keeps a recipe. Key: saves#<reader>, the
// recipe's id.
type saved struct {
	Recipe string    `dynamodbav:"recipe"`
	At     time.Time `dynamodbav:"at"`
}

// SavesOf is the partition of what a reader saved.
func SavesOf(reader string) string { return "saves#" + reader }

func savedKey(reader, recipe string) rows.Key {
	return rows.Key{Partition: SavesOf(reader), Sort: recipe}
}

// ErrNoRecipe: there is no such recipe.
var ErrNoRecipe = errors.New("trending: no such recipe")

// Saves keeps which recipes readers saved. It may be used by many goroutines.
type Saves struct {
	table *rows.Table
	now   func() time.Time
	shard func(n int) int
}

// NewSaves makes Saves in a table. shard draws a number below n.
func NewSaves(table *rows.Table, now func() time.Time, shard func(n int) int) *Saves {
	return &Saves{table: table, now: now, shard: shard}
}

// Save keeps a recipe for a reader, and counts that, once however often it is
// asked. It fails with ErrNoRecipe where there is none.
func (s *Saves) Save(ctx context.Context, reader, recipe string) error {
	has, err := s.Has(ctx, reader, recipe)
	if has || err != nil {
		return err
	}
	// Condition: not saved yet, and the recipe exists.
	changes := s.table.Change().
		Put(savedKey(reader, recipe), saved{Recipe: recipe, At: s.now()}, rows.Absent, nil).
		Check(recipes.Key(recipe), rows.Present, nil)
	err = add(changes, recipe, s.now(), s.shard(Shards), 0, 1).Apply(ctx)
	switch {
	case rows.Failed(err, 0):
		return nil // the same reader, elsewhere, was faster
	case rows.Failed(err, 1):
		return ErrNoRecipe
	}
	return err
}

// Drop forgets it. What it counted for stays: the list tells what was wanted.
func (s *Saves) Drop(ctx context.Context, reader, recipe string) error {
	return s.table.Change().Delete(savedKey(reader, recipe), "", nil).Apply(ctx)
}

// Has tells whether a reader saved a recipe.
func (s *Saves) Has(ctx context.Context, reader, recipe string) (bool, error) {
	_, ok, err := rows.Get[saved](ctx, s.table, savedKey(reader, recipe))
	return ok, err
}
