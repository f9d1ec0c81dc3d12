package main

import (
	"context"
	"fmt"
	"io"
)

// requests counts AWS calls for each job at the local endpoint.
func requests(ctx context.Context, out io.Writer) error {
	b, err := startBench(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = b.close() }() // measured by now
	if _, err := b.measure(ctx, 50, 4, 0); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n## AWS calls for each tracked job, counted at the local endpoint\n\n")
	fmt.Fprintf(out, "| task | jobs | jobs a second | enqueue: PutItem | publish: SendMessageBatch | run: UpdateItem | waits: ChangeMessageVisibility | count: GetQueueAttributes | all | Lambda's own: receive + delete |\n")
	fmt.Fprintf(out, "|---|---|---|---|---|---|---|---|---|---|\n")
	for _, load := range []struct {
		task       string
		n, callers int
		rate       float64
	}{
		{"bench.noop", 10, 1, 1}, {"bench.noop", 50, 2, 5}, {"bench.noop", 200, 8, 20}, {"bench.noop", 1000, 16, 100}, {"bench.noop", 3000, 32, 0},
		{"bench.failing", 50, 4, 20},
	} {
		if err := b.countCalls(ctx, out, load.task, load.n, load.callers, load.rate); err != nil {
			return err
		}
	}
	if err := b.specials(ctx, out); err != nil {
		return err
	}
	return dollars(out)
}

func (b *bench) countCalls(ctx context.Context, out io.Writer, task string, n, callers int, rate float64) error {
	if err := b.reset(ctx); err != nil {
		return err
	}
	jobs, err := b.load(ctx, task, n, callers, rate)
	if err != nil {
		return err
	}
	ended, err := b.settle(ctx, jobs)
	if err != nil {
		return err
	}
	counts, err := b.counts(ctx)
	if err != nil {
		return err
	}
	first, last := ended[0].accepted, ended[0].accepted
	for _, job := range ended {
		if job.accepted.After(last) {
			last = job.accepted
		}
	}
	each := func(operations ...string) float64 {
		sum := 0
		for _, operation := range operations {
			sum += counts[operation]
		}
		return float64(sum) / float64(n)
	}
	put, sends, update := each(putItem), each(send), each(updateItem)
	hides, depths := each(hide), each(count)
	fmt.Fprintf(out, "| %s | %d | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f | **%.2f** | %.2f |\n", task, n, float64(n-1)/last.Sub(first).Seconds(),
		put, sends, update, hides, depths, put+sends+update+hides+depths, each("sqs.ReceiveMessage", "sqs.DeleteMessageBatch", "sqs.DeleteMessage"))
	return nil
}
