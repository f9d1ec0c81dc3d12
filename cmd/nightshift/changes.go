package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// changes are what flags ask to be otherwise about a C, in their order.
type changes[C any] []func(*C)

// flag adds a flag of which read makes a change.
func (c *changes[C]) flag(flags *flag.FlagSet, name, usage string, read func(text string) (func(*C), error)) {
	flags.Func(name, usage, func(text string) error {
		change, err := read(text)
		if err == nil {
			*c = append(*c, change)
		}
		return err
	})
}

func (c changes[C]) apply(to *C) {
	for _, change := range c {
		change(to)
	}
}

// timeChange reads a time above zero, of most at the most; zero means that there is none.
func timeChange[C any](most time.Duration, set func(*C, time.Duration)) func(string) (func(*C), error) {
	return func(text string) (func(*C), error) {
		d, err := time.ParseDuration(text)
		if err == nil && d > 0 && (most == 0 || d <= most) {
			return func(c *C) { set(c, d) }, nil
		}
		want := "want a time above zero, as 3s, 400ms or 10m"
		if most > 0 {
			want += fmt.Sprintf(", and no more than %s", sizing.Period(most))
		}
		return nil, errors.New(want)
	}
}

// countChange reads a whole number, of which nought would mean that it was not said.
func countChange[C any](set func(*C, int)) func(string) (func(*C), error) {
	return func(text string) (func(*C), error) {
		var n int
		if err := countFlag(&n)(text); err != nil || n == 0 {
			return nil, errors.New("want a whole number, 1 or more")
		}
		return func(c *C) { set(c, n) }, nil
	}
}

// fullChange reads what becomes of work for a full queue.
func fullChange[C any](set func(*C, job.Full)) func(string) (func(*C), error) {
	return func(text string) (func(*C), error) {
		full, known := map[string]job.Full{"refuse": job.Refuse, "degrade": job.Degrade, "spill": job.Spill, "replace": job.Replace}[text]
		if !known {
			return nil, errors.New("want refuse, degrade, spill or replace")
		}
		return func(c *C) { set(c, full) }, nil
	}
}
