package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
)

// progressEvery is how often a run says how far it is.
const progressEvery = 5 * time.Second

// A dlqRun is a command that acts on letters.
type dlqRun struct {
	streams
	at      *targetFlags
	filter  *deadletter.Filter
	options deadletter.Options
	json    bool

	said   time.Time
	counts map[deadletter.Status]int
	// met are the ids of the jobs and messages that were met.
	met map[string]bool
	// partial tells that letters are left that should have been met.
	partial  bool
	problems []error
}

// newDLQRun adds the flags of such a command.
func newDLQRun(s streams, flags *flag.FlagSet) *dlqRun {
	run := &dlqRun{streams: s, at: newTargetFlags(flags), counts: map[deadletter.Status]int{}, met: map[string]bool{}}
	run.filter = filterFlags(flags, &run.at.stackFlags)
	runFlags(flags, &run.options)
	flags.BoolVar(&run.json, "json", false, "one JSON object for each letter, on a line")
	return run
}

// open finds the one queue that is meant, or all where the command says which
// jobs.
func (r *dlqRun) open(ctx context.Context, flags *flag.FlagSet) (*place, error) {
	if wrong := r.at.check(); wrong != "" {
		return nil, misuse(r.streams, flags, "%s", wrong)
	}
	place, err := r.at.open(ctx)
	if err != nil {
		return nil, err
	}
	r.options.Filter = *r.filter
	if len(place.targets) > 1 && len(r.options.Filter.IDs) == 0 {
		return nil, misuse(r.streams, flags, "say which with --queue: the stack has %s", place.names())
	}
	return place, nil
}

// each tells of one letter on standard output, and of the run now and then on
// standard error.
func (r *dlqRun) each(result deadletter.Result) {
	r.counts[result.Status]++
	r.met[string(result.Letter.Job)], r.met[result.Letter.MessageID] = true, true
	if r.json {
		r.problems = append(r.problems, jsonLine(r.out, newResultLine(result)))
	} else {
		words := []string{fmt.Sprintf("%-9s", result.Status)}
		if r.options.DryRun {
			words = []string{"would be", fmt.Sprintf("%-9s", result.Status)}
		}
		words = append(words, who(result.Letter), orDash(plain(result.Letter.Task, 80)))
		if result.Err != nil {
			words = append(words, plain(result.Err.Error(), 300))
		}
		if _, err := fmt.Fprintln(r.out, strings.Join(words, "  ")); err != nil {
			r.problems = append(r.problems, fmt.Errorf("writing the answer: %w", err))
		}
	}
	if now := time.Now(); now.Sub(r.said) >= progressEvery {
		r.said = now
		fmt.Fprintf(r.err, "so far: %s\n", r.count())
	}
}

// count says what became of how many letters.
func (r *dlqRun) count() string {
	var words []string
	for _, s := range []deadletter.Status{deadletter.Redriven, deadletter.Returned, deadletter.Dropped, deadletter.Removed, deadletter.Refused} {
		if n := r.counts[s]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// through runs the command on every queue that is meant.
func (r *dlqRun) through(ctx context.Context, p *place, act func(target, context.Context, deadletter.Options) (deadletter.Summary, error)) error {
	r.said = time.Now()
	r.options.Each = r.each
	for _, t := range p.targets {
		summary, err := act(t, ctx, r.options)
		if summary.Newer > 0 {
			fmt.Fprintf(r.err, "%s: left alone what arrived meanwhile: %d\n", t.name, summary.Newer)
		}
		r.partial = incomplete(r.streams, t.name, summary) || r.partial
		r.problems = append(r.problems, err)
		if err != nil {
			break
		}
	}
	return errors.Join(r.problems...)
}

// end says what was done, and fails where something was refused.
func (r *dlqRun) end(err error) error {
	prefix := ""
	if r.options.DryRun {
		prefix = "nothing was changed; it would be: "
	}
	fmt.Fprintf(r.err, "%s%s\n", prefix, r.count())
	if err != nil {
		return fmt.Errorf("%w; what is left is there yet: run it again to go on", err)
	}
	if r.partial || r.counts[deadletter.Refused] > 0 {
		return errSilent
	}
	return nil
}
