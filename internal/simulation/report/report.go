// Package report shows what came of simulations: as tables, as JSON and as plots.
package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// mostRows bounds the table of a run's course.
const mostRows = 24

// Totals writes a table of the runs' totals, side by side. What is nothing in all of
// them is left out.
func Totals(w io.Writer, runs []*simulation.Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\t")
	for i, r := range runs {
		fmt.Fprintf(table, "%s\t", cmp.Or(r.Name, fmt.Sprintf("run %d", i+1)))
	}
	fmt.Fprintln(table)
	for _, f := range figures {
		cells := make([]string, len(runs))
		for i, r := range runs {
			cells[i] = f.of(r)
		}
		if !slices.ContainsFunc(cells, func(c string) bool { return c != "" }) {
			continue
		}
		fmt.Fprintf(table, "%s\t", f.name)
		for _, c := range cells {
			fmt.Fprintf(table, "%s\t", cmp.Or(c, "-"))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// A figure is a line of the totals. Nothing to say is an empty text.
type figure struct {
	name string
	of   func(*simulation.Result) string
}

var figures = []figure{
	{"workers", func(r *simulation.Result) string { return count(r.Plan.Workers) }},
	{"limit, jobs", func(r *simulation.Result) string {
		if !r.Bounded {
			return "none"
		}
		return count(r.Plan.Limit)
	}},
	{"simulated", func(r *simulation.Result) string { return span(r.Lasted) }},
	number("jobs that clients had", func(t simulation.Totals) int { return t.Arrived }),
	number("requests", func(t simulation.Totals) int { return t.Asked }),
	number("accepted", func(t simulation.Totals) int { return t.Accepted }),
	number("of them degraded", func(t simulation.Totals) int { return t.Degraded }),
	number("of them replaced one that waited", func(t simulation.Totals) int { return t.Replaced }),
	number("spilled", func(t simulation.Totals) int { return t.Spilled }),
	number("requests refused", func(t simulation.Totals) int { return t.Refused }),
	{"because of", func(r *simulation.Result) string { return reasons(r.Totals.Reasons) }},
	number("jobs given up by clients", func(t simulation.Totals) int { return t.GaveUp }),
	number("clients still away at the end", func(t simulation.Totals) int { return t.Away }),
	number("done", func(t simulation.Totals) int { return t.Done }),
	number("dead", func(t simulation.Totals) int { return t.Dead }),
	number("unfinished at the end", func(t simulation.Totals) int { return t.Unfinished }),
	number("attempts", func(t simulation.Totals) int { return t.Attempts }),
	number("attempts that failed", func(t simulation.Totals) int { return t.Failed }),
	number("processes that died", func(t simulation.Totals) int { return t.Crashes }),
	number("cold starts", func(t simulation.Totals) int { return t.ColdStarts }),
	number("needless messages", func(t simulation.Totals) int { return t.Duplicates }),
	number("messages too early", func(t simulation.Totals) int { return t.Early }),
	number("runs in vain", func(t simulation.Totals) int { return t.Repeated }),
	share("of the work, in vain", simulation.Totals.DoneTwice),
	share("workers busy", simulation.Totals.Utilisation),
	share("idle while jobs waited", func(t simulation.Totals) float64 {
		if t.WorkerTime == 0 {
			return 0
		}
		return t.IdleTime / t.WorkerTime
	}),
	number("most jobs waiting", func(t simulation.Totals) int { return t.PeakDepth }),
	timed("at", func(t simulation.Totals) time.Duration { return t.PeakAt }),
	timed("none waiting again at", func(t simulation.Totals) time.Duration { return t.Cleared }),
	number("most jobs spilled", func(t simulation.Totals) int { return t.PeakSpilled }),
	timed("oldest job waited", func(t simulation.Totals) time.Duration { return t.PeakAge }),
	timed("wait, mean", func(t simulation.Totals) time.Duration { return t.Wait.Mean }),
	timed("wait, median", func(t simulation.Totals) time.Duration { return t.Wait.P50 }),
	timed("wait, 99 %", func(t simulation.Totals) time.Duration { return t.Wait.P99 }),
	timed("wait, longest", func(t simulation.Totals) time.Duration { return t.Wait.Most }),
	timed("accepted to done, 99 %", func(t simulation.Totals) time.Duration { return t.Ready.P99 }),
	timed("accepted to done, longest", func(t simulation.Totals) time.Duration { return t.Ready.Most }),
	number("changes of the number of workers", func(t simulation.Totals) int { return t.Changes }),
	number("of them the other way", func(t simulation.Totals) int { return t.Turns }),
}

func number(name string, of func(simulation.Totals) int) figure {
	return figure{name, func(r *simulation.Result) string {
		if n := of(r.Totals); n != 0 {
			return count(n)
		}
		return ""
	}}
}

func timed(name string, of func(simulation.Totals) time.Duration) figure {
	return figure{name, func(r *simulation.Result) string {
		if d := of(r.Totals); d != 0 {
			return span(d)
		}
		return ""
	}}
}

func share(name string, of func(simulation.Totals) float64) figure {
	return figure{name, func(r *simulation.Result) string {
		if s := of(r.Totals); s >= 0.0005 {
			return fmt.Sprintf("%.1f %%", 100*s)
		}
		return ""
	}}
}

func reasons(of map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%s %s", name, count(of[name])))
	}
	return strings.Join(parts, ", ")
}

// Course writes a table of how a run went on.
func Course(w io.Writer, r *simulation.Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "until\task/s\taccepted/s\trefused/s\tdone/s\tfailed/s\twaiting\tto be retried\tspilled\tage\tin progress\tworkers\t")
	for _, p := range r.Course(mostRows) {
		a := func(n int) string { return rate(float64(n) / p.For.Seconds()) }
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.0f\t%s\t\n", span(p.At), a(p.Asked), a(p.Accepted), a(p.Refused), a(p.Done), a(p.Failed),
			count(p.Depth), count(p.Delayed), count(p.Spilled), span(p.Age), p.InProgress, count(p.Workers))
	}
	return table.Flush()
}

func rate(perSecond float64) string {
	if perSecond >= 100 {
		return count(int(perSecond + 0.5))
	}
	return fmt.Sprintf("%.1f", perSecond)
}

// count writes a number with commas.
func count(n int) string { return sizing.Number(float64(n)) }

// span writes a time as people say it.
func span(d time.Duration) string { return sizing.Period(d) }
