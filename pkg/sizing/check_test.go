package sizing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// What contradicts itself is refused, and the message says the way out.
func TestContradictionsHaveAWayOut(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*job.Queue)
		timeout time.Duration
		says    string
	}{
		{"more than a mapping", func(q *job.Queue) { q.PeakArrivals = 1000 }, 0, "1,000/s that take 3s each are 3,000 jobs in progress; with workers 70 % busy at most that needs 4290 concurrent invocations, and a mapping has at most 1000: split the work over 5 queues"},
		{"a batch longer than a function", func(q *job.Queue) { q.Batch, q.Bound = 10, 1 }, 2 * time.Minute, "lower Batch, raise Bound"},
		{"a wait shorter than a job", func(q *job.Queue) { q.LongestWait = time.Millisecond }, 0, "its limit is 0 jobs"},
		{"a limit below the jobs in hand", func(q *job.Queue) { q.LongestWait = 2 * time.Second }, 0, "its limit is 60 jobs and it has 90 workers, whose jobs in hand count: it would refuse its own peak; raise LongestWait from 2s to 6s at least"},
		{"a limit just below two service times", func(q *job.Queue) { q.LongestWait = 6*time.Second - 1 }, 0, "to 6s at least"},
		{"two service times and chance", func(q *job.Queue) { q.Utilisation, q.Rounding, q.LongestWait = 0.99, 1, time.Second }, 0, "to 13.337s at least"},
		{"a job longer than its timeout", func(q *job.Queue) {}, time.Second, "a job takes 3s on average and is cut off after 1s, so that most would never be done: look at ServiceTime, or raise the tasks' timeout"},
		{"a limit that retention does not reach", func(q *job.Queue) { q.LongestWait = 5 * 24 * time.Hour }, 0, "gone after 96h0m0s: a full queue would lose its oldest; shorten LongestWait to 95h54m0s"},
		{"everybody busy", func(q *job.Queue) { q.Utilisation = 1; q.Rounding = 1 }, 0, "60 workers are 100 % busy, and one job in a hundred waits ever longer"},
		{"a wait that chance exceeds", func(q *job.Queue) { q.Utilisation, q.Rounding, q.LongestWait = 0.99, 1, 6*time.Second }, 0, "by chance alone, while LongestWait is 6s: lower Utilisation to 0.95 (63 workers)"},
		{"most workers below the workers", func(q *job.Queue) { q.MostWorkers = 80 }, 0, "MostWorkers is 80 and the load takes 90 workers already"},
		{"most workers above a mapping", func(q *job.Queue) { q.MostWorkers = 1001 }, 0, "lower it to 1000"},
		{"most workers of polled ones", func(q *job.Queue) { q.Polled = true; q.MostWorkers = 100 }, 0, "leave MostWorkers out"},
		{"a spill limit without spill", func(q *job.Queue) { q.SpillLimit = 5 }, 0, "set Full, or leave SpillLimit out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := photos()
			c.change(&q)
			timeout := c.timeout
			if timeout == 0 {
				timeout = 50 * time.Second
			}
			if p, err := sizing.For(q, timeout); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\nwant %q\n%+v", err, c.says, p)
			}
		})
	}
}

// A slip of the declaration is named, and what follows from it is not.
func TestOneSlipIsOneMessage(t *testing.T) {
	q := photos()
	q.ServiceTime = 330 * time.Second // of 3.3
	if _, err := sizing.For(q, 50*time.Second); err == nil || strings.Contains(err.Error(), "9430") || strings.Count(err.Error(), "sizing:") != 1 {
		t.Error(err)
	}
}

// What the message advises is accepted.
func TestTheAdviceHelps(t *testing.T) {
	q := photos()
	q.Utilisation, q.Rounding, q.LongestWait = 0.95, 1, 6*time.Second
	if p := planned(t, q, 50*time.Second); p.Waiting().Percentile(sizing.WaitShare) > 6*time.Second {
		t.Errorf("%+v", p)
	}
	q = photos()
	q.LongestWait = 6 * time.Second
	if p := planned(t, q, 50*time.Second); p.Limit != 2*p.Workers {
		t.Errorf("%+v", p)
	}
	q.Utilisation, q.Rounding, q.LongestWait = 0.99, 1, 13_337*time.Millisecond
	planned(t, q, 50*time.Second)
	q = photos()
	q.LongestWait = 96*time.Hour - 6*time.Minute
	planned(t, q, 50*time.Second)
}

func TestRaisedWorkers(t *testing.T) {
	q := photos()
	q.MostWorkers = 135
	q.Batch, q.Bound = 10, 10
	p := planned(t, q, 50*time.Second)
	if p.MostConcurrency != 13 || p.MostWorkers != 130 || p.Workers != 90 {
		t.Errorf("%+v", p)
	}
}

func TestATaskThatIsAlwaysShed(t *testing.T) {
	q := photos()
	q.PeakArrivals, q.LongestWait = 0.2, 9*time.Second // two workers, six jobs
	for share, good := range map[float64]bool{0: true, 0.1: false, 0.17: true, 1: true} {
		shed := job.Define[struct{}]("shed", job.Policy{Queue: q, ShedAt: share})
		if _, err := sizing.ForTasks(shed); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "raise it above 0.167") {
			t.Errorf("ShedAt %v: %v", share, err)
		}
	}
}

func TestTimeoutsByHand(t *testing.T) {
	q := photos()
	p := planned(t, q, 50*time.Second)
	q.Polled, q.ServiceTime = true, 2*time.Minute
	polled := planned(t, q, time.Hour)
	for _, c := range []struct {
		plan                            sizing.Plan
		function, visibility, retention time.Duration
		says                            string
	}{
		{p, 0, 0, 0, ""},
		{p, 2 * time.Minute, 12 * time.Minute, sizing.MostRetention, ""},
		{p, 59 * time.Second, 0, 0, "need 1m0s"},
		{p, 0, 30 * time.Second, 0, "it would come again while its job runs; hide it for 6m0s"},
		{p, 2 * time.Minute, 90 * time.Second, 0, "hide it for 12m0s"},
		{p, 0, 13 * time.Hour, 0, "SQS hides it for 12h0m0s at most"},
		{p, 0, 0, 15 * time.Minute, "keep them for more than 16m0s"},
		{polled, 0, 30 * time.Second, 0, ""}, // its heartbeat renews it
		{polled, 0, 30 * time.Second, time.Hour, "keep them for more than 1h10m0s"},
	} {
		err := c.plan.CheckTimeouts(c.function, c.visibility, c.retention)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, %v, %v: %v\nwant %q", c.function, c.visibility, c.retention, err, c.says)
		}
	}
}
