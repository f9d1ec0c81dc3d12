package nightshifttest

import (
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// A Task is a job.Task[A], or a job.ResultTask[A, R] whatever its R.
type Task[A any] interface {
	job.Defined
	With(arguments A) job.Request
}

// A Job is one that was enqueued, as it was then.
type Job[A any] struct {
	ID   job.ID
	Args A
	// EnqueuedAt is when, by the clock under test.
	EnqueuedAt time.Time
	// Delay is how long after that it was to run at the earliest (job.In, job.At);
	// it is rounded up to milliseconds.
	Delay time.Duration
	// Group is that of a FIFO queue's job (job.Group).
	Group string
	// Key is what it is unique by (job.Unique); empty for most.
	Key string
	// Client is who enqueued it (job.ByClient), Trace the header that came along.
	Client, Trace string
	// State is what has become of it since.
	State lifecycle.State
}

// Enqueued gives the jobs of a task that were enqueued since New, in order, whatever has
// become of them. A waiting job that a newer one of its key replaced is there as the
// newer one.
func Enqueued[A any](k *Kit, task Task[A]) []Job[A] {
	k.t.Helper()
	d := task.Definition()
	if _, known := k.tasks[d.Name]; !known {
		k.t.Fatalf("nightshifttest: task %q is none of the kit's: pass it to New", d.Name)
	}
	var jobs []Job[A]
	k.note()
	for _, e := range k.journal.order {
		if e.rec.Task == d.Name {
			jobs = append(jobs, jobOf[A](k, e))
		}
	}
	return jobs
}

func jobOf[A any](k *Kit, e *entry) Job[A] {
	k.t.Helper()
	rec := e.enqueued
	j := Job[A]{ID: rec.ID, EnqueuedAt: rec.Created, Key: rec.Unique, Client: rec.Client, Trace: rec.Trace, State: e.rec.State}
	_, j.Group, _ = rec.ID.Group()
	if rec.NotBefore.After(rec.Created) {
		j.Delay = rec.NotBefore.Sub(rec.Created)
	}
	data := rec.Args
	if rec.ArgsObject != nil {
		data = k.object(*rec.ArgsObject)
	}
	var err error
	if j.Args, err = payload.Decode[A](data); err != nil {
		k.t.Fatalf("nightshifttest: the arguments of job %s of %s: %v", rec.ID, rec.Task, err)
	}
	return j
}

// EnqueuedOne gives the only job of a task that was enqueued. None, or several, end the
// test.
func EnqueuedOne[A any](k *Kit, task Task[A]) Job[A] {
	k.t.Helper()
	jobs := Enqueued(k, task)
	if len(jobs) != 1 {
		k.t.Fatalf("nightshifttest: %s, want 1%s", count(len(jobs), task.Definition().Name), list(jobs))
	}
	return jobs[0]
}

// WantEnqueued fails the test unless the jobs of a task that were enqueued have just
// these arguments, in this order; none means that none was to be enqueued. Arguments are
// compared as their JSON. It gives the jobs, to look at their options.
func WantEnqueued[A any](k *Kit, task Task[A], want ...A) []Job[A] {
	k.t.Helper()
	jobs := Enqueued(k, task)
	name := task.Definition().Name
	if len(jobs) != len(want) {
		k.t.Errorf("nightshifttest: %s, want %d%s", count(len(jobs), name), len(want), list(jobs))
		return jobs
	}
	for i, j := range jobs {
		if got, wanted := encoded(j.Args), encoded(want[i]); got != wanted {
			k.t.Errorf("nightshifttest: job %d of %d of %s was enqueued with other arguments\n    got  %s\n    want %s", i+1, len(jobs), name, got, wanted)
		}
	}
	return jobs
}

func count(n int, task string) string {
	switch n {
	case 0:
		return "no job of " + task + " was enqueued"
	case 1:
		return "1 job of " + task + " was enqueued"
	}
	return fmt.Sprintf("%d jobs of %s were enqueued", n, task)
}

// list writes jobs out, a line each.
func list[A any](jobs []Job[A]) string {
	var b strings.Builder
	for i, j := range jobs {
		if i == 0 {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "\n    %s %s", j.ID, encoded(j.Args))
		for _, option := range []struct{ name, value string }{{"group", j.Group}, {"key", j.Key}, {"client", j.Client}} {
			if option.value != "" {
				fmt.Fprintf(&b, " %s %q", option.name, option.value)
			}
		}
		if j.Delay > 0 {
			fmt.Fprintf(&b, " in %v", j.Delay)
		}
	}
	return b.String()
}

func encoded(args any) string {
	data, err := payload.Encode(args)
	if err != nil {
		return fmt.Sprintf("%+v (no JSON: %v)", args, err)
	}
	return string(data)
}
