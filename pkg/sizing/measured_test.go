package sizing_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// asDeclared is a day that was as the photo queue is declared.
func asDeclared() sizing.Measured {
	return sizing.Measured{
		Period: 24 * time.Hour, Minutes: 1440, Jobs: 500_000,
		PeakArrivals: 19.2, Service: 2900 * time.Millisecond, WorstWait: 40 * time.Second,
	}
}

func TestFits(t *testing.T) {
	p := planned(t, photos(), 50*time.Second)
	for _, c := range []struct {
		name    string
		change  func(*sizing.Measured)
		fit     sizing.Fit
		workers int
		says    string
	}{
		{"as declared", func(m *sizing.Measured) {}, sizing.Fits, 0, ""},
		{"too few jobs", func(m *sizing.Measured) { m.Jobs = 99 }, sizing.TooFew, 0, "99 runs"},
		{"too short a time", func(m *sizing.Measured) { m.Minutes = 29 }, sizing.TooFew, 0, "29 minutes of 24 h"},
		{"slower than thought", func(m *sizing.Measured) { m.Service = 4500 * time.Millisecond }, sizing.Undersized, 130, "96 % busy at the peak, and 70 % are aimed at"},
		{"more than thought", func(m *sizing.Measured) { m.PeakArrivals = 41.2 }, sizing.Undersized, 180, "133 % busy"},
		{"too long a wait", func(m *sizing.Measured) { m.WorstWait = 11 * time.Minute }, sizing.Undersized, 90, "not busy enough to explain"},
		{"somebody refused", func(m *sizing.Measured) { m.Refused = 12 }, sizing.Undersized, 90, "12 jobs refused"},
		{"a third of it", func(m *sizing.Measured) { m.PeakArrivals = 6.66 }, sizing.Oversized, 30, "30 workers would do, and there are 90"},
		{"idle", func(m *sizing.Measured) { m.PeakArrivals = 0; m.Service = 0 }, sizing.Oversized, 90, "2 workers would do"},
		{"little work that waits long", func(m *sizing.Measured) { m.PeakArrivals = 6; m.WorstWait = 6 * time.Minute }, sizing.Fits, 0, ""},
	} {
		m := asDeclared()
		c.change(&m)
		got := p.Compare(m)
		if got.Fit != c.fit || got.Plan.Workers != c.workers || !strings.Contains(strings.Join(got.Reasons, "; "), c.says) || got.Err != nil {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// The suggestion is a declaration whose plan fits what was measured.
func FuzzCompare(f *testing.F) {
	f.Add(20.0, int64(3*time.Second), int64(time.Minute), 0.0)
	f.Add(1e9, int64(time.Hour), int64(math.MaxInt64), 5.0)
	f.Add(math.NaN(), int64(-1), int64(-1), math.NaN())
	f.Fuzz(func(t *testing.T, peak float64, service, wait int64, refused float64) {
		p := planned(t, photos(), 50*time.Second)
		m := sizing.Measured{Period: time.Hour, Minutes: 60, Jobs: 5000, PeakArrivals: job.Rate(peak), Service: time.Duration(service), WorstWait: time.Duration(wait), Refused: refused}
		c := p.Compare(m)
		if c.Fit == sizing.Fits || c.Fit == sizing.TooFew || c.Err != nil {
			return
		}
		m.WorstWait, m.Refused = 0, 0
		if again := c.Plan.Compare(m); again.Fit == sizing.Undersized {
			t.Errorf("%+v is advised for %+v, and %v", c.Suggested, m, again.Reasons)
		}
	})
}

func ExamplePlan_Compare() {
	plan, err := sizing.For(photos(), 50*time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := plan.Compare(sizing.Measured{
		Period: 24 * time.Hour, Minutes: 1440, Jobs: 900_000,
		PeakArrivals: job.PerSecond(31.4), Service: 2700 * time.Millisecond, WorstWait: 3 * time.Minute, Refused: 0,
	})
	fmt.Println(c.Fit, c.Reasons)
	fmt.Printf("PeakArrivals: %v, ServiceTime: %v: %d workers\n", c.Suggested.PeakArrivals, c.Suggested.ServiceTime, c.Plan.Workers)
	// Output:
	// undersized [the workers were 94 % busy at the peak, and 70 % are aimed at]
	// PeakArrivals: 32, ServiceTime: 2.7s: 130 workers
}
