// Command chaos runs jobs through the real local stack while everything goes wrong,
// and counts whether any was lost, done twice, or left behind:
//
//	go run ./scripts/chaos [-jobs N] [-for DURATION] [-seed N] [-out FOLDER]
//
// While a storm rages, calls of DynamoDB, its streams and SQS are refused,
// throttled, slowed, or carried out with the answer lost; processes of worker,
// relay, sweep, backstop and front, and workers that poll by themselves, are killed
// with SIGKILL; messages are sent twice
// and batches delivered twice. One job in fifty is poison: it fails for good, or
// takes its process with it. Then the storm ends, and when the stack has come to
// rest every job is held to its plan and every change of every row to the state
// machine: docs/chaos.md.
//
// It exits with 1 on any violation, whose jobs' histories it leaves in the folder.
// The same seed makes the same jobs, the same kills' times and victims, and the
// same fate for the nth call of each operation in a gust of the same rate; how the
// processes interleave is the machine's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

func main() {
	jobs := flag.Int("jobs", 10_000, "how many jobs")
	lasts := flag.Duration("for", 2*time.Minute, "how long the storm rages")
	settle := flag.Duration("settle", 2*time.Minute, "how long the stack may take to come to rest afterwards")
	seed := flag.Uint64("seed", 0, "repeats a run's jobs, faults and kills; 0 draws one")
	out := flag.String("out", filepath.Join("dist", "chaos"), "where the histories of jobs go that broke a rule")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *seed == 0 {
		*seed = rand.Uint64N(1_000_000)
	}
	if err := chaos(ctx, os.Stdout, setup{seed: *seed, jobs: *jobs, lasts: *lasts, settle: *settle}, *out); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		stop()
		os.Exit(1)
	}
}

// errViolated is the error of a run that broke a rule.
var errViolated = errors.New("rules were broken")

func chaos(ctx context.Context, w io.Writer, s setup, out string) (err error) {
	folder := filepath.Join(out, strconv.FormatUint(s.seed, 10))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	logged, err := os.Create(filepath.Join(folder, "log.txt"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, logged.Close()) }()
	s.config.template, s.config.workers = filepath.Join("scripts", "chaos", "template.yaml"), 8
	s.config.build, s.config.pollers = filepath.Join("dist", "chaos", "functions"), 2
	s.config.log, s.config.lines = logTo(logged)
	say := func(format string, args ...any) {
		fmt.Fprintf(w, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
	}
	say("seed %d: %d jobs and a storm of %s; building and starting the stack", s.seed, s.jobs, s.lasts)
	o, err := run(ctx, s, say)
	if err != nil {
		return err
	}
	o.print(w)
	if len(o.violations) == 0 {
		return nil
	}
	for _, v := range o.violations[:min(len(o.violations), 20)] {
		fmt.Fprintf(w, "%s: %s: %s\n", v.id, v.rule, v.text)
	}
	if err := o.write(folder, logged.Name()); err != nil {
		return err
	}
	return fmt.Errorf("%w: %d violations; histories and the functions' log are in %s", errViolated, len(o.violations), folder)
}
