package periodic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// Beside the task, in a package that the function and the infrastructure share.
type Issue struct {
	Monday time.Time `json:"monday"`
}

var (
	Mail   = job.Queue{Name: "mail", PeakArrivals: job.PerMinute(10), ServiceTime: time.Second, LongestWait: time.Hour}
	Send   = job.Define[Issue]("newsletter.send", job.Policy{Queue: Mail})
	Weekly = periodic.Job{
		Name:       "newsletter",
		Expression: "cron(0 9 ? * MON *)",
		Zone:       "Europe/Berlin",
		CatchUp:    periodic.Latest,
		Request:    func(monday time.Time) job.Request { return Send.With(Issue{Monday: monday}) },
	}
)

// The function behind the schedule: lambda.Start(p.Handle).
func ExamplePeriodic_Handle() {
	clock := func() time.Time { return time.Date(2026, 11, 30, 8, 0, 4, 0, time.UTC) }
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{}), Now: clock})
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := producer.New(producer.Config{Jobs: jobs, Now: clock}, Send)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := periodic.New(periodic.Config{Jobs: jobs, Producer: made, Now: clock}, Weekly)
	if err != nil {
		fmt.Println(err)
		return
	}
	event := json.RawMessage(`{"periodic":"newsletter","time":"2026-11-30T08:00:00Z"}`)
	for range 2 { // the schedule fires twice: one job
		if err := p.Handle(context.Background(), event); err != nil {
			fmt.Println(err)
		}
	}
	all, err := p.List(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all[0].Last, all[0].Next)
	// Output: 2026-11-30 08:00:00 +0000 UTC 2026-12-07 09:00:00 +0100 CET
}
