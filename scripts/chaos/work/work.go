// Package work declares what the chaos runs: queues, tasks, and what their jobs
// leave behind. The functions and the program that judges them share it.
package work

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Names of the variables that hold the name of the table of effects, tell a worker to
// poll where they are not empty, and name the folder in which the jobs of a crowd note
// that they have begun.
const (
	Effects = "CHAOS_EFFECTS"
	Poll    = "CHAOS_POLL"
	Begun   = "CHAOS_BEGUN"
)

// Attributes of the table of effects. Each job has a row, in which Count is raised
// by one in the transaction that ends the job, and Steps by one in the transaction
// of each run that had an effect. Each group of the FIFO queue has a row whose Order lists the jobs
// that ended, as they ended.
const (
	Key   = "pk"
	Count = "count"
	Steps = "steps"
	Order = "order"
)

// GroupKey is the key of a group's row in the table of effects.
func GroupKey(group string) string { return "group#" + group }

// LongestWait is after what time the sweep asks whether a message is lost.
const LongestWait = 10 * time.Second

// Quick, Slow and Ordered are the queues.
var (
	Quick = job.Queue{
		Name: "quick", PeakArrivals: job.PerSecond(200), ServiceTime: 100 * time.Millisecond,
		LongestWait: LongestWait, Batch: 10,
	}
	Slow = job.Queue{
		Name: "slow", PeakArrivals: job.PerSecond(20), ServiceTime: time.Second,
		LongestWait: LongestWait, Batch: 4,
	}
	Ordered = job.Queue{
		Name: "ordered", PeakArrivals: job.PerSecond(20), ServiceTime: 100 * time.Millisecond,
		LongestWait: LongestWait, Batch: 10, FIFO: true,
	}
)

// Arguments are what every task takes.
type Arguments struct {
	// Seq is the job's place in its group, from 1.
	Seq int `json:"seq,omitempty"`
	// Fails is how many attempts fail first.
	Fails int `json:"fails,omitempty"`
	// Steps is how many runs the job asks for by Continue before the last.
	Steps int `json:"steps,omitempty"`
	// Wait is how long a job takes, and until when after its creation a snoozing
	// one is not ready; in milliseconds.
	Wait int `json:"wait,omitempty"`
	// Crowd is how many jobs are to be at work at once, this one among them: its
	// first run goes on only when all have begun, and one that takes nothing with it
	// stays until its process ends. Later runs are like any others.
	Crowd int `json:"crowd,omitempty"`
	// How says how a job takes its process with it: "exit", "kill" or "memory".
	How string `json:"how,omitempty"`
}

// A Result is what tasks with a result give: the sum of a fixed number and Seq.
type Result struct {
	Sum int `json:"sum"`
}

// Base is the fixed number.
const Base = 1000

// patient is the policy of jobs that are to succeed whatever happens to them.
func patient(q job.Queue) job.Policy {
	return job.Policy{
		Queue: q, MaxAttempts: 100, Timeout: 2 * time.Second,
		Backoff: backoff.Policy{Base: time.Second, Floor: 500 * time.Millisecond, Cap: 2 * time.Second},
	}
}

// dying is the policy of jobs that take their process with them.
func dying(attempts int) job.Policy {
	p := patient(Quick)
	p.MaxAttempts = attempts
	return p
}

// The tasks.
var (
	Pass   = job.Define[Arguments]("chaos.pass", patient(Quick))
	Flaky  = job.Define[Arguments]("chaos.flaky", patient(Quick))
	Snooze = job.Define[Arguments]("chaos.snooze", patient(Quick))
	Walk   = job.Define[Arguments]("chaos.walk", patient(Quick))
	Sum    = job.DefineResult[Arguments, Result]("chaos.sum", patient(Quick))
	Long   = job.Define[Arguments]("chaos.long", patient(Slow))
	Line   = job.Define[Arguments]("chaos.line", patient(Ordered))
	// Fatal never succeeds, and says so.
	Fatal = job.Define[Arguments]("chaos.fatal", patient(Quick))
	// Die takes its process with it; DieTwice may do so once more.
	Die      = job.Define[Arguments]("chaos.die", dying(1))
	DieTwice = job.Define[Arguments]("chaos.die.twice", dying(2))
)

// Reason and Code are of the failure of Fatal jobs.
const (
	Reason = "this job is poison"
	Code   = "poison"
)

// Tasks lists all tasks.
func Tasks() []job.Defined {
	return []job.Defined{Pass, Flaky, Snooze, Walk, Sum, Long, Line, Fatal, Die, DieTwice}
}

// Queues lists all queues.
func Queues() []job.Queue { return []job.Queue{Quick, Slow, Ordered} }
