package sizing_test

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// Lambda takes a MaximumConcurrency of 2 to 1000 and a visibility timeout of up to
// 12 hours: whatever the load, a plan keeps to that or is an error.
func TestPlansKeepToWhatAWSTakes(t *testing.T) {
	taken := 0
	for _, arrivals := range []job.Rate{1e-9, 0.01, 1, 10, 100, 230, 240, 1000, 1e6, 1e300} {
		for _, batch := range []int{1, 2, 10} {
			for _, bound := range []int{1, batch} {
				for _, timeout := range []time.Duration{3 * time.Second, time.Minute, 89 * time.Second, 14*time.Minute + 50*time.Second} {
					q := job.Queue{Name: "q", PeakArrivals: arrivals, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, Batch: batch, Bound: bound}
					p, err := sizing.For(q, timeout)
					if err != nil {
						continue
					}
					taken++
					if p.MaximumConcurrency < 2 || p.MaximumConcurrency > 1000 || p.Workers != p.MaximumConcurrency*bound {
						t.Errorf("%+v, %v: concurrency %d, %d workers", q, timeout, p.MaximumConcurrency, p.Workers)
					}
					if p.FunctionTimeout < timeout || p.FunctionTimeout > 15*time.Minute || p.Visibility < p.FunctionTimeout || p.Visibility > 12*time.Hour {
						t.Errorf("%+v, %v: function %v, visibility %v", q, timeout, p.FunctionTimeout, p.Visibility)
					}
					if float64(p.Workers) < p.InProgress {
						t.Errorf("%+v: %d workers for %v jobs under way", q, p.Workers, p.InProgress)
					}
				}
			}
		}
	}
	if taken < 50 {
		t.Errorf("only %d plans were looked at", taken)
	}
}
