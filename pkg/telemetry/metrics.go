package telemetry

// Namespace is where the metrics are unless a configuration says otherwise.
const Namespace = "Nightshift"

// Names of the dimensions. A metric has one of them.
const (
	// ByQueue is the name of the queue as it was declared (job.Queue.Name).
	ByQueue = "Queue"
	// ByFunction is the part of the toolkit: Relay, Sweep or Schedules.
	ByFunction = "Function"
)

// Values of the dimension ByFunction.
const (
	Relay     = "relay"
	Sweep     = "sweep"
	Schedules = "schedules"
)

// What workers measure, by queue.
var (
	// QueueWait is how long a job that could run waited until a worker began with it:
	// from the time that it was to be published, or was due, to its claim.
	QueueWait = Metric{Name: "QueueWait", Unit: Milliseconds, By: ByQueue}
	// ServiceTime is how long a run took, from its claim until its handler returned.
	ServiceTime = Metric{Name: "ServiceTime", Unit: Milliseconds, By: ByQueue}
	// Attempts is the number of the attempt in which a job came to its end.
	Attempts = Metric{Name: "Attempts", Unit: Count, By: ByQueue}
	// Done counts jobs that ended well, Dead those that ended for good and badly, Cancelled
	// those that were called off or discarded.
	Done      = Metric{Name: "Done", Unit: Count, Kind: Counter, By: ByQueue}
	Dead      = Metric{Name: "Dead", Unit: Count, Kind: Counter, By: ByQueue}
	Cancelled = Metric{Name: "Cancelled", Unit: Count, Kind: Counter, By: ByQueue}
	// Retried counts runs that failed and are to be tried again; Snoozed those after which a
	// job goes on without having failed (Snooze, Continue, a run that was given back).
	Retried = Metric{Name: "Retried", Unit: Count, Kind: Counter, By: ByQueue}
	Snoozed = Metric{Name: "Snoozed", Unit: Count, Kind: Counter, By: ByQueue}
)

// What gates before queues measure, by queue.
var (
	// Accepted counts requests for jobs that were let in, in whatever form; Refused those
	// that were not. Degraded and Spilled are those of Accepted that were let in so.
	Accepted = Metric{Name: "Accepted", Unit: Count, Kind: Counter, By: ByQueue}
	Refused  = Metric{Name: "Refused", Unit: Count, Kind: Counter, By: ByQueue}
	Degraded = Metric{Name: "Degraded", Unit: Count, Kind: Counter, By: ByQueue}
	Spilled  = Metric{Name: "Spilled", Unit: Count, Kind: Counter, By: ByQueue}
	// Depth is how many jobs waited when the gate looked; Age how long the oldest had, in
	// seconds.
	Depth = Metric{Name: "Depth", Unit: Count, Kind: Gauge, By: ByQueue}
	Age   = Metric{Name: "Age", Unit: Seconds, Kind: Gauge, By: ByQueue}
	// Released counts spilled jobs that the sweep let into their queue, SpillDepth is how
	// many were left to it when it looked, also while they are held back.
	Released   = Metric{Name: "Released", Unit: Count, Kind: Counter, By: ByQueue}
	SpillDepth = Metric{Name: "SpillDepth", Unit: Count, Kind: Gauge, By: ByQueue}
)

// What the relay, the sweep and the scheduler measure, each for itself (ByFunction).
var (
	// RelayLag is the time from when a row was to be published until its queue or topic
	// had taken the message.
	RelayLag = Metric{Name: "RelayLag", Unit: Milliseconds, By: ByFunction}
	// Published counts messages that queues and topics took; SetAside rows that were put
	// off, or given up, because theirs did not.
	Published = Metric{Name: "Published", Unit: Count, Kind: Counter, By: ByFunction}
	SetAside  = Metric{Name: "SetAside", Unit: Count, Kind: Counter, By: ByFunction}
	// SweepLag is how long after its time a scheduled job was queued.
	SweepLag = Metric{Name: "SweepLag", Unit: Milliseconds, By: ByFunction}
	// OccurrenceMissed counts occurrences of periodic jobs that were passed over, or
	// enqueued only by catching up.
	OccurrenceMissed = Metric{Name: "OccurrenceMissed", Unit: Count, Kind: Counter, By: ByFunction}
)

// All gives the toolkit's own metrics, for whoever draws or checks all of them.
func All() []Metric {
	return []Metric{
		QueueWait, ServiceTime, Attempts, Done, Dead, Cancelled, Retried, Snoozed,
		Accepted, Refused, Degraded, Spilled, Depth, Age, Released, SpillDepth,
		RelayLag, Published, SetAside, SweepLag, OccurrenceMissed,
	}
}
