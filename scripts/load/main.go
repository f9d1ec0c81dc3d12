// Command load drives a day of Crumb in minutes, on a local stack whose clock is
// scaled, and draws what became of it:
//
//	go run ./scripts/load [-scale 600] [-readers 120] [-seed 1] [-out dist/load]
//
// People sign up, write, look, save, ask for exports and PDFs, bring recipes along and
// want to be reminded, more of them in the evening than at night. Everything passes
// through the site's own API on loopback. When the last job has ended, the figures of
// each queue are worked out from the rows of its jobs: arrivals, waits, depth, age.
// The report is <out>/report.html, with its plots as SVG beside it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// A config is what the flags say.
type config struct {
	scale   float64
	readers int
	seed    uint64
	out     string
}

func main() {
	var c config
	flag.Float64Var(&c.scale, "scale", 600, "how many times as fast the stack's time passes while nobody works")
	flag.IntVar(&c.readers, "readers", 120, "how many people use the site that day")
	flag.Uint64Var(&c.seed, "seed", 1, "what the day is drawn from: the same seed, the same acts")
	flag.StringVar(&c.out, "out", "dist/load", "the `folder` of the report")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, c); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config) error {
	if c.readers < 2 || c.readers > 5000 {
		return fmt.Errorf("-readers is %d: 2 to 5000", c.readers)
	}
	stack, err := start(ctx, c.scale)
	if err != nil {
		return err
	}
	defer stack.Close()
	began, machine := stack.Clock().Now(), time.Now()
	fmt.Printf("A day of Crumb with %d readers begins at %s. The stack: %s\n", c.readers, began.UTC().Format(time.DateTime), stack.HTTPURL())

	day := plan(c.seed, c.readers, began)
	crowd := newCrowd(stack.HTTPURL(), stack.Invoke)
	if err := crowd.live(ctx, stack.Clock(), day); err != nil {
		return err
	}
	if err := stack.Clock().Until(ctx, began.Add(24*time.Hour)); err != nil {
		return err
	}
	records, err := settle(ctx, stack)
	if err != nil {
		return err
	}
	summary := summary{
		Began: began, Took: time.Since(machine).Round(time.Second), Acts: len(day), Answers: crowd.answers(),
		Queues: figuresOf(records, began, crowd.due),
	}
	if err := report(c.out, summary); err != nil {
		return err
	}
	summary.print(os.Stdout)
	fmt.Printf("\nThe report: %s/report.html\n", c.out)
	return crowd.failures()
}
