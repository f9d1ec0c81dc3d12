package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/scaling"
)

// movesLater is the part of help that says who does what is asked for.
const movesLater = `
The command writes a row of the jobs table. The function that moves workers reads it at its
next run, within a minute, and changes the queues' event source mappings; jobs under way are
finished. It gives everything back by itself: nothing is lent, and no queue is paused, for
ever.

The queues` + inTheStack

const queuesLendUsage = `Usage: nightshift queues lend FROM TO [flags]
       nightshift queues lend FROM --give-back [flags]
       nightshift queues lend --list [flags]

Lends the workers of one queue to another: FROM is paused, or has less (--share), and TO has
more by what that frees, as far as its declaration allows. The loan ends when its time is
over, when TO is short again, or when it is asked for back (--give-back).

A queue that borrows does not lend, and one that lends does not borrow.

Exit status: 0 for success, 1 when it was refused or failed, 2 for misuse.
` + movesLater

var queuesLend = command{name: "lend", run: runQueuesLend}

// lending are the flags of the lend command.
type lending struct {
	list, back bool
	lasts      time.Duration
	share      float64
}

func runQueuesLend(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "queues lend", queuesLendUsage)
	var l lending
	flags.BoolVar(&l.list, "list", false, "show what is lent, and was")
	flags.BoolVar(&l.back, "give-back", false, "end a loan before its time")
	lastsFlag(flags, &l.lasts, "`how long` it lasts at most, as 30m or 2d; 30m unless said")
	flags.Float64Var(&l.share, "share", 1, "`part` of FROM's workers; 1 pauses it")
	return onLoans(ctx, s, flags, args, func(names []string) string {
		switch {
		case l.list && l.back:
			return "--list and --give-back are two commands"
		case l.list && len(names) != 0:
			return "--list takes no queue"
		case l.back && len(names) != 1:
			return "--give-back takes the queue that lends"
		case !l.list && !l.back && len(names) != 2:
			return "it takes two queues: one that lends and one that borrows"
		case !(l.share > 0 && l.share <= 1):
			return fmt.Sprintf("--share %v: want a part, above 0 and at most 1", l.share)
		}
		return someTime(l.lasts)
	}, func(d loans, names []string) error {
		switch {
		case l.list:
			return d.list(ctx, s)
		case l.back:
			return d.giveBack(ctx, s, names[0])
		}
		return d.lend(ctx, s, names[0], names[1], l.share, l.lasts)
	})
}

const queuesPauseUsage = `Usage: nightshift queues pause QUEUE [flags]

Pauses a queue: its messages stay where they are, until it is resumed or the time is over.

Exit status: 0 for success, 1 when it was refused or failed, 2 for misuse.
` + movesLater

var queuesPause = command{name: "pause", run: func(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "queues pause", queuesPauseUsage)
	var lasts time.Duration
	lastsFlag(flags, &lasts, "`how long` it lasts, as 30m or 2d; 30m unless said")
	return onLoans(ctx, s, flags, args, func(names []string) string {
		return cmp.Or(oneQueue(names), someTime(lasts))
	}, func(d loans, names []string) error {
		return d.lend(ctx, s, names[0], "", 1, lasts)
	})
}}

const queuesResumeUsage = `Usage: nightshift queues resume QUEUE [flags]

Lets a queue go on that is paused, or gives it back what it lent.

Exit status: 0 for success, 1 when it was refused or failed, 2 for misuse.
` + movesLater

var queuesResume = command{name: "resume", run: func(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "queues resume", queuesResumeUsage)
	return onLoans(ctx, s, flags, args, oneQueue, func(d loans, names []string) error {
		return d.giveBack(ctx, s, names[0])
	})
}}

func oneQueue(names []string) string {
	if len(names) != 1 {
		return "it takes one queue"
	}
	return ""
}

// lastsFlag adds --for, which is half an hour unless said.
func lastsFlag(flags *flag.FlagSet, into *time.Duration, usage string) {
	*into = 30 * time.Minute
	flags.Func("for", usage, func(text string) (err error) {
		*into, err = parseDays(text)
		return err
	})
}

func someTime(lasts time.Duration) string {
	if lasts < time.Minute {
		return fmt.Sprintf("--for %v: want a minute at least, as 30m: what is asked for is done within one", lasts)
	}
	return ""
}

// loans is where workers are lent.
type loans struct {
	*scaling.Desk
	view   viewpoint
	asJSON bool
}

// onLoans reads the command line of a command that is about loans, finds the stack, and
// acts. wrong says what is wrong with the names.
func onLoans(ctx context.Context, s streams, flags *flag.FlagSet, args []string, wrong func([]string) string, act func(loans, []string) error) error {
	var at stackFlags
	at.add(flags)
	asJSON := flags.Bool("json", false, "one JSON object for each loan, on a line")
	names, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if why := wrong(names); why != "" {
		return misuse(s, flags, "%s", why)
	}
	stack, err := openJobs(ctx, &at)
	if err != nil {
		return err
	}
	desk, err := scaling.NewDesk(stack.jobs, stack.now)
	if err != nil {
		return err
	}
	return act(loans{desk, stack.here(), *asJSON}, names)
}

func (d loans) lend(ctx context.Context, s streams, from, to string, share float64, lasts time.Duration) error {
	loan, err := d.Lend(ctx, from, to, share, lasts)
	if err != nil {
		return err
	}
	return d.tell(s, loan, "within a minute, until "+d.view.moment(loan.Until))
}

func (d loans) giveBack(ctx context.Context, s streams, from string) error {
	loan, err := d.Return(ctx, from)
	if err != nil {
		return err
	}
	return d.tell(s, loan, "it goes on within a minute")
}

// tell says what was asked for.
func (d loans) tell(s streams, l scaling.Loan, when string) error {
	if d.asJSON {
		return jsonLine(s.out, l)
	}
	what := "paused  " + l.From
	if l.To != "" {
		what = fmt.Sprintf("lent  %s to %s", l.From, l.To)
	}
	if l.Returned {
		what = "given back  " + l.From
	}
	_, err := fmt.Fprintf(s.out, "asked: %s  %s\n", what, when)
	return wrote(err)
}

func (d loans) list(ctx context.Context, s streams) error {
	found, err := d.Loans(ctx)
	if err != nil {
		return err
	}
	return listing[scaling.Loan]{
		none: "nothing was lent", titles: "FROM\tTO\tSTATE\tFREED\tGAINED\tUNTIL\tWHY",
		row: func(l scaling.Loan) string {
			until := l.Until
			if !l.Ended.IsZero() {
				until = l.Ended
			}
			return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s\t%s", l.From, orDash(l.To), l.State(d.view.now), l.Freed, l.Gained, d.view.moment(until), orDash(plain(l.Why, 100)))
		},
		details: func(l scaling.Loan) any { return l },
	}.show(s, found, d.asJSON)
}
