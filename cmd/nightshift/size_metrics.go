package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// compare holds plans against what was measured, and shows it.
func (f *sizeFlags) compare(ctx context.Context, s streams, plans []sizing.Plan) error {
	now, err := f.openMetrics(ctx)
	if err != nil {
		return err
	}
	return f.compareUntil(ctx, s, plans, now)
}

func (f *sizeFlags) compareUntil(ctx context.Context, s streams, plans []sizing.Plan, now time.Time) error {
	var found []comparison
	for _, p := range plans {
		measured, err := f.reader.Queue(ctx, p.Queue.Name, now.Add(-f.period), now)
		if err != nil {
			return err
		}
		found = append(found, comparison{p, p.Compare(measured)})
	}
	if f.asJSON {
		for _, c := range found {
			if err := jsonLine(s.out, c.details()); err != nil {
				return err
			}
		}
		return nil
	}
	return showComparisons(s, found)
}

// openMetrics finds the CloudWatch that is meant, and the time there.
func (f *sizeFlags) openMetrics(ctx context.Context) (time.Time, error) {
	if f.aws {
		cfg, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return time.Time{}, fmt.Errorf("reading the AWS configuration: %w", err)
		}
		f.reader.API = cloudwatch.NewFromConfig(cfg)
		return time.Now(), nil
	}
	found, running, err := runner.Find(f.at.data)
	if err != nil {
		return time.Time{}, err
	}
	if !running {
		return time.Time{}, fmt.Errorf("no stack runs with the data folder %s: start it with nightshift dev, or read CloudWatch with --aws", f.at.data)
	}
	if f.reader.Namespace == "" {
		f.reader.Namespace = found.Settings[settings.Namespace]
	}
	f.reader.API = cloudwatch.NewFromConfig(found.AWSConfig())
	reader := settings.Read(func(name string) string { return found.Settings[name] })
	clock := reader.Now()
	if err := reader.Err(); err != nil {
		return time.Time{}, fmt.Errorf("reading the stack's clock: %w", err)
	}
	return clock(), nil
}

// A comparison is a queue's plan with what was measured of it.
type comparison struct {
	plan sizing.Plan
	sizing.Comparison
}

func showComparisons(s streams, found []comparison) error {
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "QUEUE\tIT IS\tARRIVALS\tMEASURED\tSERVICE\tMEASURED\tBUSY\tMEASURED\tLONGEST WAIT\tMEASURED\tREFUSED\tWORKERS\tNEEDED")
	var few []string
	for _, c := range found {
		q, m := c.plan.Queue, c.Measured
		needed := "-"
		if c.Plan.Workers > 0 {
			needed = fmt.Sprint(c.Plan.Workers)
		}
		if c.Fit == sizing.TooFew {
			few = append(few, fmt.Sprintf("%s (%s in %s)", q.Name, sizing.Count(m.Jobs, "runs"), sizing.Count(float64(m.Minutes), "minutes")))
			fmt.Fprintf(table, "%s\t%s\t%s\t-\t%s\t-\t%s\t-\t%s\t-\t-\t%d\t-\n", q.Name, c.Fit, perSecond(q.PeakArrivals), sizing.Period(q.ServiceTime), sizing.Percent(c.plan.Utilisation), sizing.Period(q.LongestWait), c.plan.Workers)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", q.Name, c.Fit,
			perSecond(q.PeakArrivals), perSecond(m.PeakArrivals), sizing.Period(q.ServiceTime), sizing.Period(m.Service),
			sizing.Percent(c.plan.Utilisation), sizing.Percent(c.Utilisation), sizing.Period(q.LongestWait), sizing.Period(m.WorstWait), sizing.Number(m.Refused), c.plan.Workers, needed)
	}
	if err := table.Flush(); err != nil {
		return wrote(err)
	}
	for _, c := range found {
		c.advise(s)
	}
	if len(few) > 0 {
		fmt.Fprintf(s.err, "\nToo few data: %s. At least %d runs in %d minutes are needed: let it work longer, or look at a longer --period.\n",
			strings.Join(few, ", "), sizing.LeastMeasuredJobs, sizing.LeastMeasuredMinutes)
	}
	return nil
}

// advise says why, and what to declare instead.
func (c comparison) advise(s streams) {
	if c.Fit == sizing.Fits || c.Fit == sizing.TooFew {
		return
	}
	fmt.Fprintf(s.out, "\n%s: %s\n", c.plan.Queue.Name, c.Fit)
	for _, reason := range c.Reasons {
		fmt.Fprintf(s.out, "  - %s\n", reason)
	}
	fmt.Fprintf(s.out, "  declare: PeakArrivals: job.PerSecond(%v), ServiceTime: %s\n", float64(c.Suggested.PeakArrivals), inGo(c.Suggested.ServiceTime))
	if c.Err != nil {
		fmt.Fprintf(s.out, "  which makes no plan: %v\n", c.Err)
		return
	}
	fmt.Fprintf(s.out, "  gives: %d workers instead of %d, a limit of %s instead of %s\n", c.Plan.Workers, c.plan.Workers,
		sizing.Number(float64(c.Plan.Limit)), sizing.Number(float64(c.plan.Limit)))
}

// inGo writes a time as a declaration has it.
func inGo(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Minute, "time.Minute"}, {time.Second, "time.Second"}, {time.Millisecond, "time.Millisecond"}, {time.Microsecond, "time.Microsecond"}} {
		if d >= unit.of && d%unit.of == 0 {
			return fmt.Sprintf("%d * %s", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}
