package sizing_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func TestWaitsBeyondAllTime(t *testing.T) {
	if got := sizing.Wait(math.MaxInt32, 0.1); got != math.MaxInt64 {
		t.Errorf("six hundred years of work take %v", got)
	}
	if got := sizing.TimeToClear(0, 30, 30); got != 0 {
		t.Errorf("an empty queue is empty after %v", got)
	}
}

func TestAlarmsOfRareAndLongJobs(t *testing.T) {
	rare := planned(t, job.Queue{Name: "rare", PeakArrivals: job.PerMinute(0.5), ServiceTime: 2 * time.Minute, LongestWait: 30 * time.Minute, Polled: true}, 20*time.Minute)
	if rare.RefusalsAlarm != 1 || rare.AgeAlarm != 50*time.Minute || rare.FunctionTimeout != 0 {
		t.Errorf("%+v", rare)
	}
	busy := photos()
	busy.Utilisation = 0.95
	if p := planned(t, busy, time.Minute); p.UtilisationAlarm != 0.975 {
		t.Errorf("workers that are meant to be 95 %% busy raise the alarm at %v", p.UtilisationAlarm)
	}
}

// A timeout beyond all bounds is refused for what it is, and overflows nothing.
func TestATimeoutBeyondAllBounds(t *testing.T) {
	q := photos()
	q.Batch = 10
	p, err := sizing.For(q, math.MaxInt64)
	if err == nil || !strings.Contains(err.Error(), "a function at most 15m0s") || p.FunctionTimeout < 0 || p.Visibility < 0 {
		t.Errorf("%v, %+v", err, p)
	}
	q.Polled = true
	if _, err := sizing.For(q, math.MaxInt64); err == nil || !strings.Contains(err.Error(), "its message is gone after") {
		t.Errorf("a polled queue whose tasks never end: %v", err)
	}
}

// Two queues that a table bears one at a time.
func TestATableOfTwoQueues(t *testing.T) {
	half := planned(t, job.Queue{Name: "half", PeakArrivals: 8000, ServiceTime: 100 * time.Millisecond, LongestWait: time.Minute, Batch: 10}, time.Second)
	other := half
	other.Queue.Name = "other"
	capacity := sizing.Capacity{Concurrency: 5000}
	if err := capacity.Check(half); err != nil {
		t.Error(err)
	}
	if err := capacity.Check(half, other); err == nil || !strings.Contains(err.Error(), "write units of a table together") {
		t.Errorf("both together: %v", err)
	}
}

// Numbers that make no sense are no way around a check.
func TestACapacityOfNonsense(t *testing.T) {
	p := planned(t, photos(), time.Minute)
	for name, c := range map[string]sizing.Capacity{
		"connections beyond all numbers": {Databases: []sizing.Database{{Name: "d", Most: 500, PerWorker: math.MaxInt/45 + 1}}},
		"others beyond all numbers":      {Databases: []sizing.Database{{Name: "d", Most: 500, Others: math.MaxInt}}},
		"functions beyond all numbers":   {Others: math.MaxInt},
		"fewer than no functions":        {Others: -500, Concurrency: 50},
		"fewer than no concurrency":      {Concurrency: -1},
	} {
		if err := c.Check(p); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestNothingCostsLessThanNothing(t *testing.T) {
	p := planned(t, photos(), time.Minute)
	bill := p.Bill(sizing.Usage{MeanArrivals: -1, MemoryMB: -1, RowBytes: -1, LogBytes: math.MinInt64, ObjectBytes: -1, Polls: -1, Metrics: -1, Alarms: -1}, sizing.USEast1())
	for _, line := range bill.Lines {
		if line.Million < 0 || line.Month < 0 {
			t.Errorf("%+v", line)
		}
	}
}
