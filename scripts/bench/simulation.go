package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
)

// simulated measures the simulator: a million jobs, from request to end.
func simulated(ctx context.Context, out io.Writer) error {
	runtime.GC()
	before, err := processorTime()
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := simulation.Run(ctx, scenarios.Million())
	if err != nil {
		return err
	}
	took := time.Since(began)
	after, err := processorTime()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nSimulator\n\n| jobs | requests | attempts | simulated | time | processor time |\n|---|---|---|---|---|---|\n| %d | %d | %d | %v | %v | %v |\n",
		r.Totals.Arrived, r.Totals.Asked, r.Totals.Attempts, r.Lasted.Round(time.Minute), took.Round(10*time.Millisecond), (after - before).Round(10*time.Millisecond))
	return nil
}

// processorTime is what this process has used of its processors.
func processorTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("reading the processor time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
