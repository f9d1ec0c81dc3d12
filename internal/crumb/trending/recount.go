package trending

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

const (
	// Most is how many recipes the list has.
	Most = 24
	// saveWorth is how many views a save is worth.
	saveWorth = 5
	// halfLife is the age at which a view is worth half.
	halfLife = 6 * time.Hour
	// mostLooks is how many recipes are looked at for the list. Some were deleted
	// meanwhile, or held, and anybody can send views of what never was one.
	mostLooks = 2000
)

// A List is what pages show. Key: trending, "trending".
type List struct {
	// AsOf is the time up to which was counted.
	AsOf    time.Time `json:"as_of" dynamodbav:"as_of"`
	Recipes []Entry   `json:"recipes" dynamodbav:"recipes"`

	Order int64 `json:"-" dynamodbav:"order"` // AsOf in milliseconds, for comparison
}

// An Entry is a recipe of the list.
type Entry struct {
	recipes.Card
	Score float64 `json:"score" dynamodbav:"score"`
}

func listKey() rows.Key { return rows.Key{Partition: "trending", Sort: "trending"} }

// Read gives the list as it was last worked out, in one get; empty before the
// first time.
func Read(ctx context.Context, table *rows.Table) (List, error) {
	list, _, err := rows.Get[List](ctx, table, listKey())
	return list, err
}

// A Recounter makes the list. It may be used by many goroutines.
type Recounter struct{ table *rows.Table }

// NewRecounter makes a Recounter that works on a table.
func NewRecounter(table *rows.Table) *Recounter { return &Recounter{table: table} }

// Recount is the handler: it adds up a day of counts and writes the list, over an
// older one only. Running twice writes the same list twice.
func (r *Recounter) Recount(ctx context.Context, j *job.Job[tasks.Recount]) error {
	scores, err := r.scores(ctx, j.Args.At)
	if err != nil {
		return err
	}
	entries, err := r.entries(ctx, best(scores, mostLooks))
	if err != nil {
		return err
	}
	list := List{AsOf: j.Args.At, Recipes: entries, Order: j.Args.At.UnixMilli()}
	// Key: the one list. Condition: it is older. A lost race: a newer list is
	// there, and this one is not wanted any more.
	err = r.table.Change().Put(listKey(), list, "attribute_not_exists(#pk) OR #order < :order", rows.Values{":order": list.Order}).Apply(ctx)
	if errors.Is(err, rows.ErrCondition) {
		return job.Discard("a newer list is there already")
	}
	return err
}

// scores adds up what every recipe was viewed and saved within Window before at.
func (r *Recounter) scores(ctx context.Context, at time.Time) (map[string]float64, error) {
	hours := int(Window / time.Hour)
	sums := make([]map[string]float64, hours)
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(atOnce)
	for age := range hours {
		reads.Go(func() (err error) {
			sums[age], err = r.hour(ctx, at.Add(-time.Duration(age)*time.Hour), worth(time.Duration(age)*time.Hour))
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, fmt.Errorf("trending: counting: %w", err)
	}
	total := map[string]float64{}
	for _, sum := range sums { // in order, so that the same counts give the same sums
		for recipe, score := range sum {
			total[recipe] += score
		}
	}
	return total, nil
}

// worth is what a view of this age counts for: one, and half as much after each
// half-life.
func worth(age time.Duration) float64 { return math.Exp2(-float64(age) / float64(halfLife)) }

// hour adds up the shards of one hour.
func (r *Recounter) hour(ctx context.Context, hour time.Time, worth float64) (map[string]float64, error) {
	sum := map[string]float64{}
	for shard := range Shards {
		for c, err := range rows.All[count](ctx, r.table, rows.Range{Partition: partitionOf(hour, shard), Limit: 1000}) {
			if err != nil {
				return nil, err
			}
			sum[c.Recipe] += worth * float64(c.Views+saveWorth*c.Saves)
		}
	}
	return sum, nil
}

// A score is a recipe with its sum.
type score struct {
	recipe string
	sum    float64
}

// best gives the n highest scores, the highest first; the order of equals is
// always the same.
func best(scores map[string]float64, n int) []score {
	all := make([]score, 0, len(scores))
	for recipe, sum := range scores {
		all = append(all, score{recipe, sum})
	}
	slices.SortFunc(all, func(a, b score) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.recipe, b.recipe))
	})
	return all[:min(n, len(all))]
}

// entries reads the recipes of the scores, some at a time, until there are Most that are
// published still.
func (r *Recounter) entries(ctx context.Context, scores []score) ([]Entry, error) {
	entries := make([]Entry, 0, Most)
	for some := range slices.Chunk(scores, Most) {
		found, err := r.published(ctx, some)
		if err != nil {
			return nil, err
		}
		entries = append(entries, found[:min(len(found), Most-len(entries))]...)
		if len(entries) == Most {
			break
		}
	}
	return entries, nil
}

// published reads recipes, and leaves out those that are not there for everybody.
func (r *Recounter) published(ctx context.Context, scores []score) ([]Entry, error) {
	entries := make([]*Entry, len(scores))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(atOnce)
	for i, s := range scores {
		reads.Go(func() error {
			recipe, ok, err := rows.Get[recipes.Recipe](ctx, r.table, recipes.Key(s.recipe))
			if ok && recipe.State == recipes.Published {
				entries[i] = &Entry{Card: recipe.Card(), Score: math.Round(s.sum*100) / 100}
			}
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, fmt.Errorf("trending: reading a recipe: %w", err)
	}
	var found []Entry
	for _, entry := range entries {
		if entry != nil {
			found = append(found, *entry)
		}
	}
	return found, nil
}
