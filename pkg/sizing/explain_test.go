package sizing_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func figure(t *testing.T, figures []sizing.Figure, name string) sizing.Figure {
	t.Helper()
	for _, f := range figures {
		if f.Name == name {
			return f
		}
	}
	t.Errorf("there is no figure %q", name)
	return sizing.Figure{}
}

func TestAPlanExplainsItself(t *testing.T) {
	figures := planned(t, photos(), 50*time.Second).Explain()
	for name, want := range map[string]string{
		"in_progress": "60 jobs = 20/s × 3 s", "least_workers": "86 workers = 60 ÷ 0.7", "workers": "90 workers = 90 × 1",
		"drain_rate": "30/s = 90 ÷ 3 s", "limit": "18,000 jobs = 30/s × 10 min", "mark": "17,100 jobs = 18,000 − 900",
		"retry_least": "30 s = (18,000 − 17,100) ÷ 30/s", "retry_most": "45 s = (18,000 − 17,100) ÷ 30/s × 1.5",
		"function_timeout": "60 s = 1 × 50 s + 10 s", "visibility": "6 min = 6 × 60 s", "age_alarm": "10 min = 10 min",
		"utilisation": "66.7 % = 60 ÷ 90", "refusals_alarm": "12 a minute = 20/s × 60 s × 1 %",
	} {
		if f := figure(t, figures, name); f.Text+" = "+f.With != want {
			t.Errorf("%s: %s = %s, want %s", name, f.Text, f.With, want)
		}
	}
}

// Each number of the plan is among its figures, for every kind of queue.
func TestNothingIsLeftUnexplained(t *testing.T) {
	names := map[string]bool{}
	for _, change := range []func(*job.Queue){
		func(q *job.Queue) {}, func(q *job.Queue) { q.Full = job.Degrade }, func(q *job.Queue) { q.Full = job.Spill },
		func(q *job.Queue) { q.Full, q.SpillLimit = job.Spill, 7 }, func(q *job.Queue) { q.Polled = true },
		func(q *job.Queue) { q.MostWorkers = 200 }, func(q *job.Queue) { q.Hard = true }, func(q *job.Queue) { q.Batch = 10 },
	} {
		q := photos()
		change(&q)
		p := planned(t, q, 50*time.Second)
		seen := map[string]bool{}
		for _, f := range append(p.Explain(), p.Under(chef()).Explain()...) {
			if seen[f.Name] || f.Title == "" || f.Unit == "" || f.Text == "" || f.Formula == "" || f.With == "" {
				t.Errorf("%+v", f)
			}
			seen[f.Name], names[f.Name] = true, true
		}
		for name, value := range map[string]float64{
			"workers": float64(p.Workers), "limit": float64(p.Limit), "maximum_concurrency": float64(p.MaximumConcurrency),
			"age_alarm": p.AgeAlarm.Seconds(), "refusals_alarm": float64(p.RefusalsAlarm), "utilisation_alarm": p.UtilisationAlarm,
		} {
			if f := figure(t, p.Explain(), name); f.Value != value {
				t.Errorf("%s is %v in the plan and %v where it is explained", name, value, f.Value)
			}
		}
	}
	for _, name := range []string{"degrade_at", "degrade_mark", "spill_limit", "release_rate", "count_shards", "most_workers", "rounds", "visibility", "spilled"} {
		if !names[name] {
			t.Errorf("%s is nowhere explained", name)
		}
	}
}

func TestPeriodsAndNumbers(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", math.MaxInt64: "never", 1400 * time.Second: "23 min 20 s", 70 * time.Minute: "70 min", 400 * time.Millisecond: "400 ms",
		1500 * time.Microsecond: "2 ms", 90 * time.Second: "90 s", 3 * time.Hour: "3 h", 36*time.Hour + 10*time.Minute: "36 h 10 min", 96 * time.Hour: "4 days",
		15 * time.Microsecond: "0.015 ms", 19 * time.Nanosecond: "< 0.001 ms", 2400 * time.Hour: "100 days", 2562047 * time.Hour: "106,751 days 23 h",
	} {
		if got := sizing.Period(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
	for n, want := range map[float64]string{1: "1 job", 0: "0 jobs", 18_000: "18,000 jobs", 0.7: "0.7 jobs", 85.714: "85.7 jobs", 1234.6: "1,235 jobs", 1e-9: "1e-09 jobs", 0.0000123: "0.000012 jobs", math.Inf(1): "+Inf jobs"} {
		if got := sizing.Count(n, "jobs"); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 4e-8: "< 0.01 %", 0.00009: "< 0.01 %", 0.000191: "0.0191 %", 2.0 / 3: "66.7 %", 0.99: "99 %", 1: "100 %", 1.5: "150 %"} {
		if got := sizing.Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func ExamplePlan_Explain() {
	plan, err := sizing.For(photos(), 50*time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range plan.Explain() {
		switch f.Name {
		case "in_progress", "least_workers", "drain_rate", "limit":
			fmt.Printf("%s = %s = %s\n", f.Title, f.With, f.Text)
		}
	}
	// Output:
	// in progress = 20/s × 3 s = 60 jobs
	// least workers = 60 ÷ 0.7 = 86 workers
	// drain rate = 90 ÷ 3 s = 30/s
	// limit = 30/s × 10 min = 18,000 jobs
}
