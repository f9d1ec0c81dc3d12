package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

const jobsShowUsage = `Usage: nightshift jobs show ID [flags]

Shows everything about one job, as it is now. Times are in this machine's zone. Long
arguments, results and cursors are cut; --full shows all. What was put into the
bucket because it is too large for a row is named by its key.

Exit status: 0 for success, 1 where there is no such job or for a failure, 2 for
misuse.
` + whereJobs

var jobsShow = command{name: "show", run: runJobsShow}

func runJobsShow(ctx context.Context, s streams, args []string) error {
	flags := newFlags(s, "jobs show", jobsShowUsage)
	var at stackFlags
	at.add(flags)
	full := flags.Bool("full", false, "show long values whole")
	asJSON := flags.Bool("json", false, "one JSON object, on a line, whole")
	ids, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(ids) != 1 {
		return misuse(s, flags, "it takes the id of one job, but got %d: %q", len(ids), ids)
	}
	stack, err := openJobs(ctx, &at)
	if err != nil {
		return err
	}
	rec, err := stack.find(ctx, ids[0])
	switch {
	case errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("there is no job %q", ids[0])
	case err != nil:
		return err
	case *asJSON:
		return jsonLine(s.out, detailsOf(rec))
	}
	show := &jobShow{view: stack.here(), full: *full}
	show.job(rec)
	if _, err := io.WriteString(s.out, show.text.String()); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// A jobShow writes a job for people, without what is not known.
type jobShow struct {
	view viewpoint
	full bool
	text strings.Builder
}

func (w *jobShow) job(rec store.Record) {
	w.line("job", string(rec.ID))
	w.line("task", rec.Task)
	w.line("state", w.state(rec))
	w.line("queue", rec.Queue)
	w.line("attempts", ofMost(rec.Attempt, rec.MaxAttempts))
	if rec.Deaths > 0 {
		w.line("deaths", fmt.Sprintf("%d: its worker died so often while it ran alone", rec.Deaths))
	}
	w.line("progress", measureOf(rec.Progress).String())
	if rec.Degraded {
		w.line("degraded", "yes: its queue was long when it came, and its handler may do less")
	}
	w.line("client", rec.Client)
	w.line("unique key", rec.Unique)
	w.line("trace", rec.Trace)
	w.line("created", w.view.moment(rec.Created))
	w.line("due", w.view.moment(rec.NotBefore))
	w.line("started", w.view.moment(rec.Started))
	w.line("lease until", w.view.moment(rec.LeaseUntil))
	w.line("finished", w.view.moment(rec.Finished))
	w.line("kept until", w.view.moment(rec.Expires))
	w.line("letter", letterOf(rec))
	if rec.Error != nil {
		w.line("error code", rec.Error.Code)
		w.line("error", rec.Error.Message)
	}
	w.line("follows", followsOf(rec.Follows))
	w.line("then", thenOf(rec))
	version := ""
	if rec.Version > 1 {
		version = fmt.Sprint(rec.Version)
	}
	w.line("version", version)
	w.value("args", rec.Args, rec.ArgsObject)
	w.value("cursor", rec.Cursor, nil)
	w.value("result", rec.Result, rec.ResultObject)
}

// state tells the state and what it waits for, as far as the row knows: one that is
// queued keeps its publication until a worker claims it, and may be in SQS or not.
func (w *jobShow) state(rec store.Record) string {
	words := string(rec.State)
	switch {
	case rec.CancelRequested && !rec.State.Final():
		words += ", asked to stop"
	case rec.Spilled:
		words += ", spilled: it waits until its queue is short (see nightshift queues spill)"
	case waitsForTime(rec, w.view.now):
		words += ", due " + w.view.distance(rec.NotBefore)
	}
	return words
}

// letterOf tells where the letter of a dead job is, as far as its row knows.
func letterOf(rec store.Record) string {
	if rec.State != lifecycle.Dead {
		return ""
	}
	if rec.Publication != nil {
		return "waits to be sent to the dead-letter queue"
	}
	return "was sent to the dead-letter queue: see nightshift dlq show " + string(rec.ID)
}

// Bounds of what is shown of a value without --full.
const (
	valueLines = 40
	lineCells  = 300
)

func (w *jobShow) line(name, value string) {
	if value != "" {
		fmt.Fprintf(&w.text, "%-11s  %s\n", name, plain(value, 4000))
	}
}

// value shows JSON over several lines, or where it lies instead.
func (w *jobShow) value(name string, value []byte, lies *lifecycle.Object) {
	if lies != nil {
		w.line(name, fmt.Sprintf("%d bytes, in the bucket at %s", lies.Bytes, lies.Key))
		return
	}
	if len(value) == 0 {
		return
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, value, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(value)
	}
	lines := strings.Split(pretty.String(), "\n")
	cut := false
	if !w.full && len(lines) > valueLines {
		lines, cut = lines[:valueLines], true
	}
	for _, line := range lines {
		most := len(line)
		if !w.full && most > lineCells {
			most = lineCells
			cut = cut || len([]rune(line)) > lineCells
		}
		fmt.Fprintf(&w.text, "%-11s  %s\n", name, plain(line, most))
		name = ""
	}
	if cut {
		fmt.Fprintf(&w.text, "%-11s  … %d bytes; --full shows all\n", "", len(value))
	}
}
