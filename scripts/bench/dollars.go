package main

import (
	"fmt"
	"io"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// dollars prints the bill for a million tracked jobs of at most 1 KB that take 10 ms
// each of a worker's time, with full relay batches, ten to a worker's batch, one status
// poll each: package sizing's, by its list prices.
func dollars(out io.Writer) error {
	light := job.Queue{Name: "light", PeakArrivals: 100, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, Batch: 10}
	plan, err := sizing.For(light, time.Second)
	if err != nil {
		return err
	}
	bill := plan.Bill(sizing.Usage{Calls: sizing.FullBatches()}, sizing.USEast1())
	fmt.Fprintf(out, "\n### Dollars a million jobs (list prices of %s, %s and later)\n\n| what | how much of it | $ |\n|---|---|---|\n", bill.Region, bill.PricesOf)
	for _, line := range bill.Lines {
		if line.Million > 0 {
			fmt.Fprintf(out, "| %s | %s | %.2f |\n", line.What, line.Of, line.Million)
		}
	}
	_, err = fmt.Fprintf(out, "| **all** | | **%.2f** |\n", bill.Million)
	return err
}
