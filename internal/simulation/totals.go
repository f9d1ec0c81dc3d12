package simulation

import "time"

// Totals are a run's figures. Counts are in jobs, requests, attempts.
type Totals struct {
	// Arrived is how many jobs clients had; Asked how many requests they made
	// for them; GaveUp how many they gave up. Away are those whose clients are
	// waiting to ask again at the end.
	Arrived, Asked, GaveUp, Away int
	// Accepted jobs are Done, Dead or Unfinished, or Replaced one that waited.
	// Rests are those that degraded jobs left, besides.
	Accepted, Replaced, Rests, Done, Dead, Unfinished int
	// Degraded and Spilled tell in which form jobs were accepted; Spilled counts
	// rests as well.
	Degraded, Spilled int
	// Refused is how many requests were, and why.
	Refused int
	Reasons map[string]int

	// Attempts is how many runs there were; Failed of them did.
	Attempts, Failed int
	// Duplicates are messages whose job was finished already, Early those whose
	// job was running or waiting.
	Duplicates, Early int
	// Repeated is how many runs did what another one did, and RepeatedTime how
	// long they took, in worker-seconds.
	Repeated     int
	RepeatedTime float64
	// Crashes is how many processes died, ColdStarts how many had to be made.
	Crashes, ColdStarts int

	// BusyTime is how long workers had a job in hand, WorkerTime how long there
	// were any, IdleTime how long they had none while messages were visible: in
	// worker-seconds.
	BusyTime, WorkerTime, IdleTime float64

	// PeakDepth is the largest number of jobs that a worker could have taken,
	// and PeakAt when it was. Cleared is when there was none again after it; zero
	// where there always was one.
	PeakDepth       int
	PeakAt, Cleared time.Duration
	// PeakAge is the longest that a message was visible, PeakSpilled the most
	// jobs that lay in the table.
	PeakAge     time.Duration
	PeakSpilled int
	// Changes is how often the number of workers was changed, Turns how often up
	// came after down or down after up.
	Changes, Turns int
	last           int

	// Wait is from a job's acceptance to its first attempt, Ready to its end as
	// done. Rests are not counted: nobody waits for them.
	Wait, Ready Spread
}

// A Spread is how a time is distributed. Its quantiles are right to 3 %.
type Spread struct {
	Mean, P50, P95, P99, Most time.Duration
}

func (h *histogram) spread() Spread {
	return Spread{Mean: h.mean(), P50: h.quantile(0.5), P95: h.quantile(0.95), P99: h.quantile(0.99), Most: h.most}
}

func (t *Totals) refuse(reason string) {
	t.Refused++
	if t.Reasons == nil {
		t.Reasons = map[string]int{}
	}
	t.Reasons[reason]++
}

// waiting takes note of how many messages are visible.
func (t *Totals) waiting(n int, now time.Duration) {
	if n > t.PeakDepth {
		t.PeakDepth, t.PeakAt, t.Cleared = n, now, 0
	}
}

// empty takes note that none is.
func (t *Totals) empty(now time.Duration) {
	if t.Cleared == 0 && t.PeakDepth > 0 {
		t.Cleared = now
	}
}

// turn takes note that the number of workers was changed by so many.
func (t *Totals) turn(by int) {
	t.Changes++
	if t.last != 0 && (t.last > 0) != (by > 0) {
		t.Turns++
	}
	t.last = by
}

// times gives the totals of a run in which each job stood for so many.
func (t Totals) times(scale int) Totals {
	for _, n := range []*int{
		&t.Arrived, &t.Asked, &t.GaveUp, &t.Away, &t.Accepted, &t.Replaced, &t.Rests, &t.Done, &t.Dead, &t.Unfinished, &t.Degraded, &t.Spilled,
		&t.Refused, &t.Attempts, &t.Failed, &t.Duplicates, &t.Early, &t.Repeated, &t.Crashes, &t.ColdStarts, &t.PeakDepth, &t.PeakSpilled,
	} {
		*n *= scale
	}
	for _, seconds := range []*float64{&t.RepeatedTime, &t.BusyTime, &t.WorkerTime, &t.IdleTime} {
		*seconds *= float64(scale)
	}
	reasons := make(map[string]int, len(t.Reasons))
	for reason, n := range t.Reasons {
		reasons[reason] = n * scale
	}
	t.Reasons = reasons
	return t
}

// Utilisation is the share of the workers' time that they had work.
func (t Totals) Utilisation() float64 {
	if t.WorkerTime == 0 {
		return 0
	}
	return t.BusyTime / t.WorkerTime
}

// DoneTwice is the share of the workers' work that another had done already.
func (t Totals) DoneTwice() float64 {
	if t.BusyTime == 0 {
		return 0
	}
	return t.RepeatedTime / t.BusyTime
}
