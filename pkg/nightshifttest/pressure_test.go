package nightshifttest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type Scan struct {
	Page int `json:"page"`
}

var scans = job.Queue{Name: "scans", PeakArrivals: job.PerMinute(1), ServiceTime: time.Minute, LongestWait: 10 * time.Minute, Hard: true}

var scanPage = job.Define[Scan]("scan.page", job.Policy{Queue: scans, MaxAttempts: 3})

// What a gate would ask for is asked for by options: a job that is spilled waits until it
// is released, and one that is degraded tells its handler.
func ExampleKit_ReleaseSpilled() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, scanPage)
	kit.Serve(worker.Handle(scanPage, func(_ context.Context, j *job.Job[Scan]) error {
		fmt.Println("page", j.Args.Page, "degraded:", j.Degraded)
		return nil
	}))
	later, err1 := kit.Producer.Enqueue(ctx, scanPage.With(Scan{Page: 1}), job.Spilled())
	_, err2 := kit.Producer.Enqueue(ctx, scanPage.With(Scan{Page: 2}), job.Degraded())
	kit.Drain(ctx)
	fmt.Println(kit.State(later), errors.Join(err1, err2))
	fmt.Println(kit.ReleaseSpilled(ctx), "released")
	kit.Drain(ctx)
	fmt.Println(kit.State(later))
	// Output:
	// page 2 degraded: true
	// scheduled <nil>
	// 1 released
	// page 1 degraded: false
	// done
}

// A queue that is Hard is full in a kit as well.
func ExampleKit_hard() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, scanPage)
	page := 0
	var err error
	for err == nil {
		page++
		_, err = kit.Producer.Enqueue(ctx, scanPage.With(Scan{Page: page}))
	}
	fmt.Println(errors.Is(err, producer.ErrFull), "at page", page)
	// Output:
	// true at page 21
}

// A limit counts in the kit's table, by the kit's clock.
func ExampleKit_limit() {
	kit := nightshifttest.New(t, nightshifttest.Config{}, scanPage)
	rate, err := limit.NewBucket(limit.BucketConfig{Driver: kit.Driver(), Name: "scanner", Rate: job.PerMinute(1), Burst: 1, Now: kit.Now, Jitter: func() float64 { return 0 }})
	if err != nil {
		fmt.Println(err)
		return
	}
	one := func(*job.Job[Scan]) string { return "the only one" }
	kit.Serve(worker.Handle(scanPage, limit.Handler(rate, one, func(_ context.Context, j *job.Job[Scan]) error {
		fmt.Println("page", j.Args.Page, "after", kit.Now().Sub(nightshifttest.DefaultStart))
		return nil
	})))
	for page := range 2 {
		if _, err := kit.Producer.Enqueue(ctx, scanPage.With(Scan{Page: page + 1})); err != nil {
			fmt.Println(err)
		}
	}
	kit.RunAll(ctx)
	// Output:
	// page 1 after 0s
	// page 2 after 1m0s
}
