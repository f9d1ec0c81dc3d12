package admission_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func Example() {
	// What is known of the load gives the limit, and nobody types it.
	plan, err := sizing.For(job.Queue{
		Name:         "photos",
		PeakArrivals: job.PerSecond(20),
		ServiceTime:  3 * time.Second,
		LongestWait:  10 * time.Minute,
	}, 50*time.Second)
	if err != nil {
		panic(err)
	}
	waiting, now := 17_999, time.Now()
	gate, err := admission.New(admission.Config{
		Queue: "photos", Limit: plan.Limit, DrainRate: plan.DrainRate,
		Depth: func(context.Context) (int, error) { return waiting, nil },
		// An example has no chance and no clock.
		Random: func() float64 { return 0 }, Now: func() time.Time { return now },
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(gate.Admit(context.Background()).Admitted)
	d := gate.Admit(context.Background())
	fmt.Println(d.Admitted, d.Reason, d.RetryAfter)
	// Output:
	// true
	// false full 30s
}
