package recipes_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A subscriber that no publisher has heard of: it has a queue, a task, and the
// event's name.
var (
	shopping  = job.Queue{Name: "shopping", PeakArrivals: job.PerSecond(1), ServiceTime: time.Second, LongestWait: time.Minute}
	noteGoods = job.On(tasks.RecipePublished, job.Define[tasks.RecipeChange]("shopping.note", job.Policy{Queue: shopping}))
)

// A list is what the subscriber writes down.
type list struct {
	table *rows.Table
	goods []string
	lost  []error
}

func (l *list) note(ctx context.Context, j *job.Job[tasks.RecipeChange]) error {
	recipe, err := recipes.Read(ctx, l.table, j.Args.Recipe)
	if err != nil {
		l.lost = append(l.lost, err)
		return job.Fail(err)
	}
	l.goods = append(l.goods, recipe.Ingredients...)
	return nil
}

// Another subscriber takes a definition and a handler. The publisher's code, and
// what the publisher is made of, are the same as in every other test.
func TestAnotherSubscriberTouchesNoPublisher(t *testing.T) {
	w := publishtest.New(t, nightshifttest.Config{}, noteGoods.Task())
	l := &list{table: w.Table}
	w.Kit.Serve(worker.On(noteGoods, l.note))
	w.Publish(soup())
	w.Kit.Drain(t.Context())
	if len(l.goods) != 2 || len(l.lost) != 0 {
		t.Errorf("noted %v, lost %v", l.goods, l.lost)
	}
}

// An eager relay publishes what a transaction wrote, and has the subscribers run,
// before the call that wrote it returns: none can be faster.
type eager struct {
	store.Driver // nothing else is called
	kit          *nightshifttest.Kit
}

func (e eager) Transact(ctx context.Context, _ string, writes []store.Write) error {
	if err := e.kit.Jobs.Transact(ctx, writes...); err != nil {
		return err
	}
	e.kit.Drain(ctx)
	return nil
}

// hurried is a world whose outbox has an eager relay behind it, and the subscriber.
func hurried(t *testing.T) (*publishtest.World, *outbox.Outbox, *list) {
	t.Helper()
	w := publishtest.New(t, nightshifttest.Config{}, noteGoods.Task())
	l := &list{table: w.Table}
	w.Kit.Serve(worker.On(noteGoods, l.note))
	jobs, err := store.New(store.Config{Driver: eager{kit: w.Kit}, Now: w.Kit.Now})
	if err != nil {
		t.Fatal(err)
	}
	box, err := outbox.New(outbox.Config{Jobs: jobs, Producer: w.Kit.Producer})
	if err != nil {
		t.Fatal(err)
	}
	return w, box, l
}

// "Recipe not found" is impossible: the recipe is there before anybody can be told.
func TestNoRelayIsTooFast(t *testing.T) {
	w, box, l := hurried(t)
	accounts, err := readers.New(readers.Config{Table: w.Table, Now: w.Kit.Now})
	if err != nil {
		t.Fatal(err)
	}
	book, err := recipes.New(recipes.Config{
		Table: w.Table, Outbox: box, Producer: w.Kit.Producer, Jobs: w.Kit.Jobs, Readers: accounts, Now: w.Kit.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	draft, err := book.Draft(t.Context(), ada, recipes.Written{Content: soup()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := book.Publish(t.Context(), ada, draft.ID); err != nil {
		t.Fatal(err)
	}
	if len(l.goods) != 2 || len(l.lost) != 0 {
		t.Errorf("when the author is answered, noted are %v, lost %v", l.goods, l.lost)
	}
}

// The same relay does find the fault of a publisher that tells first and saves
// then.
func TestTheEagerRelayFindsTheFault(t *testing.T) {
	w, box, l := hurried(t)
	recipe := recipes.Recipe{ID: "soup", State: recipes.Published, Version: 1, Author: ada, Content: soup()}
	if err := box.Transact(t.Context(), outbox.Publish(recipe.Change().Happened(tasks.RecipePublished))); err != nil {
		t.Fatal(err)
	}
	if err := w.Table.Change().Put(recipes.Key("soup"), recipe, rows.Absent, nil).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(l.lost) != 1 || !errors.Is(l.lost[0], recipes.ErrNotFound) {
		t.Errorf("noted %v, lost %v; want the recipe not to be found", l.goods, l.lost)
	}
}
