package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A short run of what `make overload` does: what does not hang on how fast the machine
// is, holds. Twice the limit is asked for, and nothing is worked on until it was reached.
func TestOverload(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of processes")
	}
	c := config{policy: "refuse", times: 4, lasts: 12 * time.Second, fillFirst: true, out: t.TempDir(), template: "template.yaml", build: filepath.Join(t.TempDir(), "functions")}
	o, err := run(t.Context(), c, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range o.judge() {
		t.Logf("%s: %s (%v)", p.what, p.got, p.kept)
		if p.onAnyMachine && !p.kept {
			t.Errorf("%s: %s", p.what, p.got)
		}
	}
	if o.count(503) == 0 || o.count(202) == 0 {
		t.Errorf("%d were accepted, %d refused", o.count(202), o.count(503))
	}
	file := filepath.Join(c.out, "plot.svg")
	if err := o.draw(file); err != nil {
		t.Fatal(err)
	}
	if drawn, err := os.ReadFile(file); err != nil || !strings.Contains(string(drawn), "<svg") || !strings.Contains(string(drawn), "longest wait") {
		t.Errorf("the plot: %v", err)
	}
}

var midnight = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// kept is a run of a minute in which everything is as promised: twenty jobs a second,
// each of which waited ten seconds.
func kept(t *testing.T) *outcome {
	t.Helper()
	plan, err := sizing.ForTasks(job.Define[struct{}]("t", job.Policy{Queue: job.Queue{
		Name: "q", PeakArrivals: 14, ServiceTime: 2 * time.Second, LongestWait: 15 * time.Second}}))
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{plan: plan["q"], config: config{lasts: time.Minute}, offered: 60, began: midnight, ended: midnight.Add(time.Minute)}
	for i := range 60 * 20 {
		id := job.ID(strings.Repeat("j", i+1))
		at := midnight.Add(time.Duration(i) * 50 * time.Millisecond)
		rec := store.Record{ID: id, Created: at.Add(-12 * time.Second), Started: at.Add(-2 * time.Second), Finished: at}
		rec.State = lifecycle.Done
		o.jobs = append(o.jobs, done{rec, 1})
		o.answers = append(o.answers, answer{at: at.Sub(midnight), status: 202, id: id},
			answer{at: at.Sub(midnight), status: 503, retryAfter: time.Duration(1+i%3) * time.Second})
	}
	for i := range 60 {
		o.samples = append(o.samples, sample{at: midnight.Add(time.Duration(i) * time.Second), bytes: 1e9, processes: 50})
	}
	return o
}

func TestJudge(t *testing.T) {
	for _, p := range kept(t).judge() {
		if !p.kept {
			t.Errorf("%s: %s", p.what, p.got)
		}
	}
	for _, c := range []struct {
		name, breaks string
		spoil        func(o *outcome)
	}{
		{"a lost job", "lost", func(o *outcome) { o.jobs[7].State = lifecycle.Running }},
		{"a job without a row", "lost", func(o *outcome) { o.jobs = o.jobs[1:] }},
		{"a job done twice", "twice", func(o *outcome) { o.jobs[7].effects = 2 }},
		{"a job done without its effect", "twice", func(o *outcome) { o.jobs[7].effects = 0 }},
		{"a refused job that was done", "twice", func(o *outcome) { o.jobs = append(o.jobs, done{store.Record{ID: "other"}, 0}) }},
		{"an error of the API", "accepted or refused", func(o *outcome) { o.answers[3].status = 500 }},
		{"all told the same", "told", func(o *outcome) {
			for i := range o.answers {
				o.answers[i].retryAfter = 5 * time.Second
			}
		}},
		{"not told", "told", func(o *outcome) { o.answers[1].retryAfter = 0 }},
		{"idle workers", "do no less", func(o *outcome) {
			for i := range o.jobs[:100] {
				o.jobs[600+i].Finished = o.ended.Add(time.Second)
			}
		}},
		{"one waited too long", "waits no longer", func(o *outcome) { o.jobs[7].Created = o.jobs[7].Started.Add(-22 * time.Second) }},
		{"memory grows", "memory", func(o *outcome) {
			for i := range o.samples {
				o.samples[i].bytes += int64(i) * 2e7
			}
		}},
		{"more and more processes", "memory", func(o *outcome) {
			for i := range o.samples {
				o.samples[i].processes, o.samples[i].bytes = 50+i, int64(50+i)*2e7
			}
		}},
	} {
		o := kept(t)
		c.spoil(o)
		for _, p := range o.judge() {
			if p.kept == strings.Contains(p.what, c.breaks) {
				t.Errorf("%s: %s: %v: %s", c.name, p.what, p.kept, p.got)
			}
		}
	}
}

// A run that would show nothing is refused, before it writes a file.
func TestRunsThatShowNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for want, c := range map[string]config{
		"-times is -1":      {policy: "refuse", times: -1, lasts: time.Minute},
		"-times is 1:":      {policy: "refuse", times: 1, lasts: time.Minute},
		"-times is NaN":     {policy: "refuse", times: math.NaN(), lasts: time.Minute},
		"-times is +Inf":    {policy: "refuse", times: math.Inf(1), lasts: time.Minute},
		"-times is 2: more": {policy: "degrade", times: 2, lasts: time.Minute},
		"-for is 0s: 12s":   {policy: "refuse", times: 3, lasts: 0},
		"-for is 18s: 19s":  {policy: "refuse", times: 2, lasts: 18 * time.Second},
		"-for is 47s: 48s":  {policy: "refuse", times: 3, lasts: 47 * time.Second, relayStops: true},
		"jobs would be":     {policy: "refuse", times: 100, lasts: 10 * time.Hour},
		`-policy is "shed"`: {policy: "shed", times: 3, lasts: time.Minute},
	} {
		c.out = out
		if err := overload(t.Context(), c); !errors.Is(err, errAsked) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
	for _, policy := range []string{"refuse", "hard", "degrade", "spill"} {
		if err := (config{policy: policy, times: 3, lasts: time.Minute, relayStops: true}).check(); err != nil {
			t.Errorf("%s: %v", policy, err)
		}
	}
	if err := (config{policy: "refuse", times: 4, lasts: 12 * time.Second}).check(); err != nil {
		t.Errorf("the short run: %v", err)
	}
}

func TestJudgeOfAStoppedRelay(t *testing.T) {
	noticed := func(spoil func(o *outcome)) promise {
		o := kept(t)
		o.config.relayStops, o.stopped, o.resumed = true, midnight.Add(20*time.Second), midnight.Add(40*time.Second)
		for i := range o.answers {
			if a := &o.answers[i]; a.at > 30*time.Second && a.at < 43*time.Second {
				a.status = 503
			}
		}
		spoil(o)
		all := o.judge()
		return all[len(all)-1]
	}
	if p := noticed(func(*outcome) {}); !p.kept || !strings.Contains(p.got, "from 10s after it stopped until 3s after") {
		t.Errorf("%+v", p)
	}
	if p := noticed(func(o *outcome) { o.answers[2*35*20].status = 202 }); p.kept {
		t.Errorf("accepted into the dark: %+v", p)
	}
	if p := noticed(func(o *outcome) { o.answers = o.answers[:2*43*20] }); p.kept {
		t.Errorf("never opened: %+v", p)
	}
}

// A plot marks the standstill, names no curve that it does not have, and is legible
// on any page and with any font.
func TestPlotOfAStoppedRelay(t *testing.T) {
	o := kept(t)
	o.stopped, o.resumed = midnight.Add(20*time.Second), midnight.Add(40*time.Second)
	for i := range o.answers {
		o.answers[i].status = 202
	}
	file := filepath.Join(t.TempDir(), "plot.svg")
	if err := o.draw(file); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	svg := string(drawn)
	if strings.Contains(svg, ">refused<") || strings.Contains(svg, "Serif") || !strings.Contains(svg, ">relay stopped<") || !strings.Contains(svg, "Liberation Sans,Arimo,Arial") || strings.Contains(svg, "NaN") {
		t.Error("the plot is not as it should be")
	}
	if white := strings.Index(svg, "fill:#FFFFFF"); white < 0 || white > strings.Index(svg, "<text") {
		t.Error("the background is not white")
	}
}

func TestMemoryOf(t *testing.T) {
	if processes, total := memoryOf([]byte("  1 0 999\n 10 1 100\n 11 10 50\n 12 11 70\n12 x y\n"), 10); processes != 2 || total != 150*1024 {
		t.Errorf("%d processes, %d bytes", processes, total)
	}
}
