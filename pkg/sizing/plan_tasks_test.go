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
