package main

import (
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A breach is a rule that a change broke.
type breach struct{ rule, text string }

// Rules that every change is held to.
const (
	ruleLegal  = "only transitions of the state machine"
	ruleLease  = "no lease is taken before its end"
	ruleCharge = "an attempt is spent by a death alone, and by no other"
	ruleAlone  = "who died with others runs alone"
	ruleCancel = "what is to be cancelled does not run again"
	ruleOrder  = "a group's jobs run in order"
	ruleEarly  = "no job runs before its time"
)

// aSecond is how coarse the stream's times are.
const aSecond = time.Second

// breaches gives what a change does that none may.
func breaches(c change) []breach {
	var found []breach
	add := func(rule, format string, args ...any) {
		found = append(found, breach{rule, fmt.Sprintf(format, args...)})
	}
	old, now := c.old, c.new
	if !lifecycle.Legal(old.State, now.State) {
		add(ruleLegal, "from %q to %q", old.State, now.State)
	}
	if old.State != lifecycle.Running {
		if now.State == lifecycle.Running && old.Suspect && !now.Alone {
			add(ruleAlone, "claimed with others after its worker had died")
		}
		if now.State == lifecycle.Running && old.NotBefore.Sub(c.at) > lifecycle.Tolerance+aSecond {
			add(ruleEarly, "claimed at %s, %s early", c.at.Format(time.TimeOnly), old.NotBefore.Sub(c.at))
		}
		return found
	}
	goesOn := !now.State.Final()
	takenOver := now.State == lifecycle.Running && now.Token != old.Token
	requeued := now.State == lifecycle.Queued && now.N != old.N
	if (takenOver || requeued) && c.at.Add(aSecond).Before(old.LeaseUntil.Add(lifecycle.LeaseMargin)) {
		add(ruleLease, "at %s; it ended at %s", c.at.Format(time.TimeOnly), old.LeaseUntil.Format(time.TimeOnly))
	}
	if takenOver {
		if spent := now.Attempt - old.Attempt; spent != charge(old.Alone) {
			add(ruleCharge, "a death spent %d attempts; alone: %v", spent, old.Alone)
		}
		if !now.Alone {
			add(ruleAlone, "taken over to run with others")
		}
	}
	if requeued {
		// The claim that follows counts one.
		if spent := now.Attempt + 1 - old.Attempt; spent != charge(old.Alone) {
			add(ruleCharge, "a death spent %d attempts; alone: %v", spent, old.Alone)
		}
	}
	if old.CancelRequested && goesOn && (takenOver || now.State != lifecycle.Running) {
		add(ruleCancel, "it went from running to %s", now.State)
	}
	return found
}

func charge(alone bool) int {
	if alone {
		return 1
	}
	return 0
}

// overtakes tells of a job that starts before an earlier one of its group has
// ended.
func (r *recorder) overtakes(c change) *breach {
	j := r.plan.byID[c.new.ID]
	if j == nil || j.Group == "" || c.new.State != lifecycle.Running || c.new.Token == c.old.Token {
		return nil
	}
	for _, earlier := range r.plan.groups[j.Group][:j.Arguments.Seq-1] {
		if state := r.rows[earlier.rowID()].State; !state.Final() {
			return &breach{ruleOrder, fmt.Sprintf("number %d of %s started while number %d was %s", j.Arguments.Seq, j.Group, earlier.Arguments.Seq, state)}
		}
	}
	return nil
}
