package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

// innocents is how many jobs are in hand beside the one that takes all memory.
const innocents = 9

// TestAJobThatTakesAllMemory: ten jobs are in the hand of one process, of which one
// takes memory until the process dies of it; nothing else goes wrong. The kernel
// holds the process to the function's MemorySize.
//
// The nine are done in their first attempt, each having run alone after the crash.
// The one runs alone as often as it may, and is then dead, with its letter.
func TestAJobThatTakesAllMemory(t *testing.T) {
	t.Parallel()
	c, logged := testConfig(t)
	c.workers, c.parameters = 1, map[string]string{"Begun": t.TempDir()}
	p := eaterPlan()
	h := observe(t, c, p)
	first := h.after(p.jobs[0].ID, 0).new
	for id, j := range p.byID {
		claimed := h.after(id, 0).new
		if claimed.Alone || !claimed.LeaseUntil.Equal(first.LeaseUntil) {
			t.Fatalf("%s was first claimed alone (%v), until %v: not in one batch with another, until %v", id, claimed.Alone, claimed.LeaseUntil, first.LeaseUntil)
		}
		rec, effect := h.remains.rows[id], h.remains.effects[id]
		for _, b := range j.judge(rec, effect) {
			t.Errorf("%s: %s: %s", id, b.rule, b.text)
		}
		if j.poison == "" && (rec.State != lifecycle.Done || rec.Attempt != 1 || rec.Deaths != 0 || effect.count != 1) {
			t.Errorf("an innocent job is %s after %d attempts and %d deaths, its effect happened %d times", rec.State, rec.Attempt, rec.Deaths, effect.count)
		}
		if j.poison == "" {
			if second := h.after(id, 1).new; !second.Alone || second.Attempt != 1 {
				t.Errorf("after the crash it ran alone: %v, as attempt %d; want alone, and the first still", second.Alone, second.Attempt)
			}
		}
	}
	h.oneAtATime(t)
	for _, v := range h.violations {
		t.Errorf("%s: %s: %s", v.id, v.rule, v.text)
	}

	eater := p.jobs[innocents/2].ID
	rec, letters := h.remains.rows[eater], h.remains.letters[eater]
	if rec.State != lifecycle.Dead || rec.Attempt != 2 || rec.Deaths != 2 || rec.Error == nil || rec.Error.Message != "the worker died 2 times" {
		t.Errorf("the eater is %s after %d attempts and %d deaths: %+v", rec.State, rec.Attempt, rec.Deaths, rec.Error)
	}
	if text := letterBreach(rec, letters); text != "" || len(letters) != 1 {
		t.Errorf("the eater's %d letters: %s", len(letters), text)
	}
	if runs := len(h.claims(eater)); runs != 3 {
		t.Errorf("the eater ran %d times: once among the ten, and then alone as often as it may, want 3", runs)
	}
	lines, err := os.ReadFile(logged.Name())
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(lines), "out of memory"); n == 0 && runtime.GOOS == "linux" {
		t.Errorf("no process died of a lack of memory:\n%s", lines)
	}
	if t.Failed() {
		t.Logf("logged:\n%s", lines)
	}
}

// eaterPlan is nine jobs and, in their midst, the one that takes all memory when all ten
// are at work.
func eaterPlan() *plan {
	p := &plan{byID: map[job.ID]*planned{}}
	for i := range innocents + 1 {
		j := &planned{kind: "quick", runs: 1}
		j.ID, j.Task = idOf(0, i), work.Pass.Definition().Name
		if i == innocents/2 {
			j.kind, j.poison, j.Task = "takes all memory", "worker_died", work.DieTwice.Definition().Name
			j.Arguments.How = "memory"
		}
		j.Arguments.Crowd = innocents + 1
		p.jobs = append(p.jobs, j)
		p.byID[j.ID] = j
	}
	return p
}

// A seen run is what the recorder saw, and what was left.
type seen struct {
	*recorder
	remains *remains
}

// observe runs a plan without a storm. Nobody receives a message until all are there,
// so that they are in one batch.
func observe(t *testing.T, c config, p *plan) seen {
	t.Helper()
	ctx := t.Context()
	open := make(chan struct{})
	c.closed = open
	k, err := startStack(ctx, c, newStorm(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.close(); err != nil {
			t.Error(err)
		}
	}()
	recorder, stop, err := watch(ctx, k, p)
	if err != nil {
		t.Fatal(err)
	}
	h := seen{recorder: recorder}
	if err := sendChunk(ctx, k, p.jobs, time.Now()); err != nil {
		t.Fatal(err)
	}
	awaitMessages(t, k, "QuickQueue", len(p.jobs))
	close(open)
	if left, err := settle(ctx, k, h.recorder, longest); left != "" || err != nil {
		t.Fatal(left, err)
	}
	if h.remains, err = inspect(ctx, k); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	return h
}

// awaitMessages waits until so many messages of a queue can be received.
func awaitMessages(t *testing.T, k *stack, name string, n int) {
	t.Helper()
	out, err := k.sqs.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: &name})
	if err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(longest); ; time.Sleep(10 * time.Millisecond) {
		depth, err := queue.New(k.sqs).Depth(t.Context(), *out.QueueUrl)
		if err != nil {
			t.Fatal(err)
		}
		if depth.Visible == n {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%s holds %+v, want %d", name, depth, n)
		}
	}
}

// claims gives the changes by which a worker got a job.
func (h seen) claims(id job.ID) []change {
	return slices.DeleteFunc(slices.Clone(h.history[id]), func(c change) bool {
		return c.new.State != lifecycle.Running || c.new.Token == c.old.Token
	})
}

// after gives a job's nth claim.
func (h seen) after(id job.ID, n int) change {
	if claims := h.claims(id); n < len(claims) {
		return claims[n]
	}
	return change{}
}

// oneAtATime holds runs alone to their word: each ends before the next begins. A run
// whose process died ended with it, before another process took over anything.
func (h seen) oneAtATime(t *testing.T) {
	t.Helper()
	var all []change
	for id := range h.plan.byID {
		all = append(all, h.history[id]...)
	}
	slices.SortFunc(all, func(a, b change) int { return a.number - b.number })
	running := ""
	for _, c := range all {
		id := fmt.Sprint(c.new.ID)
		switch {
		case c.new.State == lifecycle.Running && c.new.Token != c.old.Token && c.new.Alone:
			if poison := h.plan.byID[job.ID(running)]; running != "" && poison.poison == "" {
				t.Errorf("%s runs alone beside %s", id, running)
			}
			running = id
		case c.new.State.Final() && id == running:
			running = ""
		}
	}
}
