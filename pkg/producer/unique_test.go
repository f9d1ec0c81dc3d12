package producer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

func TestAKeyIsOneJob(t *testing.T) {
	p, jobs, _ := newProducer(t)
	first, err := p.Enqueue(t.Context(), write.With(note{Text: "milk"}), job.Unique("list"))
	if err != nil {
		t.Fatal(err)
	}
	rec, made, err := p.Make(t.Context(), write.With(note{Text: "bread"}), job.Unique("list"))
	if err != nil || made || rec.ID != first || rec.Unique != "list" {
		t.Errorf("Make = %+v, made %v, %v", rec, made, err)
	}
	if other, err := p.Enqueue(t.Context(), write.With(note{Text: "bread"}), job.Unique("another")); err != nil || other == first {
		t.Errorf("Enqueue = %s, %v", other, err)
	}
	if _, err := jobs.Cancel(t.Context(), first, ""); err != nil {
		t.Fatal(err)
	}
	if again, err := p.Enqueue(t.Context(), write.With(note{Text: "bread"}), job.Unique("list")); err != nil || again == first {
		t.Errorf("Enqueue after a cancellation = %s, %v", again, err)
	}
}

func TestKeysThatAreNone(t *testing.T) {
	p, _, d := newProducer(t)
	for _, key := range []string{"", strings.Repeat("k", producer.LongestKey+1), "\xff"} {
		if _, err := p.Enqueue(t.Context(), write.With(note{Text: "milk"}), job.Unique(key)); !errors.Is(err, producer.ErrOptions) {
			t.Errorf("key %.10q: %v, want ErrOptions", key, err)
		}
	}
	if d.writes > 0 {
		t.Errorf("%d writes", d.writes)
	}
	if _, err := p.Enqueue(t.Context(), write.With(note{Text: "milk"}), job.Unique(strings.Repeat("k", producer.LongestKey))); err != nil {
		t.Error(err)
	}
}

func TestUniquenessIsValidated(t *testing.T) {
	for _, d := range []time.Duration{-1, job.MaxUniqueFor + 1} {
		task := job.Define[note]("note.write", job.Policy{Queue: load("notes"), Unique: job.Uniqueness{For: d}, Version: -1})
		err := task.Definition().Validate()
		if err == nil || !strings.Contains(err.Error(), "Unique.For") || !strings.Contains(err.Error(), "Version is -1") {
			t.Errorf("%v: %v", d, err)
		}
	}
}

// Trending is counted anew whenever a recipe is saved, but once at a time, and with
// the newest week.
var Trending = job.Define[Week]("trending.count", job.Policy{
	Queue:  Greetings,
	Unique: job.Uniqueness{NewestWins: true},
})

type Week struct {
	Number int `json:"number"`
}

func ExampleProducer_Enqueue_unique() {
	ctx := context.Background()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		panic(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs}, Trending)
	if err != nil {
		panic(err)
	}
	first, err := p.Enqueue(ctx, Trending.With(Week{Number: 47}), job.Unique("all"))
	if err != nil {
		panic(err)
	}
	second, made, err := p.Make(ctx, Trending.With(Week{Number: 48}), job.Unique("all"))
	if err != nil {
		panic(err)
	}
	fmt.Println(made, second.ID == first, string(second.Args))
	// Output: false true {"number":48}
}
