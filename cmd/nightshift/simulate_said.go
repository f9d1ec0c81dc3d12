package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/internal/simulation"
)

// saidOf are the names of the flags that were said.
func saidOf(flags *flag.FlagSet) map[string]bool {
	said := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { said[f.Name] = true })
	return said
}

// contradict are pairs of flags of which one would be ignored, and why.
var contradict = []struct{ one, other, why string }{
	{"trace", "arrivals", "the trace says how many arrive"},
	{"trace", "for", "the trace says for how long"},
	{"unbounded", "full", "a queue without a bound is never full"},
	{"unbounded", "clients", "without a bound nobody is refused"},
}

// contradiction reports flags that don't go together.
func (t *triedQueue) contradiction(said map[string]bool) error {
	for _, c := range contradict {
		if said[c.other] && (said[c.one] && c.one != "unbounded" || t.unbounded && c.one == "unbounded") {
			return askedError(fmt.Sprintf("--%s and --%s don't go together: %s", c.one, c.other, c.why))
		}
	}
	return nil
}

// flagOf are the flags by which settings are made.
var flagOf = map[string]string{
	"for": "--for", "scale": "--scale", "workers": "--workers", "load": "--arrivals", "faults.attempts": "--fail", "service.mean": "--service",
}

// inFlags tells what is wrong with a run to whoever asked for it by flags.
func inFlags(err error) error {
	if err == nil {
		return nil
	}
	var lines []string
	for _, e := range problems(err) {
		var setting *simulation.SettingError
		if errors.As(e, &setting) && flagOf[setting.Setting] != "" {
			e = fmt.Errorf("%s: %w", flagOf[setting.Setting], setting.Cause)
		}
		lines = append(lines, e.Error())
	}
	return askedError(strings.Join(lines, "\n"))
}

// problems are the errors of which one was joined.
func problems(err error) []error {
	joined, several := err.(interface{ Unwrap() []error })
	if !several {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, problems(e)...)
	}
	return all
}
