package recipes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Errors that callers decide on.
var (
	// ErrNotFound: there is no such recipe, or none that this reader may see.
	ErrNotFound = errors.New("recipes: no such recipe")
	// ErrNotYours: only its author may do that.
	ErrNotYours = errors.New("recipes: the recipe is another author's")
	// ErrHeld: the recipe was found to be spam.
	ErrHeld = errors.New("recipes: the recipe is held back")
	// ErrBusy: others changed the same rows each time that it was tried.
	ErrBusy = errors.New("recipes: too many changes at once")
)

// A ConflictError says that the recipe is at another version than the change was
// made for.
type ConflictError struct{ Current Recipe }

// Error says both.
func (c *ConflictError) Error() string {
	return fmt.Sprintf("recipes: recipe %s is at version %d by now", c.Current.ID, c.Current.Version)
}

// tries is how often a change is made anew that others overtook.
const tries = 5

// Config is what Recipes work with.
type Config struct {
	// Table is the site's table, Outbox writes it together with jobs and events,
	// Producer cancels jobs, Jobs tells of them. Required.
	Table    *rows.Table
	Outbox   *outbox.Outbox
	Producer *producer.Producer
	Jobs     *store.Jobs
	// Readers tell the names of authors. Required.
	Readers *readers.Readers
	// Photos is the gate before the queue of photos; nil lets everything in.
	Photos gates.Gate
	// Saved tells whether a reader keeps a recipe; nil: nobody keeps any.
	Saved func(ctx context.Context, reader, recipe string) (bool, error)
	// Random is where ids come from; default crypto/rand.
	Random io.Reader
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Logger takes what goes wrong beside a request; default slog.Default().
	Logger *slog.Logger
}

// Recipes are all recipes. They may be used by many goroutines.
type Recipes struct{ Config }

// New makes Recipes.
func New(config Config) (*Recipes, error) {
	if config.Table == nil || config.Outbox == nil || config.Producer == nil || config.Jobs == nil || config.Readers == nil {
		return nil, errors.New("recipes: Config.Table, Outbox, Producer, Jobs and Readers are required")
	}
	if config.Random == nil {
		config.Random = rand.Reader
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	return &Recipes{config}, nil
}

// Read gives a recipe, whoever may see it; ErrNotFound where there is none. It is
// for workers: readers get View.
func Read(ctx context.Context, table *rows.Table, id string) (Recipe, error) {
	recipe, ok, err := rows.Get[Recipe](ctx, table, Key(id))
	if err != nil {
		return Recipe{}, fmt.Errorf("recipes: reading %s: %w", id, err)
	}
	if !ok {
		return Recipe{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return recipe, nil
}

// VisibleTo tells whether a reader may see it; "" is somebody who is not signed in.
func (r Recipe) VisibleTo(reader string) bool { return r.State == Published || r.Author == reader }

// visible reads a recipe for a reader.
func (s *Recipes) visible(ctx context.Context, reader, id string) (Recipe, error) {
	recipe, err := Read(ctx, s.Table, id)
	if err == nil && !recipe.VisibleTo(reader) {
		return Recipe{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return recipe, err
}

// own reads a recipe for its author.
func (s *Recipes) own(ctx context.Context, author, id string) (Recipe, error) {
	recipe, err := s.visible(ctx, author, id)
	if err == nil && recipe.Author != author {
		return Recipe{}, fmt.Errorf("%w: %s", ErrNotYours, id)
	}
	return recipe, err
}

func (s *Recipes) newID() (job.ID, error) { return job.NewID(s.Random) }
