// Command overload drives a local stack past what its workers finish, and shows what
// becomes of the work:
//
//	go run ./scripts/overload [-policy refuse|hard|degrade|spill] [-times 3] [-for 1m] [-relay-stops] [-out dist/overload]
//
// Three times as many jobs are asked for as the workers of a queue finish, through the
// HTTP API, for a minute. Then what was accepted is worked off, and everything is held
// to what the queue promises: the workers were busy all the time and did no less than
// without the overload; whoever was accepted waited no longer than the longest wait;
// whoever was refused was told when to come back, not all the same; the stack's
// processes took no more and more memory; and no job was lost or done twice.
//
// It prints a report, draws it as <out>/POLICY.svg, and exits with 1 where a promise
// was broken, and with 2 where such a run would show nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	var c config
	flag.StringVar(&c.policy, "policy", "refuse", "what becomes of work when the queue is full: refuse, hard (with an exact limit), degrade or spill")
	flag.Float64Var(&c.times, "times", 3, "how many times as many jobs are asked for as are finished")
	flag.DurationVar(&c.lasts, "for", time.Minute, "how long")
	flag.BoolVar(&c.relayStops, "relay-stops", false, "stop the relay for the second third of that time")
	flag.StringVar(&c.out, "out", filepath.Join("dist", "overload"), "the `folder` of the report")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "overload: what is %q? There are flags alone\n", flag.Arg(0))
		os.Exit(2)
	}
	c.template, c.build = filepath.Join("scripts", "overload", "template.yaml"), filepath.Join("dist", "overload", "functions")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := overload(ctx, c)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "overload:", err)
		if errors.Is(err, errAsked) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// A config is what the flags say.
type config struct {
	policy     string
	times      float64
	lasts      time.Duration
	relayStops bool
	// fillFirst has the workers begin when the first was refused: so a queue is filled
	// also by a machine that can't ask for more than they finish.
	fillFirst bool
	out       string

	template, build string
	prebuilt        bool
}

// errBroken is the error of a run that broke a promise.
var errBroken = errors.New("a promise was broken")

func overload(ctx context.Context, c config) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := os.MkdirAll(c.out, 0o755); err != nil {
		return err
	}
	say := func(format string, args ...any) {
		fmt.Printf(time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
	}
	o, err := run(ctx, c, say)
	if err != nil {
		return err
	}
	promises := o.judge()
	o.print(os.Stdout, promises)
	name := c.policy
	if c.relayStops {
		name += "-relay"
	}
	file := filepath.Join(c.out, name+".svg")
	if err := o.draw(file); err != nil {
		return err
	}
	say("drawn in %s", file)
	for _, p := range promises {
		if !p.kept {
			return errBroken
		}
	}
	return nil
}
