// Package work declares what the overload runs: queues that are alike but for what
// becomes of work when they are full, and a task for each.
package work

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Effects names the variable that holds the name of the table of effects. Each job has
// a row there, in which Count is raised by one in the transaction that ends the job.
const (
	Effects = "OVERLOAD_EFFECTS"
	Key     = "pk"
	Count   = "count"
)

// Service is how long a job takes: it sleeps, so that the drain rate is known and no
// processor is what binds. A degraded job takes half of it.
const Service = 2 * time.Second

// Refuse, Hard, Degrade and Spill are the queues: 40 workers each, who finish 20 jobs a
// second. Hard refuses as well, and its limit is exact. A spill is released once a
// minute, and keeps the workers busy for so long if the queue may hold a minute's work.
var (
	Refuse  = like("refuse", job.Refuse, 15*time.Second)
	Hard    = exact(like("hard", job.Refuse, 15*time.Second))
	Degrade = like("degrade", job.Degrade, 15*time.Second)
	Spill   = like("spill", job.Spill, time.Minute)
)

func like(name string, full job.Full, wait time.Duration) job.Queue {
	return job.Queue{
		Name: name, PeakArrivals: job.PerSecond(14), ServiceTime: Service, LongestWait: wait, Full: full,
	}
}

func exact(q job.Queue) job.Queue {
	q.Hard = true
	return q
}

// Arguments are what every task takes.
type Arguments struct {
	// Number is the request's.
	Number int `json:"number"`
}

// One task for each queue.
var (
	ToRefuse  = task(Refuse)
	ToHard    = task(Hard)
	ToDegrade = task(Degrade)
	ToSpill   = task(Spill)
)

func task(q job.Queue) job.Task[Arguments] {
	return job.Define[Arguments]("overload."+q.Name, job.Policy{Queue: q, Timeout: 10 * time.Second, Public: true})
}

// Tasks are all of them, Queues theirs.
func Tasks() []job.Defined { return []job.Defined{ToRefuse, ToHard, ToDegrade, ToSpill} }

// Queues are the tasks' queues.
func Queues() []job.Queue { return []job.Queue{Refuse, Hard, Degrade, Spill} }
