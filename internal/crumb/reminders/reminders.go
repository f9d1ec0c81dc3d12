// Package reminders tells readers of recipes at the time that they asked for
// ("remind me in 30 days"), and authors of drafts that they left.
//
// A reminder is a job that waits for its time: while it is far off, as a row of the
// jobs table that no broker has to remember. Moving it and cancelling it are one
// write to that row. The site keeps beside it which reminders a reader has, and no
// time and no state: those are the job's.
package reminders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Errors that callers decide on.
var (
	// ErrNoRecipe: there is no such recipe.
	ErrNoRecipe = errors.New("reminders: no such recipe")
	// ErrNone: the reader has no such reminder, or it is over.
	ErrNone = errors.New("reminders: no such reminder")
	// ErrTooMany: the reader has as many as one may have.
	ErrTooMany = errors.New("reminders: too many")
	// ErrTime: the time is past, or too far ahead.
	ErrTime = errors.New("reminders: a reminder is for a time from now on, within a year")
)

// Most is how many reminders a reader may have at a time.
const Most = 50

// A Reminder is what a reader asked for.
type Reminder struct {
	ID     string `json:"id"`
	Recipe string `json:"recipe"`
	Title  string `json:"title"`
	// At is when it is due.
	At time.Time `json:"at"`
}

// kept is what the site keeps of a reminder. Key: reminders#<reader>, its job's id.
type kept struct {
	Job    job.ID `dynamodbav:"job"`
	Recipe string `dynamodbav:"recipe"`
	Title  string `dynamodbav:"title"`
}

// ListOf is the partition of a reader's reminders.
func ListOf(reader string) string { return "reminders#" + reader }

func keptKey(reader string, id job.ID) rows.Key {
	return rows.Key{Partition: ListOf(reader), Sort: string(id)}
}

// Config is what Reminders work with. All of it is required.
type Config struct {
	Rows     *rows.Table
	Jobs     *store.Jobs
	Producer *producer.Producer
	Outbox   *outbox.Outbox
	// Now is the clock.
	Now func() time.Time
	// Random draws ids.
	Random io.Reader
}

// Reminders are made, moved and cancelled. They may be used by many goroutines.
type Reminders struct{ Config }

// New makes Reminders.
func New(config Config) (*Reminders, error) {
	if config.Rows == nil || config.Jobs == nil || config.Producer == nil || config.Outbox == nil || config.Now == nil || config.Random == nil {
		return nil, errors.New("reminders: every field of Config is required")
	}
	return &Reminders{config}, nil
}

// Add reminds a reader of a recipe at a time: the job and the reader's row are one
// transaction.
func (r *Reminders) Add(ctx context.Context, reader, recipe string, at time.Time) (Reminder, error) {
	if err := r.inTime(at); err != nil {
		return Reminder{}, err
	}
	found, ok, err := rows.Get[recipes.Recipe](ctx, r.Rows, recipes.Key(recipe))
	if err != nil {
		return Reminder{}, err
	}
	if !ok || found.State != recipes.Published {
		return Reminder{}, ErrNoRecipe
	}
	if has, err := r.List(ctx, reader); err != nil || len(has) >= Most {
		return Reminder{}, errors.Join(err, full(len(has)))
	}
	id, err := job.NewID(r.Random)
	if err != nil {
		return Reminder{}, fmt.Errorf("reminders: %w", err)
	}
	writes, err := r.Rows.Change().Put(keptKey(reader, id), kept{Job: id, Recipe: recipe, Title: found.Title}, rows.Absent, nil).Writes()
	if err != nil {
		return Reminder{}, err
	}
	remind := tasks.Remind.With(tasks.Reminder{Reader: reader, Recipe: recipe})
	err = r.Outbox.Transact(ctx, outbox.Write(writes[0]),
		outbox.Enqueue(remind, job.At(at), job.WithID(id, reader+"/"+recipe), job.ByClient(reader)))
	if err != nil {
		return Reminder{}, fmt.Errorf("reminders: adding one: %w", err)
	}
	return Reminder{ID: string(id), Recipe: recipe, Title: found.Title, At: at}, nil
}

func full(has int) error {
	if has < Most {
		return nil
	}
	return ErrTooMany
}

// inTime tells what is wrong with the time of a reminder, if anything.
func (r *Reminders) inTime(at time.Time) error {
	if now := r.Now(); at.Before(now) || at.After(now.Add(producer.LongestAhead)) {
		return ErrTime
	}
	return nil
}

// List gives what a reader is to be reminded of, in no order.
func (r *Reminders) List(ctx context.Context, reader string) ([]Reminder, error) {
	page, err := rows.List[kept](ctx, r.Rows, rows.Range{Partition: ListOf(reader), Limit: 2 * Most})
	if err != nil {
		return nil, err
	}
	list := make([]Reminder, 0, len(page.Rows))
	for _, row := range page.Rows {
		rec, err := r.Jobs.Get(ctx, row.Job)
		switch {
		case errors.Is(err, store.ErrNotFound): // cancelled long ago
		case err != nil:
			return nil, fmt.Errorf("reminders: listing: %w", err)
		case !rec.State.Final():
			list = append(list, Reminder{ID: string(row.Job), Recipe: row.Recipe, Title: row.Title, At: rec.NotBefore})
		}
	}
	return list, nil
}

// Move gives a reminder another time.
func (r *Reminders) Move(ctx context.Context, reader string, id job.ID, at time.Time) error {
	if err := r.inTime(at); err != nil {
		return err
	}
	if err := r.owned(ctx, reader, id); err != nil {
		return err
	}
	return over(r.Producer.Reschedule(ctx, id, at))
}

// Cancel ends a reminder. Its job is what counts; the row on the reader's list goes
// after it, and one that is left over is not shown.
func (r *Reminders) Cancel(ctx context.Context, reader string, id job.ID) error {
	if err := r.owned(ctx, reader, id); err != nil {
		return err
	}
	if _, err := r.Producer.Cancel(ctx, id); err != nil {
		return over(err)
	}
	return r.Rows.Change().Delete(keptKey(reader, id), "", nil).Apply(ctx)
}

func (r *Reminders) owned(ctx context.Context, reader string, id job.ID) error {
	_, ok, err := rows.Get[kept](ctx, r.Rows, keptKey(reader, id))
	if err == nil && !ok {
		return ErrNone
	}
	return err
}

// over gives ErrNone for what can't be changed because it has been.
func over(err error) error {
	for _, end := range []error{producer.ErrNotFound, producer.ErrStarted, producer.ErrFinished} {
		if errors.Is(err, end) {
			return ErrNone
		}
	}
	return err
}
