package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

func TestTheSpillOfARunningStack(t *testing.T) {
	d := startDeadStack(t)
	queue := job.Queue{Name: "notes", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}
	task := job.Define[weekly]("weekly.send", job.Policy{Queue: queue})
	made, err := producer.New(producer.Config{Jobs: d.jobs}, task)
	if err != nil {
		t.Fatal(err)
	}
	id, err := made.Enqueue(t.Context(), task.With(weekly{}), job.Spilled(), job.Degraded())
	if err != nil {
		t.Fatal(err)
	}
	d.want(d.run("queues", "spill"), 0, "notes  1        by itself  released  -", "")
	d.want(d.run("jobs", "list"), 0, "spilled ", "")
	shown := d.run("jobs", "show", string(id))
	d.want(shown, 0, "scheduled, spilled: it waits until its queue is short", "")
	d.want(shown, 0, "degraded     yes", "")

	d.want(d.run("queues", "spill", "notes", "--rate", "2.5"), 0, "notes  1        2.5/s  released", "")
	d.want(d.run("queues", "spill", "notes", "--pause"), 0, "notes  1        2.5/s  paused", "")
	var q spilledQueue
	asJSON := d.run("queues", "spill", "notes", "--json")
	if err := json.Unmarshal([]byte(asJSON.out), &q); err != nil || q.Spilled != 1 || q.Rate != 2.5 || !q.Paused {
		t.Errorf("%v: %s", err, asJSON.out)
	}
	d.want(d.run("queues", "spill", "notes", "--resume", "--rate", "0"), 0, "by itself  released", "")
	for _, change := range [][]string{{"--pause"}, {"--rate", "0"}, nil} {
		d.want(d.run(append([]string{"queues", "spill", "nodes"}, change...)...), 1, "", `there is no such queue: "nodes": use one of `)
	}
	if listed := d.run("queues", "spill"); strings.Contains(listed.out, "nodes") {
		t.Errorf("a queue was invented: %s", listed.out)
	}

	d.want(d.run("jobs", "retry", string(id)), 0, "due now", "")
	if shown := d.run("jobs", "show", string(id)); strings.Contains(shown.out, "spilled") {
		t.Errorf("it is spilled still: %s", shown.out)
	}
}

func TestMisuseOfTheSpill(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"a b", "it takes one queue"},
		{"--pause", "say which queue is meant"},
		{"--rate 3", "say which queue is meant"},
		{"a --pause --resume", "two commands"},
		{"a --rate many", "0 or more"},
		{"a --rate -1", "0 or more"},
		{"a --rate 1e300", "from 0.001 to 100,000"},
		{"a --rate 100001", "from 0.001 to 100,000"},
		{"a --rate 0.0001", "from 0.001 to 100,000"},
		{"a --rate 1e-200", "0 or more"},
	} {
		d := &deadStack{t: t, data: t.TempDir()}
		d.want(d.run(append([]string{"queues", "spill"}, strings.Fields(c.args)...)...), 2, "", c.want)
	}
}

func TestARowOfASpill(t *testing.T) {
	for want, q := range map[string]spilledQueue{
		"q\t0\tby itself\t-\t-":        {Queue: "q"},
		"q\t0\tby itself\tpaused\t-":   {Queue: "q", Paused: true},
		"q\t3\t100,000/s\treleased\t-": {Queue: "q", Spilled: 3, Rate: 100_000},
		"q\t3\t3.6/h\treleased\t-":     {Queue: "q", Spilled: 3, Rate: 0.001},
	} {
		if got := q.row(viewpoint{}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
