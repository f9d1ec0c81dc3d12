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
