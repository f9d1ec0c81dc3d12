package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// spikeBegins is when a spike begins that was asked for by a flag: after a while of
// the usual load.
const spikeBegins = 10 * time.Minute

// A triedQueue is a simulation that flags describe: a declared queue or one that is
// none yet, and a load.
type triedQueue struct {
	queue   string
	changes changes[simulation.Config]
	spike   *sizing.Spike
	trace   string
	// unbounded is asked for by --unbounded.
	unbounded bool
}

func (t *triedQueue) any() bool {
	return t.queue != "" || len(t.changes) > 0 || t.spike != nil || t.trace != "" || t.unbounded
}

func (t *triedQueue) add(flags *flag.FlagSet) {
	change := func(name, usage string, read func(text string) (func(*simulation.Config), error)) {
		t.changes.flag(flags, name, usage, read)
	}
	flags.StringVar(&t.queue, "queue", "", "`name` of a queue that is declared; without it, --service and --wait")
	change("arrivals", "`rate` of arrivals, as 100/s, 30/m or 1000/h; the peak of the queue unless said", func(text string) (func(*simulation.Config), error) {
		r, err := parseRate(text)
		return func(c *simulation.Config) { c.Load.Curve = simulation.Steady(r) }, err
	})
	change("for", "`time` for which they come, as 10m; an hour unless said", timeChange(simulation.Longest, func(c *simulation.Config, d time.Duration) { c.For = d }))
	flags.Func("spike", "`rate:time` of a load above it, as 100/s:10m, from the tenth minute on", spikeFlag(&t.spike))
	flags.StringVar(&t.trace, "trace", "", "arrivals from a CSV `file` of time,count")
	change("service", "mean `time` of a run, as 3s or 400ms", timeChange(simulation.Longest, func(c *simulation.Config, d time.Duration) { c.Policy.Queue.ServiceTime = d }))
	change("wait", "longest `time` that a job may wait, as 10m", timeChange(simulation.Longest, func(c *simulation.Config, d time.Duration) { c.Policy.Queue.LongestWait = d }))
	change("distribution", "`kind` of service times: constant, exponential or lognormal", func(text string) (func(*simulation.Config), error) {
		d, known := map[string]simulation.Distribution{
			"constant": simulation.Constant, "exponential": simulation.Exponential, "lognormal": simulation.LogNormal,
		}[text]
		if !known {
			return nil, errors.New("want constant, exponential or lognormal")
		}
		return func(c *simulation.Config) { c.Service.Distribution = d }, nil
	})
	change("workers", "`number` of workers, instead of what follows from the queue", countChange(func(c *simulation.Config, n int) { c.Workers = n }))
	change("full", "`what` becomes of work for the full queue: refuse, degrade, spill or replace", fullChange(func(c *simulation.Config, f job.Full) { c.Policy.Queue.Full = f }))
	change("clients", "what refused clients do, as one `word`: obey, ignore or leave", func(text string) (func(*simulation.Config), error) {
		b, known := map[string]simulation.Behaviour{"obey": simulation.Obey, "ignore": simulation.Ignore, "leave": simulation.GiveUp}[text]
		if !known {
			return nil, errors.New("want obey, ignore or leave")
		}
		return func(c *simulation.Config) { c.Clients.Behaviour = b }, nil
	})
	flags.BoolVar(&t.unbounded, "unbounded", false, "accept whatever is asked for")
	change("fail", "`share` of the attempts that fail, as 0.05", func(text string) (func(*simulation.Config), error) {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return nil, errors.New("want a share from 0 to 1, as 0.05")
		}
		return func(c *simulation.Config) { c.Faults.Attempts = share }, nil
	})
	change("scale", "`number` of jobs that a simulated one stands for, for large loads", countChange(func(c *simulation.Config, n int) { c.Scale = n }))
}

// scenario makes the run that was asked for, by the flags that were said.
func (t *triedQueue) scenario(said map[string]bool) (scenarios.Scenario, error) {
	if err := t.contradiction(said); err != nil {
		return scenarios.Scenario{}, err
	}
	c := simulation.Config{For: time.Hour, Seed: 1, Unbounded: t.unbounded}
	policy, err := t.policy()
	if err != nil {
		return scenarios.Scenario{}, err
	}
	c.Policy, c.Name = policy, policy.Queue.Name
	t.changes.apply(&c)
	if t.trace != "" {
		if c.Load.Curve, c.For, err = readTrace(t.trace); err != nil {
			return scenarios.Scenario{}, err
		}
	}
	if q := c.Policy.Queue; q.ServiceTime == 0 || q.LongestWait == 0 || q.PeakArrivals == 0 && len(c.Load.Curve.Steps) == 0 {
		return scenarios.Scenario{}, askedError("without --queue, say --service, --wait, and --arrivals or --trace")
	}
	switch steps := c.Load.Curve.Steps; {
	case len(steps) == 0:
		c.Load.Curve = simulation.Steady(c.Policy.Queue.PeakArrivals)
	case c.Policy.Queue.PeakArrivals == 0:
		c.Policy.Queue.PeakArrivals = slices.MaxFunc(steps, func(a, b simulation.Step) int { return cmp.Compare(a.Rate, b.Rate) }).Rate
	}
	if t.spike != nil {
		c.Load.Curve = c.Load.Curve.With(spikeBegins, t.spike.For, t.spike.Arrivals)
		end := spikeBegins + t.spike.For
		if (said["for"] || said["trace"]) && end > c.For {
			return scenarios.Scenario{}, askedError(fmt.Sprintf("--spike is from %s to %s, and jobs arrive for %s", sizing.Period(spikeBegins), sizing.Period(end), sizing.Period(c.For)))
		}
		c.For = max(c.For, end)
	}
	if err := inFlags(c.Check()); err != nil {
		return scenarios.Scenario{}, err
	}
	return scenarios.Scenario{Name: c.Policy.Queue.Name, Title: t.title(c), Runs: []simulation.Config{c}}, nil
}

// policy is that of the queue's tasks: the slowest one's.
func (t *triedQueue) policy() (job.Policy, error) {
	if t.queue == "" {
		return job.Policy{Queue: job.Queue{Name: triedOut}}, nil
	}
	var found job.Policy
	for _, task := range declared() {
		p := task.Definition().Policy
		if p.Queue.Name == t.queue && (found.Queue.Name == "" || p.Timeout > found.Timeout) {
			found = p
		}
	}
	if found.Queue.Name != "" {
		return found, nil
	}
	plans, err := sizing.ForTasks(declared()...)
	if err != nil {
		return found, err
	}
	return found, askedError(fmt.Sprintf("there is no queue %q; there are %s", t.queue, strings.Join(names(plans), ", ")))
}

func (t *triedQueue) title(c simulation.Config) string {
	title := fmt.Sprintf("%s: %s for %s", c.Policy.Queue.Name, perSecond(c.Load.Curve.Steps[0].Rate), sizing.Period(c.For))
	if t.trace != "" {
		title = fmt.Sprintf("%s: arrivals of %s", c.Policy.Queue.Name, t.trace)
	}
	if t.spike != nil {
		title += fmt.Sprintf(", %s for %s of it", perSecond(t.spike.Arrivals), sizing.Period(t.spike.For))
	}
	return title
}

func readTrace(name string) (simulation.Curve, time.Duration, error) {
	file, err := os.Open(name)
	if err != nil {
		return simulation.Curve{}, 0, err
	}
	defer func() { _ = file.Close() }() // it was only read
	curve, lasts, err := simulation.ReadTrace(file)
	if err != nil {
		return curve, 0, fmt.Errorf("%s: %w", name, err)
	}
	return curve, lasts, nil
}
