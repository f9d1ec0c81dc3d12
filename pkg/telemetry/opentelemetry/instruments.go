package opentelemetry

import (
	"strings"
	"unicode"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// An instrument is what a metric is called in OpenTelemetry.
type instrument struct {
	name, unit, description string
	// messaging: the conventions want the system and the operation of it.
	operation string
}

// instruments are the toolkit's metrics, by their names. Times are seconds here.
var instruments = map[string]instrument{
	telemetry.ServiceTime.Name: {"messaging.process.duration", "s", "Duration of processing operation.", "process"},
	telemetry.Published.Name:   {"messaging.client.sent.messages", "{message}", "Number of messages producer attempted to send to the broker.", "send"},

	telemetry.QueueWait.Name:        {"nightshift.job.wait", "s", "Time from when a job could run until a worker began with it.", ""},
	telemetry.Attempts.Name:         {"nightshift.job.attempts", "{attempt}", "Attempts of jobs that came to their end.", ""},
	telemetry.Done.Name:             {"nightshift.job.done", "{job}", "Jobs that ended well.", ""},
	telemetry.Dead.Name:             {"nightshift.job.dead", "{job}", "Jobs that failed for good.", ""},
	telemetry.Cancelled.Name:        {"nightshift.job.cancelled", "{job}", "Jobs that were called off or discarded.", ""},
	telemetry.Retried.Name:          {"nightshift.job.retried", "{attempt}", "Attempts that failed and are to be followed by another.", ""},
	telemetry.Snoozed.Name:          {"nightshift.job.snoozed", "{attempt}", "Runs after which a job goes on later without having failed.", ""},
	telemetry.Accepted.Name:         {"nightshift.admission.accepted", "{job}", "Requests for jobs that were let in.", ""},
	telemetry.Refused.Name:          {"nightshift.admission.refused", "{job}", "Requests for jobs that were not let in.", ""},
	telemetry.Degraded.Name:         {"nightshift.admission.degraded", "{job}", "Jobs that were let in to do less.", ""},
	telemetry.Spilled.Name:          {"nightshift.admission.spilled", "{job}", "Jobs that were let in to wait in the table.", ""},
	telemetry.Depth.Name:            {"nightshift.queue.depth", "{job}", "Jobs that wait.", ""},
	telemetry.Age.Name:              {"nightshift.queue.age", "s", "How long the oldest job has waited.", ""},
	telemetry.Released.Name:         {"nightshift.queue.released", "{job}", "Spilled jobs that were let into their queue.", ""},
	telemetry.SpillDepth.Name:       {"nightshift.queue.spilled", "{job}", "Spilled jobs that are left.", ""},
	telemetry.RelayLag.Name:         {"nightshift.relay.lag", "s", "Time from when a row was to be published until it was.", ""},
	telemetry.SetAside.Name:         {"nightshift.relay.set_aside", "{message}", "Rows that could not be published.", ""},
	telemetry.SweepLag.Name:         {"nightshift.sweep.lag", "s", "How long after its time a scheduled job was queued.", ""},
	telemetry.OccurrenceMissed.Name: {"nightshift.schedule.missed", "{occurrence}", "Occurrences of periodic jobs that were passed over or came late.", ""},
}

// seconds are the bounds of histograms of times: those that the conventions advise for
// messaging.process.duration, and longer ones, since jobs may take minutes and wait for hours.
var seconds = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 300, 900, 3600, 14400, 86400}

// instrumentOf gives a metric's instrument; a program's own keep their name, in
// OpenTelemetry's way of writing.
func instrumentOf(m telemetry.Metric) instrument {
	if known, ok := instruments[m.Name]; ok {
		return known
	}
	units := map[telemetry.Unit]string{
		telemetry.Seconds: "s", telemetry.Milliseconds: "s", telemetry.Bytes: "By", telemetry.Percent: "%",
	}
	return instrument{name: snake(m.Name), unit: units[m.Unit]}
}

// scale turns a metric's values into the instrument's.
func scale(m telemetry.Metric) float64 {
	if m.Unit == telemetry.Milliseconds {
		return 1e-3
	}
	return 1
}

// snake writes PixelsDrawn as pixels_drawn.
func snake(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case unicode.IsUpper(r) && lower:
			b.WriteByte('_')
		case r == ' ' || r == '/':
			r = '_'
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
