package main

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A promise is what an overloaded queue holds, and whether it did.
type promise struct {
	what, got string
	kept      bool
	// onAnyMachine tells that it does not hang on how fast the machine is.
	onAnyMachine bool
}

const (
	// nearly is how much of the drain rate may be missing, or be too much.
	nearly = 0.05
	// warm is how long the stack may take until all workers are busy and its memory
	// is what it stays at.
	warm = 8 * time.Second
	// flat is how much more memory a process may have in the last third of the load than
	// in the first: a Go program of 20 MB takes some more until its collector has found
	// its pace.
	flat = 0.2
	// toQueue is how long a job takes from its row to the local queue.
	toQueue = time.Second
	// many are so many who are told at random one of two whole seconds at least that they
	// are not all told the same: 2 to the power of 63 to one.
	many = 64
	// others are the processes that are neither workers nor front: the stack itself,
	// relay and sweep, and what is just being replaced.
	others = 10
)

// judge holds a run to what is promised.
func (o *outcome) judge() []promise {
	all := []promise{o.answered(), o.told(), o.lost(), o.twice(), o.flat()}
	if o.config.relayStops { // workers that are given nothing have nothing to do
		return append(all, o.noticed())
	}
	return append(all, o.busy(), o.waited())
}

// answered: every request was accepted or refused, and some were refused.
func (o *outcome) answered() promise {
	other := ""
	for _, a := range o.answers {
		if a.err != nil {
			other = "; among others " + a.err.Error()
		}
	}
	accepted, refused := o.count(http.StatusAccepted), o.count(http.StatusServiceUnavailable)
	return promise{
		"each request is accepted or refused", fmt.Sprintf("%d asked, %d accepted, %d refused%s", len(o.answers), accepted, refused, other),
		accepted+refused == len(o.answers) && other == "", true,
	}
}

// told: who was refused was told when to come back, and not all the same.
func (o *outcome) told() promise {
	var told []time.Duration
	for _, a := range o.answers {
		if a.status == http.StatusServiceUnavailable {
			told = append(told, a.retryAfter)
		}
	}
	slices.Sort(told)
	const what = "who is refused is told when to come back, not all the same"
	if len(told) == 0 {
		return promise{what, "nobody was refused", o.plan.Queue.Full == job.Spill, true}
	}
	least, most := told[0], told[len(told)-1]
	return promise{
		what, fmt.Sprintf("Retry-After from %v to %v, %v in the middle", least, most, told[len(told)/2]),
		least >= time.Second && (most > least || len(told) < many), true,
	}
}

// lost: every accepted job is done.
func (o *outcome) lost() promise {
	missing := accepted(o.answers)
	states := map[lifecycle.State]int{}
	for _, j := range o.jobs {
		if missing[j.ID] {
			states[j.State]++
		}
		if j.State == lifecycle.Done {
			delete(missing, j.ID)
		}
	}
	got := fmt.Sprintf("%d accepted, %d not done", o.count(http.StatusAccepted), len(missing))
	if o.left != "" {
		got += "; " + o.left
	}
	return promise{"no accepted job is lost", got, len(missing) == 0, true}
}

// twice: no job was done twice, and none that was refused was done.
func (o *outcome) twice() promise {
	more, unasked := 0, 0
	known := accepted(o.answers)
	for _, j := range o.jobs {
		if j.effects > 1 || j.effects == 0 && j.State == lifecycle.Done {
			more++
		}
		if !known[j.ID] {
			unasked++
		}
	}
	return promise{
		"no job is done twice, and no refused one at all", fmt.Sprintf("%d not done once, %d that nobody was told of", more, unasked),
		more == 0 && unasked == 0, true,
	}
}

// busy: while there was too much, jobs were finished at the drain rate, or faster
// where they were degraded.
func (o *outcome) busy() promise {
	from, to := o.began.Add(o.full()), o.ended
	finished := 0
	for _, j := range o.jobs {
		if j.Finished.After(from) && !j.Finished.After(to) {
			finished++
		}
	}
	rate, drain := float64(finished)/to.Sub(from).Seconds(), float64(o.plan.DrainRate)
	kept := math.Abs(rate/drain-1) <= nearly
	if o.plan.Queue.Full == job.Degrade {
		kept = rate >= drain*(1-nearly)
	}
	return promise{"the workers do no less than without the overload", fmt.Sprintf("%.1f jobs a second, of %.0f, in the %v from the first refusal on", rate, drain, to.Sub(from).Round(time.Second)), kept, false}
}

// full is when the queue was first full, and every worker busy.
func (o *outcome) full() time.Duration {
	for _, a := range o.answers {
		if a.status == http.StatusServiceUnavailable {
			return max(a.at, warm)
		}
	}
	return warm
}

// waited: nobody whose job was not spilled waited for longer than he may, and for what
// gates may let in without knowing of one another.
func (o *outcome) waited() promise {
	waits := o.waits()
	bound := o.plan.Queue.LongestWait + o.unknown()
	return promise{
		fmt.Sprintf("who is accepted waits no longer than %v + %v: the longest wait, and what gates do not know of one another", o.plan.Queue.LongestWait, o.unknown()),
		fmt.Sprintf("%v at most, %v in the middle", short(quantile(waits, 1)), short(quantile(waits, 0.5))),
		quantile(waits, 1) <= bound, false,
	}
}

// unknown is how long the jobs take by which a limit may be exceeded (package
// admission): those that are asked for between two readings, and while one is on its
// way to the queue.
func (o *outcome) unknown() time.Duration {
	if o.plan.Queue.Hard {
		return 0
	}
	seconds := o.offered / float64(o.plan.DrainRate) * (admission.DefaultRefresh + toQueue).Seconds()
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

// waits are how long the jobs waited that were not spilled, in order.
func (o *outcome) waits() (all []time.Duration) {
	for _, j := range o.jobs {
		if !j.Started.IsZero() && !o.spilled[j.ID] {
			all = append(all, j.Started.Sub(j.Created))
		}
	}
	slices.Sort(all)
	return all
}

// flat: a process of the stack has as much memory in the last third of the load as in
// the first, and there are no more processes than workers and requests in the air.
func (o *outcome) flat() promise {
	from, third := o.began.Add(warm), (o.ended.Sub(o.began)-warm)/3
	before, _ := o.memory(from, from.Add(third))
	after, processes := o.memory(o.ended.Add(-third), o.ended)
	return promise{
		"memory is flat", fmt.Sprintf("%.1f MB a process, then %.1f MB; %d processes at most", before/1e6, after/1e6, processes),
		before > 0 && after <= before*(1+flat) && processes <= o.plan.Workers+inTheAir+others, false,
	}
}

// memory is the average of a process between two times, and the most processes; zero
// where it was not seen.
func (o *outcome) memory(from, to time.Time) (each float64, most int) {
	sum, n := 0.0, 0
	for _, s := range o.samples {
		if s.processes > 0 && s.at.After(from) && !s.at.After(to) {
			sum, n, most = sum+float64(s.bytes)/float64(s.processes), n+1, max(most, s.processes)
		}
	}
	if n == 0 {
		return 0, 0
	}
	return sum / float64(n), most
}

// deepest is the most jobs that were in the queue at once, from the rows: those that
// were accepted and had not ended.
func (o *outcome) deepest() int {
	type change struct {
		at time.Time
		by int
	}
	var changes []change
	for _, j := range o.jobs {
		changes = append(changes, change{j.Created, 1}, change{j.Finished, -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return a.at.Compare(b.at) })
	depth, most := 0, 0
	for _, c := range changes {
		depth += c.by
		most = max(most, depth)
	}
	return most
}

// quantile gives the value below which a share of an ascending list lies.
func quantile(list []time.Duration, share float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return list[min(len(list)-1, int(share*float64(len(list))))]
}
