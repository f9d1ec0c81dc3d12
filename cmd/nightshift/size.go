package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/queuemetrics"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

const sizeUsage = `Usage: nightshift size [--queue NAME] [flags]

Says what follows from what queues are declared to be: workers, limits, timeouts, alarms,
each with its formula. Without --queue, all queues in a table. It needs no stack.

A queue can be tried out before it is declared, or with other numbers than its own:

  nightshift size --arrivals 20/s --service 3s --wait 10m
  nightshift size --queue photos --arrivals 40/s --spike 100/s:10m --table

and be held against what it really had:

  nightshift size --from-metrics                    the stack that runs here, the last day
  nightshift size --from-metrics --aws --period 7d  CloudWatch, with the usual AWS settings

Exit status: 0 for success, 1 for a declaration that contradicts itself (the message says
the way out) and for what could not be read, 2 for misuse.
`

var sizeCommand = command{name: "size", summary: "what follows from the queues' declarations, with formulas", run: runSize}

// sizeFlags are what nightshift size is asked.
type sizeFlags struct {
	at      stackFlags
	queue   string
	asJSON  bool
	whatIf  whatIf
	spike   *sizing.Spike
	message int64
	// degraded is the service time of a degraded job.
	degraded time.Duration
	table    bool
	plot     string
	scale    bool
	cost     bool
	usage    sizing.Usage
	metrics  bool
	aws      bool
	reader   queuemetrics.Reader
	period   time.Duration
	// given are the names of the flags that stand in the command line.
	given map[string]bool
}

func (f *sizeFlags) add(flags *flag.FlagSet) {
	f.at.addData(flags)
	flags.StringVar(&f.queue, "queue", "", "`name` of the one queue to look at")
	flags.BoolVar(&f.asJSON, "json", false, "one JSON object for each queue, on a line")
	f.whatIf.add(flags)
	flags.Func("spike", "`rate:time` of a load above it, as 100/s:10m: what waits, is refused, and for how long", spikeFlag(&f.spike))
	flags.Int64Var(&f.message, "message-bytes", sizing.DefaultMessageBytes, "size of a message, for the backlog of a spike")
	flags.DurationVar(&f.degraded, "degraded-service", 0, "mean `time` of a degraded run, for a spike on a queue that degrades; that of the others unless said")
	flags.BoolVar(&f.table, "table", false, "a table of waits against utilisation (Erlang C)")
	flags.StringVar(&f.plot, "plot", "", "draw a `file` (.svg or .png): waits against utilisation, or with --spike what waits")
	flags.BoolVar(&f.scale, "scale", false, "what it needs of AWS's limits, and what lifts them")
	flags.BoolVar(&f.cost, "cost", false, "what its jobs cost, at list prices")
	flags.Func("mean", "`rate` of arrivals over a month, for the cost; a third of the peak unless said", rateOfFlag(&f.usage.MeanArrivals))
	flags.IntVar(&f.usage.MemoryMB, "memory", 0, fmt.Sprintf("memory of the worker in `MB`, for the cost; %d unless said", sizing.DefaultMemoryMB))
	flags.BoolVar(&f.metrics, "from-metrics", false, "hold declarations against what was measured")
	flags.BoolVar(&f.aws, "aws", false, "measured in AWS, and not in the stack that runs here")
	flags.StringVar(&f.reader.Namespace, "namespace", "", "`name` of the metrics' namespace; that of the running stack, or Nightshift")
	flags.Float64Var(&f.reader.Share, "peak", queuemetrics.DefaultShare, "share of the busy minutes that have no more arrivals than the peak")
	flags.Func("period", "`time` that is looked at, up to now; 24h unless said, 15d at most", daysFlag(&f.period))
}

func runSize(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "size", sizeUsage)
	f := sizeFlags{period: 24 * time.Hour}
	f.add(flags)
	plainArgs, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(plainArgs) > 0 {
		return misuse(s, flags, "it takes no arguments, but got %q; a queue's name goes after --queue", plainArgs)
	}
	f.given = map[string]bool{}
	flags.Visit(func(given *flag.Flag) { f.given[given.Name] = true })
	if err := f.check(); err != nil {
		return misuse(s, flags, "%v", err)
	}
	plans, err := f.plans()
	if errors.Is(err, errNoSuchQueue) {
		return misuse(s, flags, "%v", err)
	}
	if err != nil {
		return err
	}
	if err := f.checkDegraded(plans[0]); err != nil {
		return misuse(s, flags, "%v", err)
	}
	switch {
	case f.metrics:
		return f.compare(ctx, s, plans)
	case f.asJSON:
		return f.showJSON(s, plans)
	case f.one():
		return f.showOne(s, plans[0])
	}
	return showAll(s, plans)
}

// one tells that a single queue is meant.
func (f *sizeFlags) one() bool { return f.queue != "" || f.whatIf.any() }

// check looks whether the flags go together.
func (f *sizeFlags) check() error {
	for name, set := range map[string]bool{"--table": f.table, "--plot": f.plot != "", "--spike": f.spike != nil, "--scale": f.scale, "--cost": f.cost} {
		if set && f.metrics {
			return fmt.Errorf("%s goes with declarations and not with --from-metrics", name)
		}
		if set && !f.one() && !(f.asJSON && name != "--plot") {
			return fmt.Errorf("%s goes with one queue: name it with --queue, or say --arrivals, --service and --wait", name)
		}
	}
	if f.metrics && f.whatIf.any() && f.queue == "" {
		return errors.New("--from-metrics holds declared queues against what they had: name one with --queue to try other numbers")
	}
	if err := f.checkCompany(); err != nil {
		return err
	}
	if f.whatIf.any() && f.queue == "" {
		if err := f.checkWhole(); err != nil {
			return err
		}
	}
	if err := f.checkNumbers(); err != nil {
		return err
	}
	_, err := f.format()
	return err
}

// companions are the flags that say nothing without another.
var companions = []struct{ flag, with string }{
	{"aws", "from-metrics"}, {"period", "from-metrics"}, {"peak", "from-metrics"}, {"namespace", "from-metrics"}, {"data", "from-metrics"},
	{"mean", "cost"}, {"memory", "cost"}, {"message-bytes", "spike"}, {"degraded-service", "spike"},
}

// checkCompany looks whether each flag has a meaning beside the others.
func (f *sizeFlags) checkCompany() error {
	for _, c := range companions {
		if f.given[c.flag] && !f.given[c.with] {
			return fmt.Errorf("--%s goes with --%s", c.flag, c.with)
		}
	}
	return nil
}

// checkWhole looks whether a queue that is none yet is said whole.
func (f *sizeFlags) checkWhole() error {
	has, lacks := "a queue that is none yet", []string(nil)
	for _, name := range []string{"wait", "service", "arrivals"} {
		if f.given[name] {
			has = "--" + name
		} else {
			lacks = append([]string{"--" + name}, lacks...)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("%s needs %s; to try a declared queue, name it with --queue", has, strings.Join(lacks, " and "))
}

// checkDegraded looks whether the queue degrades jobs, to less than they take.
func (f *sizeFlags) checkDegraded(p sizing.Plan) error {
	switch q := p.Queue; {
	case !f.given["degraded-service"]:
		return nil
	case !f.one():
		return errors.New("--degraded-service goes with one queue: name it with --queue")
	case q.Full != job.Degrade:
		return fmt.Errorf("--degraded-service: the queue %s does not degrade its jobs; --full degrade tries that out", q.Name)
	case f.degraded <= 0 || f.degraded > q.ServiceTime:
		return fmt.Errorf("--degraded-service %v: a degraded job takes some time, and no more than others, %v", f.degraded, q.ServiceTime)
	}
	return nil
}

// A function has at least and at most so much memory, in MB.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const leastMemory, mostMemory = 128, 10_240

// checkNumbers looks whether they make sense.
func (f *sizeFlags) checkNumbers() error {
	switch {
	case f.message < 0 || f.degraded < 0:
		return errors.New("--message-bytes and --degraded-service are not negative")
	case f.whatIf.timeout < 0:
		return errors.New("--timeout is not negative")
	case f.given["memory"] && f.usage.MemoryMB < leastMemory || f.usage.MemoryMB > mostMemory:
		return fmt.Errorf("--memory %d: a function has %d MB at least and %s at most", f.usage.MemoryMB, leastMemory, sizing.Number(mostMemory))
	case f.metrics && !(f.reader.Share > 0 && f.reader.Share <= 1):
		return fmt.Errorf("--peak %v: want a share of 1, as %v", f.reader.Share, queuemetrics.DefaultShare)
	case f.period > queuemetrics.LongestPeriod:
		return fmt.Errorf("--period %v: CloudWatch keeps minutes for %v", f.period, queuemetrics.LongestPeriod)
	}
	return nil
}
