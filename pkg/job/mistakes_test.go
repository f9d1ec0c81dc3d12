package job_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Each mistake is a line of its own that says once whose it is.
func TestMistakesSayOnceWhoseTheyAre(t *testing.T) {
	err := job.Define[struct{}]("bill.make", job.Policy{
		Queue: job.Queue{Name: "bills", SpillLimit: -1, MostWorkers: -1, Rounding: -1}, ShedAt: 2, MaxArguments: -1,
	}).Definition().Validate()
	if err == nil {
		t.Fatal("no mistake")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, line := range lines {
		if !strings.HasPrefix(line, `job: task "bill.make": `) || strings.Count(line, "job:") != 1 {
			t.Errorf("%q", line)
		}
	}
	for _, want := range []string{
		"ShedAt is 2:", `queue "bills": SpillLimit is -1: it is 0 (the default) or more`, "MostWorkers is -1:", "Rounding is -1:", "MaxArguments is -1 bytes:",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	if err := (job.Queue{Name: "bills"}).Validate(); !strings.HasPrefix(err.Error(), `job: queue "bills": `) {
		t.Error(err)
	}
}
