package constructs

// Runbooks is where the pages are that say what to do when an alarm fires: the
// description of each alarm ends with the address of its own.
const Runbooks = "https://github.com/nightshift-go/nightshift/blob/main/docs/runbooks/"

// A runbook is a page below Runbooks, for every alarm of one kind.
type runbook string

const (
	queueAge          runbook = "queue-age"
	refusals          runbook = "refusals"
	utilisation       runbook = "utilisation"
	spill             runbook = "spill"
	deadLetters       runbook = "dead-letters"
	undelivered       runbook = "undelivered"
	relayLag          runbook = "relay-lag"
	relayDiscarded    runbook = "relay-discarded"
	sweepStopped      runbook = "sweep-stopped"
	sweepLag          runbook = "sweep-lag"
	scalingStopped    runbook = "scaling-stopped"
	schedulesStopped  runbook = "schedules-stopped"
	scheduleMissed    runbook = "schedule-missed"
	functionErrors    runbook = "function-errors"
	functionThrottles runbook = "function-throttles"
	functionDuration  runbook = "function-duration"
	apiErrors         runbook = "api-errors"
	apiLatency        runbook = "api-latency"
)

func (r runbook) link() string { return "Runbook: " + Runbooks + string(r) + ".md" }
