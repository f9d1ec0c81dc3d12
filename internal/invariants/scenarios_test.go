package invariants

import (
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// States that jobs of the scenarios end in.
var (
	done      = []lifecycle.State{lifecycle.Done}
	dead      = []lifecycle.State{lifecycle.Dead}
	cancelled = []lifecycle.State{lifecycle.Cancelled}
	either    = []lifecycle.State{lifecycle.Done, lifecycle.Cancelled}
)

type ends = map[string][]lifecycle.State

// core is the path that every job goes: enqueue, relay, claim, run, complete.
var core = scenario{
	name:  "run",
	steps: []step{enqueue(0, "a", write, []string{"ok"})},
	ends:  ends{"a": done},
}

// scenarios are all stories.
func scenarios() []scenario {
	return slices.Concat([]scenario{core}, runs(), mishaps(), clients(), deadLetters(), others(), happenings(), consequences(), replans(), gauges(), pressures(), limits(), loans())
}

// runs are about what handlers do.
func runs() []scenario {
	return []scenario{
		{
			name:  "batch",
			steps: []step{enqueue(0, "a", write, []string{"ok"}), enqueue(0, "b", write, []string{"quick"}), enqueue(0, "c", write, []string{"ok"})},
			ends:  ends{"a": done, "b": done, "c": done},
		},
		{
			name:  "retry",
			steps: []step{enqueue(0, "a", write, []string{"fail", "panic", "ok"})},
			ends:  ends{"a": done},
		},
		{
			name:  "retry later",
			steps: []step{enqueue(0, "a", write, []string{"later", "ok"}), move(10*time.Second, "a", 90*time.Second)},
			ends:  ends{"a": done},
		},
		{
			name:  "snooze",
			steps: []step{enqueue(0, "a", write, []string{"snooze", "nap", "ok"}), move(40*time.Second, "a", 2*time.Minute)},
			ends:  ends{"a": done},
		},
		{
			name:  "dead letter",
			steps: []step{enqueue(0, "a", write, []string{"permanent"}), enqueue(0, "b", write, []string{"fail"})},
			ends:  ends{"a": dead, "b": dead},
		},
		{
			name: "redrive",
			steps: []step{
				enqueue(0, "a", write, []string{"mortal"}),
				when(sendBack(time.Minute, theLetters, theNotes), "a", isDead),
			},
			ends: ends{"a": done},
		},
		{
			name:  "continue",
			steps: []step{enqueue(0, "a", write, []string{"continue", "continue", "ok"})},
			ends:  ends{"a": done},
		},
		{
			name: "schedule",
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}, job.In(17*time.Minute)),
				enqueue(0, "b", write, []string{"ok"}, job.In(2*time.Minute)),
				move(10*time.Second, "a", 3*time.Minute),
			},
			ends: ends{"a": done, "b": done},
		},
		{
			name: "cancel",
			steps: []step{
				enqueue(0, "a", write, []string{"fail"}, job.In(2*time.Minute)),
				enqueue(0, "b", write, []string{"ok fail"}),
				remove(5*time.Second, "a"), remove(5*time.Second, "b"),
			},
			ends: ends{"a": cancelled, "b": {lifecycle.Cancelled, lifecycle.Dead}},
		},
		{
			name:  "discard",
			steps: []step{enqueue(0, "a", write, []string{"discard"})},
			ends:  ends{"a": cancelled},
		},
		{
			name:  "progress",
			steps: []step{enqueue(0, "a", write, []string{"progress ok progress"})},
			ends:  ends{"a": done},
		},
		{
			name:  "commit",
			steps: []step{enqueue(0, "a", write, []string{"commit"}), enqueue(0, "b", write, []string{"commit-continue", "commit"})},
			ends:  ends{"a": done, "b": done},
		},
		{
			name:  "killer",
			steps: []step{enqueue(0, "a", write, []string{"ok die"}), enqueue(0, "b", write, []string{"ok"}), enqueue(0, "c", write, []string{"quick"})},
			ends:  ends{"a": dead, "b": done, "c": done},
		},
	}
}

func theLetters(w *world) *simulatedQueue { return w.letters }
func theNotes(w *world) *simulatedQueue   { return w.notes }
