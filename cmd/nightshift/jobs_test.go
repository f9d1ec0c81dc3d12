package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/standing"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestJobsOfARunningStack(t *testing.T) {
	d := startDeadStack(t)
	nobody := strings.Repeat("0", 26)
	done := d.make(store.NewJob{Task: "note.write", Queue: "notes", Client: "ann"})
	dead := d.make(store.NewJob{Task: "note.print", Queue: "notes", Client: "bob"})
	d.kill(dead, "paper \x1b[31m jam")
	running := d.make(store.NewJob{Task: "mail.send", Queue: "mail", Args: []byte(`{"to":"eve@example.com"}`)})
	claimed := d.claim(running)
	d.report(claimed, `{"done":2,"of":5}`)
	later := d.make(store.NewJob{Task: "mail.send", Queue: "mail", NotBefore: time.Now().Add(90 * time.Minute)})
	d.finish(d.claim(done), lifecycle.Outcome{To: lifecycle.Done, Result: map[string]int{"pages": 3}})

	t.Run("list", func(t *testing.T) {
		d := d.on(t)
		all := d.run("jobs", "list")
		for _, want := range []string{"ID ", string(done), string(dead), string(running), string(later), "40% (2 of 5)", "1 of 3", "due in 1h 29m"} {
			d.want(all, 0, want, "")
		}
		if place := strings.Index; place(all.out, string(later)) > place(all.out, string(running)) || place(all.out, string(running)) > place(all.out, string(dead)) {
			t.Errorf("the newest are not first:\n%s", all.out)
		}
		d.want(d.run("jobs", "list", "--limit", "1"), 0, string(later), "the newest 1 of 4 that match")
		for filter, want := range map[string]string{
			"--state dead": string(dead), "--client ann": string(done), "--queue mail --state running": string(running), "--task mail.send --state scheduled --state done": string(later),
			"--task note.print --any --limit 1 --since 1h": string(dead), "--state done --limit 0": string(done),
		} {
			got := d.run(append(strings.Fields("jobs list --json "+filter), "--before", "0s")...)
			var line struct{ ID string }
			if err := json.Unmarshal([]byte(got.out), &line); err != nil || line.ID != want || got.code != 0 {
				t.Errorf("%s: %v: %+v, want %s", filter, err, got, want)
			}
		}
		d.want(d.run("jobs", "list", "--before", "2020-01-01"), 0, "", "no job matches; 4 were looked at")
	})

	t.Run("show", func(t *testing.T) {
		d := d.on(t)
		shown := d.run("jobs", "show", string(dead))
		for _, want := range []string{"job          " + string(dead), "state        dead", "attempts     1 of 3", "client       bob", "error        paper  [31m jam", `args         {`, `               "text": "hello"`, "created      20", "(in 27d 23h)", "letter "} {
			d.want(shown, 0, want, "")
		}
		if strings.Contains(shown.out, "\x1b") {
			t.Errorf("an error moves the terminal's cursor: %q", shown.out)
		}
		var line jobDetails
		if err := json.Unmarshal([]byte(d.run("jobs", "show", string(done), "--json").out), &line); err != nil || string(line.Result) != `{"pages":3}` || line.State != lifecycle.Done || line.Client != "ann" || line.Finished.IsZero() {
			t.Errorf("%v: %+v", err, line)
		}
		d.want(d.run("jobs", "show", nobody), exitFailure, "", `there is no job "`+nobody+`"`)
		d.want(d.run("jobs", "show", "nonsense"), exitFailure, "", `there is no job "nonsense"`)
	})

	t.Run("retry", func(t *testing.T) {
		d := d.on(t)
		hidden := d.make(store.NewJob{Task: "note.write", Queue: "notes"})
		d.finish(d.claim(hidden), lifecycle.Outcome{To: lifecycle.Queued, Wait: 10 * time.Minute})
		waiting := d.make(store.NewJob{Task: "note.write", Queue: "notes"})
		got := d.run("jobs", "retry", string(dead), string(later), string(hidden), string(waiting), string(running), string(done), nobody)
		for _, want := range []string{"redriven   " + string(dead), "due now    " + string(later) + "  mail.send\n", "due now    " + string(hidden), "queued     " + string(waiting) + "  note.write  it is due",
			"refused    " + string(running) + "  mail.send  it runs", "it is done: enqueue a new one", "refused    " + nobody + "  -  there is no such job"} {
			d.want(got, exitFailure, want, "")
		}
		for _, id := range []job.ID{dead, later, hidden} {
			rec, err := d.jobs.Get(t.Context(), id)
			if err != nil || rec.State != lifecycle.Queued || rec.NotBefore.After(time.Now().Add(time.Minute)) {
				t.Errorf("%+v, %v", rec, err)
			}
			d.finish(d.claim(id), lifecycle.Outcome{To: lifecycle.Done})
		}
		d.want(d.run("jobs", "retry", string(waiting)), 0, "queued", "")
	})

	t.Run("cancel", func(t *testing.T) {
		d := d.on(t)
		waiting := d.make(store.NewJob{Task: "note.write", Queue: "notes"})
		d.want(d.run("jobs", "cancel", string(waiting)), 0, "cancelled  "+string(waiting)+"  note.write\n", "")
		d.want(d.run("jobs", "cancel", string(running), "--json"), 0, `"status":"asked"`, "")
		d.want(d.run("jobs", "cancel", string(waiting), string(done)), exitFailure, "refused    "+string(done)+"  note.write  it has finished: it is done", "")
		if rec, err := d.jobs.Get(t.Context(), running); err != nil || !rec.CancelRequested || d.state(waiting) != lifecycle.Cancelled {
			t.Errorf("%+v, %v; %s", rec, err, d.state(waiting))
		}
	})

	t.Run("watch", func(t *testing.T) {
		d := d.on(t)
		d.want(d.run("jobs", "watch", string(done), string(done)), 0, string(done)+"  note.write  done ", "")
		ended := make(chan result, 1)
		go func() { ended <- d.run("jobs", "watch", string(running), nobody) }()
		d.finish(claimed, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("no such address")})
		got := <-ended
		d.want(got, exitFailure, string(running)+"  mail.send  dead       after ", "")
		d.want(got, exitFailure, "no such address", "")
		d.want(got, exitFailure, nobody+"  -  gone       there is no such job", "")
	})

	t.Run("queues", func(t *testing.T) {
		d := d.on(t)
		d.awaitLetters(settings.LettersURL("notes"), 1)
		// No task declares them: they have no bounds.
		for _, want := range []string{"QUEUE  VISIBLE  DELAYED  IN FLIGHT  LETTERS  LIMIT  OLDEST  MAY WAIT  GATE  WORKERS\n", "\nmail   ", "\nnotes  ", "-      -       -         -     at work\n"} {
			d.want(d.run("queues", "list"), 0, want, "")
		}
		var notes standing.Queue
		counted := func() bool { // the relay may still be sending
			lines := strings.Split(d.run("queues", "list", "--json").out, "\n")
			if err := json.Unmarshal([]byte(lines[1]), &notes); err != nil || notes.Queue != "notes" || notes.Letters == nil || *notes.Letters != 1 {
				t.Fatalf("%v: %+v", err, notes)
			}
			return notes.Visible > 0 && notes.Visible == d.count(settings.QueueURL("notes")).Visible
		}
		for until := time.Now().Add(longest); !counted(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("%+v, and the queue holds %+v", notes, d.count(settings.QueueURL("notes")))
			}
		}
	})
}

// The same commands speak to AWS with its usual settings.
func TestJobsInAWS(t *testing.T) {
	d := startDeadStack(t)
	id := d.dead("note.write", "notes", "boom")
	d.asAWS()
	d.want(nightshift(t, "", "jobs", "list", "--table", "Jobs"), 0, string(id), "")
	d.want(nightshift(t, "", "jobs", "retry", string(id), "--table", "Jobs"), 0, "redriven", "")
}

func TestJobsMisuse(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nothing")
	checkMisuse(t, []misuseCase{
		{"jobs", exitMisuse, "it takes a command: list, show, cancel, retry or watch"},
		{"jobs fly", exitMisuse, `there is no command "fly"`},
		{"jobs list x", exitMisuse, "it takes no arguments"},
		{"jobs list --state tired", exitMisuse, "want scheduled, queued, running, done, dead or cancelled"},
		{"jobs list --limit -1", exitMisuse, "--limit is -1"},
		{"jobs list --rate 0", exitMisuse, "--rate is 0"},
		{"jobs list --rate nan", exitMisuse, "--rate is NaN"},
		{"jobs list --since yesterday", exitMisuse, "want a duration before now"},
		{"jobs show", exitMisuse, "it takes the id of one job"},
		{"jobs show a b", exitMisuse, "it takes the id of one job"},
		{"jobs cancel", exitMisuse, "it takes the ids of jobs"},
		{"jobs retry", exitMisuse, "it takes the ids of jobs"},
		{"jobs watch", exitMisuse, "it takes the ids of jobs"},
		{"jobs list --data " + nowhere, exitFailure, "no stack runs with the data folder"},
		{"jobs watch a --data " + nowhere, exitFailure, "name a table of AWS with --table"},
		{"queues", exitMisuse, "it takes a command: list"},
		{"queues list x", exitMisuse, "it takes no arguments"},
		{"queues list --table x", exitMisuse, "flag provided but not defined"},
		{"queues list --data " + nowhere, exitFailure, "no stack runs with the data folder"},
		{"jobs --help", 0, "Usage: nightshift jobs COMMAND"},
		{"jobs list --help", 0, "Usage: nightshift jobs list"},
		{"jobs show --help", 0, "Usage: nightshift jobs show ID"},
		{"jobs cancel --help", 0, "Usage: nightshift jobs cancel ID..."},
		{"jobs retry --help", 0, "Usage: nightshift jobs retry ID..."},
		{"jobs watch --help", 0, "Usage: nightshift jobs watch ID..."},
		{"queues --help", 0, "Usage: nightshift queues COMMAND"},
		{"queues list --help", 0, "Usage: nightshift queues list"},
	})
}
