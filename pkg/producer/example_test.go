package producer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

type Greeting struct {
	Name string `json:"name"`
}

var Greetings = job.Queue{
	Name:         "greetings",
	PeakArrivals: job.PerSecond(5),
	ServiceTime:  200 * time.Millisecond,
	LongestWait:  time.Minute,
}

var Greet = job.Define[Greeting]("greeting.send", job.Policy{Queue: Greetings})

func Example() {
	ctx := context.Background()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		panic(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs}, Greet)
	if err != nil {
		panic(err)
	}
	id, err := p.Enqueue(ctx, Greet.With(Greeting{Name: "Ada"}))
	if err != nil {
		panic(err)
	}
	rec, err := jobs.Get(ctx, id)
	if err != nil {
		panic(err)
	}
	fmt.Println(rec.Task, rec.State, string(rec.Args))
	// Output: greeting.send queued {"name":"Ada"}
}

func ExampleProducer_Enqueue_later() {
	ctx := context.Background()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		panic(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs}, Greet)
	if err != nil {
		panic(err)
	}
	rec, made, err := p.Make(ctx, Greet.With(Greeting{Name: "Ada"}), job.In(24*time.Hour))
	fmt.Println(rec.State, made, err)

	_, err = p.Enqueue(ctx, Greet.With(Greeting{Name: "Ada"}), job.In(time.Hour), job.At(time.Now()))
	fmt.Println(errors.Is(err, producer.ErrOptions))
	// Output:
	// scheduled true <nil>
	// true
}

// Arguments of more than 8 KiB go to an object, and the row names it. Workers, the
// status function and the sweep are given the same storage.
func ExampleNew_objects() {
	type Import struct {
		CSV string `json:"csv"`
	}
	task := job.Define[Import]("recipes.import", job.Policy{Queue: Greetings, MaxArguments: 4 << 20})
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		panic(err)
	}
	objects, err := claimcheck.New(memobjects.New(nil)) // s3objects.New in earnest
	if err != nil {
		panic(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs, Objects: objects}, task)
	if err != nil {
		panic(err)
	}
	rec, _, err := p.Make(context.Background(), task.With(Import{CSV: strings.Repeat("soup,30\n", 100_000)}))
	if err != nil {
		panic(err)
	}
	owner, _ := claimcheck.JobOf(rec.ArgsObject.Key)
	fmt.Println(len(rec.Args), rec.ArgsObject.Bytes, owner == rec.ID)
	// Output: 0 900010 true
}

// A reminder is moved, and then cancelled: one write each.
func ExampleProducer_Reschedule() {
	ctx := context.Background()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		panic(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs}, Greet)
	if err != nil {
		panic(err)
	}
	id, err := p.Enqueue(ctx, Greet.With(Greeting{Name: "Ada"}), job.In(30*24*time.Hour))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Reschedule(ctx, id, time.Now().Add(60*24*time.Hour)))

	rec, err := p.Cancel(ctx, id)
	fmt.Println(rec.State, err)
	fmt.Println(errors.Is(p.Reschedule(ctx, id, time.Now()), producer.ErrFinished))
	// Output:
	// <nil>
	// cancelled <nil>
	// true
}
