package main

import (
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A jobFilter picks jobs; what is zero picks all.
type jobFilter struct {
	states              []lifecycle.State
	task, queue, client string
	since, before       time.Time
}

func newJobFilter(flags *flag.FlagSet, at *stackFlags) *jobFilter {
	f := &jobFilter{}
	flags.Func("state", "`state`: scheduled, queued, running, done, dead or cancelled; more than one may be given", func(text string) error {
		state := lifecycle.State(text)
		if !state.Valid() {
			return fmt.Errorf("want scheduled, queued, running, done, dead or cancelled")
		}
		f.states = append(f.states, state)
		return nil
	})
	flags.StringVar(&f.task, "task", "", "`name` of the task")
	flags.StringVar(&f.queue, "queue", "", "`name` of the queue")
	flags.StringVar(&f.client, "client", "", "`name` of the client that made the job")
	flags.Func("since", "made at that `TIME` or later", at.timeFlag(&f.since))
	flags.Func("before", "made before that `TIME`", at.timeFlag(&f.before))
	return f
}

// matches tells whether a job is picked.
func (f *jobFilter) matches(rec *store.Record) bool {
	return (len(f.states) == 0 || slices.Contains(f.states, rec.State)) &&
		(f.task == "" || rec.Task == f.task) &&
		(f.queue == "" || rec.Queue == f.queue) &&
		(f.client == "" || rec.Client == f.client) &&
		(f.since.IsZero() || !rec.Created.Before(f.since)) &&
		(f.before.IsZero() || rec.Created.Before(f.before))
}
