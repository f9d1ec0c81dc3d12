package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// showAll shows a line for each queue, and whether they go together.
func showAll(s streams, plans []sizing.Plan) error {
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "QUEUE\tARRIVALS\tSERVICE\tWORKERS\tBUSY\tDRAINS\tLONGEST WAIT\tLIMIT\t99 % WAIT AT MOST")
	var invocations, workers int
	for _, p := range plans {
		q := p.Queue
		kind := ""
		if q.Polled {
			kind = " (polled)"
		} else {
			invocations += p.MostConcurrency
		}
		workers += p.MostWorkers
		fmt.Fprintf(table, "%s\t%s\t%s\t%d%s\t%s\t%s\t%s\t%s\t%s\n", q.Name, perSecond(q.PeakArrivals), sizing.Period(q.ServiceTime),
			p.Workers, kind, sizing.Percent(p.Utilisation), perSecond(p.DrainRate), sizing.Period(q.LongestWait),
			sizing.Count(float64(p.Limit), "jobs"), sizing.Period(p.Waiting().Percentile(0.99)))
	}
	if err := table.Flush(); err != nil {
		return wrote(err)
	}
	quota := sizing.DefaultQuotas().Concurrency
	fmt.Fprintf(s.out, "\nTogether %d workers in up to %d invocations at once; a new account has %s for all its functions.\n",
		workers, invocations, sizing.Number(quota.Value))
	return sizing.Capacity{}.Check(plans...)
}

// showOne shows a queue's numbers with their formulas, and what else was asked.
func (f *sizeFlags) showOne(s streams, p sizing.Plan) error {
	if err := f.draw(s, p); err != nil {
		return err
	}
	q := p.Queue
	fmt.Fprintf(s.out, "%s: %s of %s each, workers %s busy at most, no wait longer than %s; its slowest task ends after %s\n\n",
		q.Name, perSecond(q.PeakArrivals), sizing.Period(q.ServiceTime), sizing.Percent(q.TargetUtilisation()), sizing.Period(q.LongestWait), sizing.Period(p.Timeout))
	if err := showFigures(s.out, p.Explain()); err != nil {
		return err
	}
	if f.spike != nil {
		o := f.under(p)
		fmt.Fprintf(s.out, "\nA spike of %s for %s, and %s afterwards:\n\n", perSecond(o.Spike.Arrivals), sizing.Period(o.Spike.For), perSecond(o.Spike.Before))
		if err := showFigures(s.out, o.Explain()); err != nil {
			return err
		}
	}
	if f.table {
		if err := showWaits(s.out, p); err != nil {
			return err
		}
	}
	if f.scale {
		if err := showScale(s.out, p); err != nil {
			return err
		}
	}
	if f.cost {
		if err := showBill(s.out, p.Bill(f.usage, sizing.USEast1())); err != nil {
			return err
		}
		return f.showAssumed(s.out, p)
	}
	return nil
}

// showAssumed says what of the bill nobody said, and how to say it.
func (f *sizeFlags) showAssumed(w io.Writer, p sizing.Plan) error {
	var assumed []string
	if !f.given["memory"] && !p.Queue.Polled {
		assumed = append(assumed, fmt.Sprintf("a worker function of %d MB (--memory says what it has, MemorySize in template.yaml)", sizing.DefaultMemoryMB))
	}
	if !f.given["mean"] {
		assumed = append(assumed, "a third of the peak on average over the month (--mean)")
	}
	if len(assumed) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nThat is an assumption: %s.\n", strings.Join(assumed, ", and "))
	return wrote(err)
}

func (f *sizeFlags) under(p sizing.Plan) sizing.Outcome {
	spike := *f.spike
	spike.MessageBytes, spike.DegradedTime = f.message, f.degraded
	return p.Under(spike)
}

func showFigures(w io.Writer, figures []sizing.Figure) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range figures {
		fmt.Fprintf(table, "%s\t%s\t= %s\t%s\n", f.Title, f.Text, f.With, f.Formula)
	}
	return wrote(table.Flush())
}

// utilisations are the rows of the table of waits.
var utilisations = []float64{0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99}

// showWaits shows how waits grow as the workers get busy.
func showWaits(w io.Writer, p sizing.Plan) error {
	fmt.Fprintf(w, "\nWaits of %s as they get busy (Erlang C):\n\n", sizing.Count(float64(p.Workers), "workers"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "BUSY\tARRIVALS\tJOBS THAT WAIT\tMEAN WAIT\t95 % AT MOST\t99 % AT MOST")
	for _, at := range sizing.WaitingAt(p.Workers, p.Queue.ServiceTime, utilisations...) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", sizing.Percent(at.Utilisation), perSecond(at.Arrivals), sizing.Percent(at.Probability),
			short(at.Mean), short(at.Percentile(0.95)), short(at.Percentile(0.99)))
	}
	return wrote(table.Flush())
}

// short shows a wait; below a millisecond nobody cares how long.
func short(d time.Duration) string {
	if d > 0 && d < time.Millisecond {
		return "< 1 ms"
	}
	return sizing.Period(d)
}

func showScale(w io.Writer, p sizing.Plan) error {
	fmt.Fprint(w, "\nWhat it needs of AWS when it is as busy as it gets:\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LIMIT\tALLOWED\tNEEDED\tFROM\tTHEN")
	for _, d := range p.Scale(sizing.Extremes{}) {
		then := "enough"
		if d.Ask {
			then = d.Advice
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", d.Quota.Name, sizing.Number(d.Quota.Value), sizing.Number(d.Need), d.Formula, then)
	}
	return wrote(table.Flush())
}

func showBill(w io.Writer, b sizing.Bill) error {
	fmt.Fprintf(w, "\nWhat its jobs cost in dollars, at list prices of %s (%s and later), %s a month:\n\n", b.Region, b.PricesOf, sizing.Count(b.Jobs, "jobs"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WHAT\tA MILLION JOBS\tA MONTH\tOF WHICH EACH TAKES")
	for _, line := range b.Lines {
		million := "-"
		if line.Million > 0 {
			million = fmt.Sprintf("%.2f", line.Million)
		}
		fmt.Fprintf(table, "%s\t%s\t%.2f\t%s\n", line.What, million, line.Month, line.Of)
	}
	fmt.Fprintf(table, "all\t%.2f\t%.2f\t\n", b.Million, b.Month)
	return wrote(table.Flush())
}
