package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// throughput drives a task that does nothing through the whole local stack.
func throughput(ctx context.Context, out io.Writer) error {
	b, err := startBench(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = b.close() }()                     // measured by now
	if _, err := b.measure(ctx, 200, 8, 0); err != nil { // processes start, caches fill
		return err
	}
	fmt.Fprintf(out, "\n## Through the whole local stack: HTTP, enqueue, stream, relay, queue, worker\n\n")
	fmt.Fprintf(out, "| jobs | offered | finished a second | 202 to done, p50 ms | p99 ms |\n|---|---|---|---|---|\n")
	for _, load := range []struct {
		name       string
		n, callers int
		rate       float64
	}{
		{"one at a time", 20, 1, 2}, {"50 a second", 500, 16, 50}, {"as fast as 16 callers can", 3000, 16, 0},
	} {
		m, err := b.measure(ctx, load.n, load.callers, load.rate)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %d | %s | %.0f | %.0f | %.0f |\n", load.n, load.name, m.rate, percentile(m.latencies, 0.5), percentile(m.latencies, 0.99))
	}
	return nil
}

type measurement struct {
	rate      float64
	latencies []float64 // milliseconds from 202 to done
}

func (b *bench) measure(ctx context.Context, n, callers int, rate float64) (measurement, error) {
	begin := time.Now()
	jobs, err := b.load(ctx, "bench.noop", n, callers, rate)
	if err != nil {
		return measurement{}, err
	}
	if jobs, err = b.settle(ctx, jobs); err != nil {
		return measurement{}, err
	}
	var m measurement
	var last time.Time
	for _, job := range jobs {
		if job.State != "done" {
			return m, fmt.Errorf("job %s ended as %s", job.ID, job.State)
		}
		// A job may be done before its caller has read the 202.
		m.latencies = append(m.latencies, max(job.Finished.Sub(job.accepted).Seconds()*1000, 0))
		if job.Finished.After(last) {
			last = job.Finished
		}
	}
	m.rate = float64(n) / last.Sub(begin).Seconds()
	return m, nil
}
