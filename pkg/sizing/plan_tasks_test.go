package sizing

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestForTasksPlansEachQueueForItsSlowestTask(t *testing.T) {
	photos := job.Queue{Name: "photos", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
	other := photos
	other.LongestWait = time.Minute
	fast := job.Define[struct{}]("fast", job.Policy{Queue: photos, Timeout: 10 * time.Second})
	slow := job.Define[struct{}]("slow", job.Policy{Queue: photos, Timeout: 50 * time.Second})

	plans, err := ForTasks(fast, slow, fast)
	if err != nil {
		t.Fatal(err)
	}
	want, err := For(photos, 50*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if len(plans) != 1 || plans["photos"] != want {
		t.Errorf("the plans are %+v, not %+v", plans, want)
	}

	twice := job.Define[struct{}]("twice", job.Policy{Queue: other})
	if _, err := ForTasks(fast, twice); err == nil || !strings.Contains(err.Error(), "two ways") {
		t.Errorf("two declarations of one queue: %v", err)
	}
}

// Processes that poll a queue are no functions, and have no function's bounds.
func TestAPolledQueueHasNoFunction(t *testing.T) {
	films := job.Queue{Name: "films", PeakArrivals: 0.01, ServiceTime: 2 * time.Hour, LongestWait: 24 * time.Hour, Polled: true}
	cut := job.Define[struct{}]("film.cut", job.Policy{Queue: films, Timeout: 5 * time.Hour})
	plans, err := ForTasks(cut)
	if plan := plans["films"]; err != nil || plan.FunctionTimeout != 0 || plan.Visibility != 0 || plan.Workers < plan.LeastWorkers || plan.Limit < 1 {
		t.Errorf("%+v, %v", plan, err)
	}
	films.Polled = false
	if _, err := ForTasks(job.Define[struct{}]("film.cut", job.Policy{Queue: films, Timeout: 5 * time.Hour})); err == nil || !strings.Contains(err.Error(), "a function at most") {
		t.Errorf("five hours in a function: %v", err)
	}
}
