package lifecycle

// A Transition is one edge of the state machine.
type Transition struct {
	From, To State
	// Why says who makes it and when.
	Why string
}

// Transitions lists every edge that exists. A write that changes a job in any
// other way is a fault.
func Transitions() []Transition {
	return []Transition{
		{None, Queued, "a producer enqueues, or the end of the job or the batch before"},
		{None, Scheduled, "the same, for later"},
		{None, Running, "a worker begins a job that has no row yet: an event's, for a subscriber"},
		{Scheduled, Queued, "the sweep finds it due, or releases it where it was spilled"},
		{Scheduled, Scheduled, "it is moved to another time, or replaced by a newer one of the same key"},
		{Scheduled, Cancelled, "it is cancelled"},
		{Queued, Running, "a worker claims it"},
		{Queued, Queued, "it is published again, or replaced by a newer one of the same key"},
		{Queued, Scheduled, "it is parked"},
		{Queued, Cancelled, "it is cancelled"},
		{Queued, Dead, "the queue refuses its message"},
		{Running, Running, "heartbeat, progress, a request to cancel, or a claim after the lease has ended"},
		{Running, Done, "the handler succeeded"},
		{Running, Queued, "retry, continue or snooze soon; or the healer found its message gone"},
		{Running, Scheduled, "retry or snooze later"},
		{Running, Dead, "a permanent failure, or no attempt left"},
		{Running, Cancelled, "a cancellation was asked for, or the handler discarded it"},
		{Dead, Queued, "it is redriven"},
		{Done, Done, "its place in a count is given back"},
		{Dead, Dead, "its letter is out, or its place in a count is given back"},
		{Cancelled, Cancelled, "its place in a count is given back"},
		{Done, None, "time to live"},
		{Dead, None, "time to live"},
		{Cancelled, None, "time to live"},
	}
}

// Legal tells whether the state machine has an edge between two states.
func Legal(from, to State) bool {
	for _, t := range Transitions() {
		if t.From == from && t.To == to {
			return true
		}
	}
	return false
}
