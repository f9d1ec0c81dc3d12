package constructs

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// When a queue's alarms on pressure fire.
const (
	// refusedMinutes is how long requests have to be refused: longer than a burst.
	refusedMinutes = 5
	// busyPeriod is what utilisation is reckoned over, leastBusy how long it has to
	// be too high at least.
	busyPeriod = 5 * time.Minute
	leastBusy  = 30 * time.Minute
	// heldFor is how long spilled jobs may wait without becoming fewer.
	heldFor = 30 * time.Minute
	// mostWatched is the longest that CloudWatch evaluates such an alarm over.
	// https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
	mostWatched = 24 * time.Hour
)

// utilisationAlarm watches for workers that are busier than they are to be. A backlog
// keeps them wholly busy while it is worked off, which takes as long as a job may wait:
// what lasts longer is more than was declared.
func utilisationAlarm(q QueueParts) {
	most, lasts := 100*q.Plan.UtilisationAlarm, busyFor(q.Plan)
	newAlarm(q.scope, "UtilisationAlarm", alarm{
		says: fmt.Sprintf("The %d workers of %s have been busier than %.4g %% for %v: more arrives, or jobs take longer, than is declared.",
			q.Plan.Workers, q.Plan.Queue.Name, most, lasts), runbook: utilisation,
		metric: q.utilisation(busyPeriod),
		above:  most, periods: int(lasts / busyPeriod), actions: q.actions,
	})
}

// busyFor is how long workers may be so busy: a multiple of busyPeriod.
func busyFor(plan sizing.Plan) time.Duration {
	wait := (plan.Queue.LongestWait + busyPeriod - 1) / busyPeriod * busyPeriod
	return min(max(wait, leastBusy), mostWatched)
}

// refusalsAlarm watches for a queue that turns work away for longer than a burst.
// There is one, however many functions have a gate before the queue.
func refusalsAlarm(q QueueParts) {
	const id = "RefusalsAlarm"
	if q.scope.Node().TryFindChild(jsii.String(id)) != nil {
		return
	}
	newAlarm(q.scope, id, alarm{
		says: fmt.Sprintf("More than %d requests a minute for %s are refused.", q.Plan.RefusalsAlarm, q.Plan.Queue.Name), runbook: refusals,
		metric: q.figure(telemetry.Refused, "Sum"), above: float64(q.Plan.RefusalsAlarm), periods: refusedMinutes, actions: q.actions,
	})
}

// spillAlarm watches for spilled jobs that do not become fewer. Only queues that spill
// have one, and those whose degraded jobs leave something for later.
func spillAlarm(q QueueParts) {
	if q.Plan.Queue.Full != job.Spill && q.Plan.Queue.Full != job.Degrade {
		return
	}
	newAlarm(q.scope, "SpillAlarm", alarm{
		says: fmt.Sprintf("Jobs of %s that were spilled have not become fewer for %v.", q.Plan.Queue.Name, heldFor), runbook: spill,
		metric: formula("held, jobs", "IF(DIFF(waiting) >= 0, waiting, 0)", busyPeriod,
			map[string]awscloudwatch.IMetric{"waiting": q.figure(telemetry.SpillDepth, "Maximum")}),
		above: 0, periods: int(heldFor / busyPeriod), actions: q.actions,
	})
}
