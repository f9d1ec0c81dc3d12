package outbox_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

var (
	films = job.Queue{Name: "films", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 6 * time.Second, Hard: true}
	film  = job.Define[Recipe]("recipe.film", job.Policy{Queue: films})
)

// counting is an outbox for jobs that are counted, and how the queue counts them.
func counting(t *testing.T) (*outbox.Outbox, *store.Jobs, store.Bound) {
	t.Helper()
	plan, err := sizing.For(films, film.Definition().Policy.Timeout)
	if err != nil {
		t.Fatal(err)
	}
	memory := memstore.New(memstore.Config{Tables: map[string][]string{"recipes": {"id"}}})
	jobs, err1 := store.New(store.Config{Driver: memory})
	p, err2 := producer.New(producer.Config{Jobs: jobs}, film)
	box, err3 := outbox.New(outbox.Config{Jobs: jobs, Producer: p})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return box, jobs, store.HardBound(plan)
}

// filmed are as many jobs that are counted, and as many rows of the caller's.
func filmed(jobs, rows int) (actions []outbox.Action) {
	for range jobs {
		actions = append(actions, outbox.Enqueue(film.With(Recipe{ID: "soup"})))
	}
	for i := range rows {
		actions = append(actions, save("row "+strconv.Itoa(i)))
	}
	return actions
}

func used(t *testing.T, jobs *store.Jobs, bound store.Bound) (used int) {
	t.Helper()
	counters, err := jobs.Counters(t.Context(), store.CountHard, films.Name, bound.Shards)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counters {
		used += c.Used
	}
	return used
}

// A counter is a row of the transaction as well.
func TestACounterTakesAnAction(t *testing.T) {
	box, jobs, bound := counting(t)
	if err := box.Transact(t.Context(), filmed(1, outbox.MaxActions-1)...); !errors.Is(err, outbox.ErrTooMuch) {
		t.Errorf("%d actions and a counter: %v", outbox.MaxActions, err)
	}
	if err := box.Transact(t.Context(), filmed(1, outbox.MaxActions-2)...); err != nil {
		t.Errorf("%d actions and a counter: %v", outbox.MaxActions-1, err)
	}
	if n := used(t, jobs, bound); n != 1 {
		t.Errorf("%d jobs are counted", n)
	}
}

// The jobs of a transaction are counted by one row. More than that counts never have
// room, and the caller is not to try again.
func TestMoreThanAShardIsTooMuch(t *testing.T) {
	box, jobs, bound := counting(t)
	if bound.Shards < 2 || bound.Together() >= bound.Limit {
		t.Fatalf("one shard counts all: %+v", bound)
	}
	if err := box.Transact(t.Context(), filmed(bound.Together()+1, 0)...); !errors.Is(err, outbox.ErrTooMuch) || errors.Is(err, producer.ErrFull) {
		t.Errorf("one too many: %v", err)
	}
	if n := used(t, jobs, bound); n != 0 {
		t.Errorf("%d jobs are counted", n)
	}
	// Shards differ by one: the largest is looked for.
	if err := box.Transact(t.Context(), filmed(bound.Together(), 0)...); err != nil {
		t.Errorf("as many as a shard counts: %v", err)
	}
	var err error
	for err == nil {
		err = box.Transact(t.Context(), filmed(1, 0)...)
	}
	if n := used(t, jobs, bound); !errors.Is(err, producer.ErrFull) || n != bound.Limit {
		t.Errorf("%d of %d places are taken, %v", n, bound.Limit, err)
	}
}

// A condition that does not hold names its action, wherever counted jobs stand.
func TestConditionsBesideCountedJobs(t *testing.T) {
	box, _, _ := counting(t)
	if err := box.Transact(t.Context(), save("soup")); err != nil {
		t.Fatal(err)
	}
	counted := outbox.Enqueue(film.With(Recipe{ID: "soup"}))
	for place, actions := range [][]outbox.Action{{save("soup"), counted}, {counted, save("soup")}, {counted, save("stew"), save("soup"), counted}} {
		want := []int{0, 1, 2}[place]
		var refused *store.ConditionError
		if err := box.Transact(t.Context(), actions...); !errors.As(err, &refused) || refused.Index != want {
			t.Errorf("%v, %+v: want the action %d", err, refused, want)
		}
	}
	if _, err := box.Writes(t.Context(), counted); !errors.Is(err, outbox.ErrAction) {
		t.Errorf("in somebody else's transaction: %v", err)
	}
}
