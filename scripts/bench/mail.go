package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

const (
	// newsletters is how many messages wait in the newsletter's queue.
	newsletters = 300_000
	// urgentMails are sent one after the other, urgentEvery apart.
	urgentMails = 40
	urgentEvery = 250 * time.Millisecond
	// fillFor bounds the filling of the queue.
	fillFor = 6 * time.Minute
	// shared is the backlog behind which a job is put for comparison.
	shared = 2_000
)

// mailPriorities measures how long an urgent mail takes from its enqueueing until SES
// has it, with and without a newsletter waiting, in Crumb's own local stack.
//
// The messages are sent to the newsletter's queue directly. They stand for jobs
// without a row: a worker looks for the row and is done with the message. So the
// newsletter's workers are as busy as they can be, and quicker than with mail.
func mailPriorities(ctx context.Context, out io.Writer) (err error) {
	m, err := startMailBench(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = m.stack.Close() }()      // measured by now
	if _, err := m.urgent(ctx, 5); err != nil { // processes start, caches fill
		return err
	}
	alone, err := m.urgent(ctx, urgentMails)
	if err != nil {
		return err
	}
	behind, err := m.behind(ctx, shared)
	if err != nil {
		return err
	}
	filled, took, err := m.fill(ctx, newsletters)
	if err != nil {
		return err
	}
	before, err := m.depth(ctx)
	if err != nil {
		return err
	}
	beside, err := m.urgent(ctx, urgentMails)
	if err != nil {
		return err
	}
	after, err := m.depth(ctx)
	if err != nil {
		return err
	}
	plans, err := sizing.ForTasks(tasks.SendUrgent, tasks.SendReset, tasks.BeginIssue, tasks.FanOut, tasks.SendCopy)
	if err != nil {
		return err
	}
	weekly := plans[tasks.Newsletter.Name]

	fmt.Fprintf(out, "\n## Urgent mail beside a newsletter that waits\n\n")
	fmt.Fprintf(out, "%d messages sent to the newsletter's queue in %.0f s; %d waited at the begin of the measure, %d at its end.\n\n", filled, took.Seconds(), before, after)
	fmt.Fprintf(out, "| queue of the newsletter | urgent mails | from enqueue to SES, p50 ms | p90 ms | longest ms |\n|---|---|---|---|---|\n")
	for _, row := range []struct {
		name string
		took []float64
	}{{"empty", alone}, {fmt.Sprintf("%d waiting", after), beside}} {
		fmt.Fprintf(out, "| %s | %d | %.0f | %.0f | %.0f |\n", row.name, len(row.took), percentile(row.took, 0.5), percentile(row.took, 0.9), slices.Max(row.took))
	}
	fmt.Fprintf(out, "\nIn one queue: a job put behind %d such messages ran after %.1f s (measured, %.0f messages a second). "+
		"Behind %d at the declared %.0f mails a second it would be %v (computed).\n",
		shared, behind.Seconds(), shared/behind.Seconds(), newsletters, float64(weekly.DrainRate),
		time.Duration(float64(newsletters)/float64(weekly.DrainRate)*float64(time.Second)).Round(time.Minute))
	return nil
}
