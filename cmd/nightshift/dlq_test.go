package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// dlq runs a dlq command on the stack.
func (d *deadStack) dlq(args ...string) result {
	d.t.Helper()
	return d.run(append([]string{"dlq"}, args...)...)
}

// dead makes a job that died.
func (d *deadStack) dead(task, queue, reason string) job.ID {
	d.t.Helper()
	id := d.make(store.NewJob{Task: task, Queue: queue, Client: "ann"})
	d.kill(id, reason)
	return id
}

func (d *deadStack) kill(id job.ID, reason string) {
	d.t.Helper()
	d.finish(d.claim(id), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New(reason)})
}

func (d *deadStack) state(id job.ID) lifecycle.State {
	d.t.Helper()
	rec, err := d.jobs.Get(d.t.Context(), id)
	if err != nil {
		d.t.Fatal(err)
	}
	return rec.State
}

// count counts a queue's messages.
func (d *deadStack) count(variable string) queue.Depth {
	d.t.Helper()
	depth, err := queue.New(d.client).Depth(d.t.Context(), d.found.Settings[variable])
	if err != nil {
		d.t.Fatal(err)
	}
	return depth
}

// longest is how long is waited for what the relay does.
const longest = 3 * time.Minute

// awaitLetters waits until the relay has put so many letters out.
func (d *deadStack) awaitLetters(variable string, n int) {
	d.t.Helper()
	for until := time.Now().Add(longest); d.count(variable).Visible != n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			d.t.Fatalf("%s holds %+v, want %d", variable, d.count(variable), n)
		}
	}
}

func TestDeadLettersOfARunningStack(t *testing.T) {
	d := startDeadStack(t)
	notesDead, mailDead := settings.LettersURL("notes"), settings.LettersURL("mail")
	first := d.dead("note.write", "notes", "boom \x1b[31m once")
	second := d.dead("note.print", "notes", "paper jam")
	mail := d.dead("mail.send", "mail", "no such address")
	d.awaitLetters(notesDead, 2)
	d.awaitLetters(mailDead, 1)

	t.Run("list", func(t *testing.T) {
		d := d.on(t)
		all := d.dlq("list")
		for _, want := range []string{"DIED", string(first), string(second), string(mail), "note.print", "paper jam", "1 of 3", "current"} {
			d.want(all, 0, want, "")
		}
		if strings.Contains(all.out, "\x1b") {
			t.Errorf("a reason moves the terminal's cursor: %q", all.out)
		}
		// The newest first, across queues, also where only some are shown.
		if order := []int{strings.Index(all.out, string(mail)), strings.Index(all.out, string(second)), strings.Index(all.out, string(first))}; !slices.IsSorted(order) {
			t.Errorf("not the newest first:\n%s", all.out)
		}
		newest := d.dlq("list", "--max", "1")
		if d.want(newest, 0, string(mail), ""); strings.Count(newest.out, "\n") != 2 {
			t.Errorf("the newest: %s", newest.out)
		}
		picked := d.dlq("list", "--queue", "notes", "--reason", "PAPER", "--json", "--since", "1h")
		var line struct {
			Job, Task, Code, Reason, Queue, Client, Standing string
			Attempts                                         int
			MaxAttempts                                      int       `json:"max_attempts"`
			DiedAt                                           time.Time `json:"died_at"`
		}
		if err := json.Unmarshal([]byte(picked.out), &line); err != nil {
			t.Fatalf("%v: %s", err, picked.out)
		}
		if picked.code != 0 || line.Job != string(second) || line.Task != "note.print" || line.Queue != "notes" || line.Reason != "paper jam" || line.Client != "ann" ||
			line.Standing != "current" || line.Attempts != 1 || line.MaxAttempts != 3 || time.Since(line.DiedAt) > time.Hour {
			t.Errorf("%+v", line)
		}
		d.want(d.dlq("list", "--before", "2020-01-01"), 0, "", "no letters")
		d.want(d.dlq("list", "--dlq", "NotesDead"), 0, string(first), "")
		d.want(d.dlq("list", "--dlq", "Nowhere"), exitFailure, "", "looking for the queue")
		d.want(d.dlq("list", "--queue", "photos"), exitFailure, "", `has no queue "photos"`)
		d.awaitLetters(notesDead, 2)
	})

	t.Run("show", func(t *testing.T) {
		d := d.on(t)
		shown := d.dlq("show", string(mail))
		for _, want := range []string{"standing  current", "reason    no such address", "state       dead", `args        {"text":"hello"}`, "kept until"} {
			d.want(shown, 0, want, "")
		}
		var both struct{ Letter, Job map[string]any }
		if err := json.Unmarshal([]byte(d.dlq("show", string(mail), "--json").out), &both); err != nil || both.Letter["job"] != string(mail) || both.Job["state"] != "dead" {
			t.Errorf("%v: %v", err, both)
		}
		d.want(d.dlq("show", strings.Repeat("0", 26), "--queue", "mail"), exitFailure, "", "neither a letter nor a job")
	})

	t.Run("redrive", func(t *testing.T) {
		d := d.on(t)
		d.want(d.dlq("redrive"), exitMisuse, "", "say which with --queue: the stack has mail, notes")
		d.want(d.dlq("redrive", "--queue", "notes", "--dry-run"), 0, "redriven", "nothing was changed; it would be: 2 redriven")
		if d.state(first) != lifecycle.Dead {
			t.Fatal("a dry run redrove a job")
		}
		d.want(d.dlq("redrive", "--queue", "notes", "--task", "note.write", "--rate", "100"), 0, "redriven   "+string(first), "1 redriven")
		if d.state(first) != lifecycle.Queued || d.state(second) != lifecycle.Dead {
			t.Errorf("the jobs are %s and %s", d.state(first), d.state(second))
		}
		d.awaitLetters(notesDead, 1)
		d.kill(first, "boom twice")
		d.awaitLetters(notesDead, 2)
		if _, err := d.client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(d.found.Settings[notesDead]), MessageBody: aws.String("Hello?"),
			MessageAttributes: map[string]types.MessageAttributeValue{"kind": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 0xff}}}}); err != nil {
			t.Fatal(err)
		}
		got := d.dlq("redrive", "--queue", "notes", "--json")
		d.want(got, exitFailure, `"status":"refused","error":"deadletter: it can't be read`, "2 redriven, 1 refused")
		if lines := strings.Count(got.out, "\n"); lines != 3 {
			t.Errorf("%d lines: %s", lines, got.out)
		}
		d.want(d.dlq("redrive", "--queue", "notes", "--unreadable"), 0, "returned", "1 returned")
		d.awaitLetters(notesDead, 0)
		d.wantReturned()
	})

	t.Run("a letter has expired", func(t *testing.T) {
		d := d.on(t)
		d.want(d.dlq("drop", "--queue", "mail", "--job", string(mail)), 0, "dropped    "+string(mail), "1 dropped")
		d.awaitLetters(mailDead, 0)
		d.want(d.dlq("show", string(mail), "--queue", "mail"), 0, "state       dead", "")
		for _, other := range [][]string{{"--task", "note.write"}, {"--code", "storage_failed"}, {"--before", "1h"}, {"--reason", "paper"}} {
			d.want(d.dlq(append([]string{"redrive", "--queue", "mail", "--job", string(mail)}, other...)...), exitFailure, "not one of those that the other flags ask for", "1 refused")
		}
		d.want(d.dlq("redrive", "--queue", "mail", "--max", "1", "--job", "nobody", "--job", string(mail)), exitFailure, "no such letter", "1 refused")
		if d.state(mail) != lifecycle.Dead {
			t.Errorf("the job that was not picked is %s", d.state(mail))
		}
		d.want(d.dlq("redrive", "--queue", "mail", "--job", string(mail), "--job", "nobody"), exitFailure, "redriven   "+string(mail), "1 redriven, 1 refused")
		if d.state(mail) != lifecycle.Queued {
			t.Errorf("the job is %s", d.state(mail))
		}
		d.want(d.dlq("redrive", "--queue", "mail", "--job", string(mail)), exitFailure, "has no letter and is queued", "1 refused")
	})
}

// wantReturned looks for the message that could not be read in its queue.
func (d *deadStack) wantReturned() {
	d.t.Helper()
	came := map[string]queue.Incoming{}
	for until := time.Now().Add(longest); came["Hello?"].Body == "" && time.Now().Before(until); {
		batch, err := queue.New(d.client).Receive(d.t.Context(), d.found.Settings[settings.QueueURL("notes")], queue.Ask{Most: 10, Wait: time.Second})
		if err != nil {
			d.t.Fatal(err)
		}
		for _, in := range batch {
			came[in.Body] = in
		}
	}
	a := came["Hello?"].Attributes
	if len(a) != 1 || a["kind"].Type != "Binary" || string(a["kind"].Binary) != "\x00\xff" {
		d.t.Errorf("it came back with %+v", a)
	}
}

// The same commands speak to AWS with its usual settings.
func TestDeadLettersInAWS(t *testing.T) {
	d := startDeadStack(t)
	id := d.dead("note.write", "notes", "boom")
	d.awaitLetters(settings.LettersURL("notes"), 1)
	d.asAWS()
	there := []string{"--table", "Jobs", "--queue", "Notes", "--dlq", "NotesDead"}
	d.want(nightshift(t, "", append([]string{"dlq", "list"}, there...)...), 0, string(id), "")
	d.want(nightshift(t, "", append([]string{"dlq", "redrive", "--max", "1"}, there...)...), 0, "redriven", "1 redriven")
	if d.state(id) != lifecycle.Queued {
		t.Errorf("the job is %s", d.state(id))
	}
}

func TestDLQMisuse(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nothing")
	checkMisuse(t, []misuseCase{
		{"dlq", exitMisuse, "it takes a command"},
		{"dlq fly", exitMisuse, `there is no command "fly"`},
		{"dlq list x", exitMisuse, "it takes no arguments"},
		{"dlq show", exitMisuse, "it takes the id of one job"},
		{"dlq show a b", exitMisuse, "it takes the id of one job"},
		{"dlq redrive x", exitMisuse, "a job's id goes after --job"},
		{"dlq drop", exitMisuse, "say which letters, or --all"},
		{"dlq drop x --all", exitMisuse, "it takes no arguments"},
		{"dlq list --since yesterday", exitMisuse, "want a duration before now"},
		{"dlq list --since -1h", exitMisuse, "want a duration before now"},
		{"dlq list --job=", exitMisuse, "it is empty"},
		{"dlq list --table t", exitMisuse, "--dlq says which"},
		{"dlq list --data " + nowhere, exitFailure, "no stack runs with the data folder"},
		{"dlq redrive --rate x", exitMisuse, "invalid value"},
		{"dlq --help", 0, "Usage: nightshift dlq COMMAND"},
		{"dlq list --help", 0, "Usage: nightshift dlq list"},
		{"dlq show --help", 0, "Usage: nightshift dlq show ID"},
		{"dlq redrive --help", 0, "Usage: nightshift dlq redrive"},
		{"dlq drop --help", 0, "Usage: nightshift dlq drop"},
	})
}

// A number that makes no sense is misuse, told in one line and before anything is done.
func TestWrongNumbersOfLetters(t *testing.T) {
	for _, c := range [][]string{
		{"dlq", "list", "--max", "-1"}, {"dlq", "list", "--max", "1.5"},
		{"dlq", "redrive", "--max", "-1"}, {"dlq", "drop", "--max", "many"},
		{"dlq", "redrive", "--rate", "-0.5"}, {"dlq", "redrive", "--rate", "NaN"}, {"dlq", "drop", "--rate", "+Inf"},
	} {
		got := nightshift(t, "", append(c, "--data", t.TempDir())...)
		if got.code != exitMisuse || got.out != "" || !strings.Contains(got.err, c[3]) || !strings.Contains(got.err, "0 or more") || strings.Count(got.err, "\n") > 3 {
			t.Errorf("%q: %+v", c, got)
		}
	}
	got := nightshift(t, "", "jobs", "list", "--state", "sleeping", "--data", t.TempDir())
	if got.code != exitMisuse || !strings.Contains(got.err, `"sleeping"`) || !strings.Contains(got.err, "scheduled, queued, running, done, dead or cancelled") || strings.Count(got.err, "\n") > 3 {
		t.Errorf("an unknown state: %+v", got)
	}
}
