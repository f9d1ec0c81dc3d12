package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
)

const dlqListUsage = `Usage: nightshift dlq list [flags]

Shows each letter once, the newest first: when the job died, which it is, and why. SQS
gives letters in no order, so that all are read before any is shown. Standing says what
the letter means to its job now: "current" that the job is dead of just that,
"stale" that it was redriven since, "gone" that there is no such job any more.

Nothing is changed. While it reads, others don't see the letters; that is over at
once when it ends, and after five minutes should it crash.
` + which + where

var dlqList = command{name: "list", run: runDLQList}

func runDLQList(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "dlq list", dlqListUsage)
	at := newTargetFlags(flags)
	filter := filterFlags(flags, &at.stackFlags)
	limit := 0
	flags.Func("max", "`number` of letters to show at most, the newest; 0 means all (default 0)", countFlag(&limit))
	asJSON := flags.Bool("json", false, "one JSON object for each letter, on a line")
	plainArgs, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(plainArgs) > 0 {
		return misuse(s, flags, "it takes no arguments, but got %q", plainArgs)
	}
	if wrong := at.check(); wrong != "" {
		return misuse(s, flags, "%s", wrong)
	}
	place, err := at.open(ctx)
	if err != nil {
		return err
	}
	var letters []deadletter.Letter
	var problems []error
	partial := false
	for _, t := range place.targets {
		summary, err := t.List(ctx, deadletter.Options{Filter: *filter, Each: func(r deadletter.Result) { letters = append(letters, r.Letter) }})
		problems = append(problems, err)
		partial = incomplete(s, t.name, summary) || partial
	}
	slices.SortStableFunc(letters, newestFirst)
	if limit > 0 && len(letters) > limit {
		letters = letters[:limit]
	}
	problems = append(problems, showLetters(s, letters, *asJSON))
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if partial {
		return errSilent
	}
	return nil
}

// newestFirst orders letters by their deaths.
func newestFirst(a, b deadletter.Letter) int {
	return cmp.Or(b.DiedAt.Compare(a.DiedAt), strings.Compare(who(a), who(b)))
}

func showLetters(s streams, letters []deadletter.Letter, asJSON bool) error {
	return listing[deadletter.Letter]{
		none:   "no letters",
		titles: "DIED\tJOB\tTASK\tATTEMPTS\tCODE\tSTANDING\tREASON",
		row: func(l deadletter.Letter) string {
			return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s", moment(l.DiedAt), who(l), orDash(plain(l.Task, 80)), attempts(l),
				orDash(plain(l.Code, 40)), standingOf(l), plain(l.Reason, 80))
		},
		details: func(l deadletter.Letter) any { return l },
	}.show(s, letters, asJSON)
}

// incomplete says what a run could not reach. It tells whether letters are left
// that it should have seen.
func incomplete(s streams, name string, summary deadletter.Summary) bool {
	if summary.Hidden > 0 {
		fmt.Fprintf(s.err, "%s: %d letters could not be made visible again at once; they are in %v\n", name, summary.Hidden, deadletter.DefaultHold)
	}
	if summary.Unseen > 0 {
		fmt.Fprintf(s.err, "%s: SQS has about %d more letters and does not hand them out now: run it again later\n", name, summary.Unseen)
	}
	if summary.Elsewhere > 0 {
		fmt.Fprintf(s.err, "%s: about %d letters are hidden: another run has them, or one that died within %v\n", name, summary.Elsewhere, deadletter.DefaultHold)
	}
	return summary.Unseen > 0
}
