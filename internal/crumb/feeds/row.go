package feeds

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// A Row is one recipe in one feed. Key: feed#<reader>, <time of publication>#<recipe>.
type Row struct {
	Card recipes.Card `dynamodbav:"card"`
	// Rank says which of two rows came later: it is that of the change which wrote
	// it.
	Rank int `dynamodbav:"rank"`
	// Gone tells that the recipe was deleted or is held. The row stays for a while,
	// so that a walk that was late does not put the recipe back.
	Gone bool `dynamodbav:"gone,omitempty"`
	// Expires is when a row that is gone may go, in Unix seconds.
	Expires int64 `dynamodbav:"ttl,omitempty"`
}

// goneFor is how long it stays known that a recipe was taken away. A walk looks at
// the recipe at the beginning of each run, so that the longest run would do.
const goneFor = 7 * 24 * time.Hour

func withdrawn(rank int, now time.Time) Row {
	return Row{Rank: rank, Gone: true, Expires: now.Add(goneFor).Unix()}
}

// A place is where a recipe is in every feed that has it.
type place string

// placeOf is the same for all versions of a recipe: it was published once.
func placeOf(change tasks.RecipeChange) place {
	return place(recipes.AuthorKey(recipes.Recipe{ID: change.Recipe, PublishedAt: change.PublishedAt}).Sort)
}

// of is the key of the row in a reader's feed.
func (p place) of(reader string) rows.Key {
	return rows.Key{Partition: "feed#" + reader, Sort: string(p)}
}
