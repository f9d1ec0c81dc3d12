package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/report"
	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

const simulateUsage = `Usage: nightshift simulate [SCENARIO] [flags]

Plays a queue through under a simulated clock, by the rules that a stack goes by: who is
admitted and who is told to come back, how many workers Lambda gives, how what failed is
tried again. It needs no stack.

  nightshift simulate --list
  nightshift simulate chef-spike --plot spike.svg
  nightshift simulate --queue photos --arrivals 100/s --for 10m
  nightshift simulate --queue photos --spike 100/s:10m --for 2h --unbounded
  nightshift simulate --service 400ms --wait 5m --arrivals 50/s --for 1h --workers 22
  nightshift simulate --file mine.yaml

docs/simulate.md has what the scenarios show, and the fields of a file.

Exit status: 0 for success, 1 for a failure, 2 for misuse.
`

var simulateCommand = command{name: "simulate", summary: "play a queue through: spikes, outages, retries", run: runSimulate}

// simulateFlags are what nightshift simulate is asked.
type simulateFlags struct {
	list   bool
	file   string
	asJSON bool
	course bool
	plots  []string
	seed   uint64
	seeded bool
	tried  triedQueue
}

func (f *simulateFlags) add(flags *flag.FlagSet) {
	flags.BoolVar(&f.list, "list", false, "the scenarios that there are")
	flags.StringVar(&f.file, "file", "", "a scenario of your own, in a YAML or JSON `file`")
	flags.BoolVar(&f.asJSON, "json", false, "one JSON object for each run, on a line")
	flags.BoolVar(&f.course, "course", false, "also a table of how each run goes on, which a single run has anyway")
	flags.Func("plot", "draw a `file` (.svg or .png); may be said twice", func(name string) error {
		if _, err := plotFormat(name); err != nil {
			return err
		}
		f.plots = append(f.plots, name)
		return nil
	})
	flags.Func("seed", "`number` that makes the run's chance; another gives another run", func(text string) error {
		var n int
		if err := countFlag(&n)(text); err != nil {
			return err
		}
		f.seed, f.seeded = uint64(n), true
		return nil
	})
	f.tried.add(flags)
}

func runSimulate(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "simulate", simulateUsage)
	var f simulateFlags
	f.add(flags)
	plainArgs, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	said := saidOf(flags)
	switch {
	case f.list && (len(plainArgs) > 0 || len(said) > 1):
		return misuse(s, flags, "--list goes alone")
	case f.asJSON && f.course:
		return misuse(s, flags, "--json has the course of each run: leave out --course")
	case f.list:
		return listScenarios(s)
	}
	scenario, err := f.scenario(plainArgs, said)
	var asked askedError
	if errors.As(err, &asked) {
		return misuse(s, flags, "%v", asked)
	}
	if err != nil {
		return err
	}
	runs, err := f.play(ctx, scenario)
	if err != nil {
		return err
	}
	return f.show(s, scenario, runs)
}

// An askedError is what is wrong with the command line.
type askedError string

func (e askedError) Error() string { return string(e) }

// scenario gives what is to be played: by its name, from a file, or of flags.
func (f *simulateFlags) scenario(plainArgs []string, said map[string]bool) (scenarios.Scenario, error) {
	ways := len(plainArgs)
	for _, given := range []bool{f.file != "", f.tried.any()} {
		if given {
			ways++
		}
	}
	switch {
	case ways == 0:
		return scenarios.Scenario{}, askedError("name a scenario (--list shows them), a --file, or a --queue")
	case ways > 1:
		return scenarios.Scenario{}, askedError("a scenario, a --file and the flags of a queue don't go together: say one")
	case f.file != "":
		return readScenario(f.file)
	case f.tried.any():
		return f.tried.scenario(said)
	}
	found, known := scenarios.Find(plainArgs[0])
	if !known {
		return found, askedError(fmt.Sprintf("there is no scenario %q; there are %s", plainArgs[0], strings.Join(scenarioNames(), ", ")))
	}
	return found, nil
}

func scenarioNames() []string {
	var names []string
	for _, s := range scenarios.All() {
		names = append(names, s.Name)
	}
	return names
}

func (f *simulateFlags) play(ctx context.Context, s scenarios.Scenario) ([]*simulation.Result, error) {
	var runs []*simulation.Result
	for _, c := range s.Runs {
		if f.seeded {
			c.Seed = f.seed
		}
		r, err := simulation.Run(ctx, c)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (f *simulateFlags) show(s streams, scenario scenarios.Scenario, runs []*simulation.Result) error {
	if f.asJSON {
		return errors.Join(wrote(report.JSON(s.out, runs)), f.draw(s, scenario, runs))
	}
	fmt.Fprintf(s.out, "%s\n\n", scenario.Title)
	if scenario.Doc != "" {
		fmt.Fprintf(s.out, "%s\n\n", scenario.Doc)
	}
	problems := []error{wrote(report.Totals(s.out, runs))}
	if f.course || len(runs) == 1 {
		for _, r := range runs {
			fmt.Fprintf(s.out, "\n%s\n", r.Name)
			problems = append(problems, wrote(report.Course(s.out, r)))
		}
	}
	if scenario.Usage != nil {
		plan := runs[0].Plan
		problems = append(problems, showScale(s.out, plan), showBill(s.out, plan.Bill(*scenario.Usage, sizing.USEast1())))
	}
	return errors.Join(append(problems, f.draw(s, scenario, runs))...)
}

func listScenarios(s streams) error {
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, one := range scenarios.All() {
		var names []string
		for _, c := range one.Runs {
			names = append(names, c.Name)
		}
		fmt.Fprintf(table, "%s\t%s\n\t  %s\n", one.Name, one.Title, strings.Join(slices.Compact(names), "; "))
	}
	return wrote(table.Flush())
}
