package scaling_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/mapping"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// printer is a Lambda whose mappings are as planned, and that prints what is changed.
type printer struct{}

func (printer) Get(_ context.Context, uuid string) (mapping.State, error) {
	most := map[string]int{"uuid-of-photos": 90, "uuid-of-newsletter": 4}[uuid]
	return mapping.State{Enabled: true, Concurrency: most, Settled: true, Name: "Enabled"}, nil
}

func (printer) Set(_ context.Context, uuid string, c mapping.Change) error {
	if c.Enabled != nil && !*c.Enabled {
		fmt.Println(uuid, "is paused")
		return nil
	}
	fmt.Println(uuid, "may have", c.Concurrency)
	return nil
}

func (printer) Depth(context.Context, string) (queue.Depth, error) {
	return queue.Depth{Visible: 5000, InFlight: 90}, nil
}

// An operator lends the newsletter's workers to the photos; the function carries it
// out at its next run.
func ExampleDesk() {
	photos := job.Queue{Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
	newsletter := job.Queue{Name: "newsletter", PeakArrivals: job.PerSecond(10), ServiceTime: 250 * time.Millisecond, LongestWait: 6 * time.Hour}
	plans, err := sizing.ForTasks(
		job.Define[struct{}]("photo.resize", job.Policy{Queue: photos}),
		job.Define[struct{}]("newsletter.send", job.Policy{Queue: newsletter}))
	check(err)
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	check(err)
	function, err := scaling.New(scaling.Config{
		Jobs: jobs, Plans: plans, Lambda: printer{}, Depths: printer{}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Mappings: map[string]string{"photos": "uuid-of-photos", "newsletter": "uuid-of-newsletter"},
		URLs:     map[string]string{"photos": "https://sqs/photos", "newsletter": "https://sqs/newsletter"},
	})
	check(err)
	desk, err := scaling.NewDesk(jobs, nil)
	check(err)

	ctx := context.Background()
	check(function.Handle(ctx)) // each minute
	_, err = desk.Lend(ctx, "newsletter", "photos", 1, 30*time.Minute)
	check(err)
	check(function.Handle(ctx))
	// Output:
	// uuid-of-newsletter is paused
	// uuid-of-photos may have 94
}

// A database bears 130 workers. Each queue has what its plan needs, and the one that
// wants a little more gets it.
func ExampleShare() {
	busy := scaling.Bounds{Plan: sizing.Plan{}, Least: 90, Most: 200}
	quiet := scaling.Bounds{Plan: sizing.Plan{}, Least: 10, Most: 50}
	fmt.Println(scaling.Share(130, []scaling.Want{{Bounds: busy, Concurrency: 180}, {Bounds: quiet, Concurrency: 14}}))
	// Output: [116 14]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
