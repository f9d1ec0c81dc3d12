package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

// Rules that what is left is held to.
const (
	ruleLost     = "no accepted job is lost"
	ruleStuck    = "no job is stuck"
	ruleOnce     = "what is done had its effect once, and what is not had none"
	rulePoison   = "dead is the poison and nothing else, each with its reason"
	ruleLetter   = "each dead job has one letter, and no other has any"
	ruleCancels  = "cancelled is what a cancellation reached"
	ruleResult   = "results and steps are what they should be"
	ruleMessages = "no message is left"
	ruleSense    = "rows make sense"
)

// finalRules lists the rules in the order of the report.
var finalRules = []string{
	ruleLost, ruleStuck, ruleOnce, rulePoison, ruleLetter, ruleCancels, ruleResult, ruleOrder, ruleEarly,
	ruleLegal, ruleLease, ruleCharge, ruleAlone, ruleCancel, ruleMessages, ruleSense,
}

// A tally counts how jobs ended.
type tally struct {
	accepted, done, dead, cancelled int
	effects                         int
	letters, copies                 int
	attempts, deaths                int
}

// judge holds what is left to the rules.
func judge(p *plan, m *remains) (t tally, found []violation) {
	breach := func(id job.ID, rule, format string, args ...any) {
		found = append(found, violation{id, rule, fmt.Sprintf(format, args...)})
	}
	for id, j := range p.byID {
		if !j.accepted {
			continue
		}
		t.accepted++
		rec, there := m.rows[id]
		if !there {
			breach(id, ruleLost, "it has no row")
			continue
		}
		t.count(rec, m.effects[id])
		for _, b := range j.judge(rec, m.effects[id]) {
			breach(id, b.rule, "%s", b.text)
		}
		letters := m.letters[id]
		t.letters, t.copies = t.letters+min(len(letters), 1), t.copies+max(len(letters)-1, 0)
		if text := letterBreach(rec, letters); text != "" {
			breach(id, ruleLetter, "%s", text)
		}
	}
	for id := range m.letters {
		if p.byID[id] == nil {
			breach(id, ruleLetter, "a letter of a job that nobody enqueued")
		}
	}
	for _, body := range m.strange {
		breach("", ruleLetter, "a letter that can't be read: %.200s", body)
	}
	for group, jobs := range p.groups {
		if text := orderBreach(jobs, m.orders[work.GroupKey(group)]); text != "" {
			breach("", ruleOrder, "%s: %s", group, text)
		}
	}
	for name, n := range m.queued {
		if n > 0 {
			breach("", ruleMessages, "%d in %s", n, name)
		}
	}
	return t, found
}

func (t *tally) count(rec store.Record, e effect) {
	t.effects += e.count
	t.attempts += rec.Attempt
	t.deaths += rec.Deaths
	switch rec.State {
	case lifecycle.Done:
		t.done++
	case lifecycle.Dead:
		t.dead++
	case lifecycle.Cancelled:
		t.cancelled++
	}
}

// judge holds one job's end to its plan.
func (j *planned) judge(rec store.Record, e effect) (found []breach) {
	add := func(rule, format string, args ...any) {
		found = append(found, breach{rule, fmt.Sprintf(format, args...)})
	}
	if !rec.State.Final() {
		add(ruleStuck, "it is %s", rec.State)
	}
	want := 0
	if rec.State == lifecycle.Done {
		want = 1
	}
	if e.count != want {
		add(ruleOnce, "it is %s, and its effect happened %d times", rec.State, e.count)
	}
	if (rec.State == lifecycle.Dead) != (j.poison != "") {
		add(rulePoison, "a job that %s is %s: %v", j.kind, rec.State, rec.Error)
	} else if rec.State == lifecycle.Dead && !j.diedFor(rec) {
		add(rulePoison, "a job that %s is dead for another reason: %+v, after %d attempts", j.kind, rec.Error, rec.Attempt)
	}
	if text := j.cancelBreach(rec.State); text != "" {
		add(ruleCancels, "%s", text)
	}
	if rec.State == lifecycle.Done && e.steps != j.runs {
		add(ruleResult, "it took %d runs, want %d", e.steps, j.runs)
	}
	if rec.State == lifecycle.Done && j.Task == work.Sum.Definition().Name {
		var got work.Result
		if err := json.Unmarshal(rec.Result, &got); err != nil || got.Sum != work.Base+j.Arguments.Seq {
			add(ruleResult, "its result is %s, want %d", rec.Result, work.Base+j.Arguments.Seq)
		}
	}
	if j.In > 0 && !j.move && rec.Started.Sub(rec.Created) < j.In-lifecycle.Tolerance && !rec.Started.IsZero() {
		add(ruleEarly, "it started %s after it was made, want %s", rec.Started.Sub(rec.Created), j.In)
	}
	return found
}

// diedFor tells whether a dead job died of its own poison.
func (j *planned) diedFor(rec store.Record) bool {
	if rec.Error == nil || rec.Error.Code != j.poison {
		return false
	}
	if j.poison == work.Code {
		return rec.Error.Message == work.Reason
	}
	return rec.Deaths == rec.MaxAttempts && rec.Attempt == rec.MaxAttempts
}

func (j *planned) cancelBreach(state lifecycle.State) string {
	answered := lifecycle.State(j.cancelled)
	switch {
	case !j.cancel && state == lifecycle.Cancelled:
		return "nobody cancelled it, and it is"
	case !j.cancel:
		return ""
	case answered == "":
		return "its cancellation was not answered"
	case answered.Final() && state != answered:
		return fmt.Sprintf("its cancellation found it %s, and it is %s", answered, state)
	case answered == lifecycle.Running && state != lifecycle.Cancelled && state != lifecycle.Done:
		return fmt.Sprintf("its run was asked to stop, and it is %s", state)
	}
	return ""
}

// letterBreach tells what is wrong with a job's letters. A copy of a letter is none
// of it: like every message it may be delivered twice, and says the same.
func letterBreach(rec store.Record, letters []queue.Message) string {
	switch {
	case rec.State != lifecycle.Dead && len(letters) > 0:
		return fmt.Sprintf("it is %s and has %d letters", rec.State, len(letters))
	case rec.State != lifecycle.Dead:
		return ""
	case len(letters) == 0:
		return "it is dead and has no letter"
	}
	first := *letters[0].Letter
	for _, l := range letters[1:] {
		if *l.Letter != first {
			return fmt.Sprintf("its letters say different things: %+v and %+v", first, *l.Letter)
		}
	}
	if rec.Error == nil || first.Code != rec.Error.Code || first.Reason != rec.Error.Message || first.Attempts != rec.Attempt || first.Task != rec.Task {
		return fmt.Sprintf("its letter says %+v, its row %+v", first, rec.Error)
	}
	return ""
}

// orderBreach compares the order in which a group's jobs ended with the one in
// which they were enqueued.
func orderBreach(jobs []*planned, ended []int) string {
	var want []int
	for _, j := range jobs {
		if j.accepted && j.poison == "" {
			want = append(want, j.Arguments.Seq)
		}
	}
	if slices.Equal(want, ended) {
		return ""
	}
	return fmt.Sprintf("its jobs ended as %v, want %v", ended, want)
}
