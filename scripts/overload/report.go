package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// print writes the report.
func (o *outcome) print(w io.Writer, promises []promise) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintln(table)
	line("asked for", "%.0f a second for %v, %.1f times the drain rate", o.offered, o.config.lasts, o.config.times)
	line("accepted", "%d, %d of them spilled and %d degraded", o.count(http.StatusAccepted), len(o.spilled), o.degraded())
	line("refused", "%d", o.count(http.StatusServiceUnavailable))
	waits := o.waits()
	line("waited", "%v in the middle, %v for one in a hundred, %v at most", short(quantile(waits, 0.5)), short(quantile(waits, 0.99)), short(quantile(waits, 1)))
	if o.plan.Queue.Full != job.Spill {
		line("deepest", "%d, limit %d: over by %d", o.deepest(), o.plan.Limit, max(0, o.deepest()-o.plan.Limit))
	}
	line("answered within", "%v in the middle, %v for one in a hundred", short(o.tookShare(0.5)), short(o.tookShare(0.99)))
	line("worked off", "%v after the last request", short(o.lastFinished().Sub(o.ended)))
	fmt.Fprintln(table)
	for _, p := range promises {
		verdict := "kept"
		if !p.kept {
			verdict = "BROKEN"
		}
		line(verdict, "%s: %s", p.what, p.got)
	}
	_ = table.Flush() // to a terminal: what can't be written is not read
}

func (o *outcome) degraded() (n int) {
	for _, j := range o.jobs {
		if j.Degraded {
			n++
		}
	}
	return n
}

func (o *outcome) lastFinished() (last time.Time) {
	for _, j := range o.jobs {
		if j.Finished.After(last) {
			last = j.Finished
		}
	}
	return last
}

func (o *outcome) tookShare(share float64) time.Duration {
	all := make([]time.Duration, len(o.answers))
	for i, a := range o.answers {
		all[i] = a.took
	}
	slices.Sort(all)
	return quantile(all, share)
}

// short drops digits that mean nothing.
func short(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
