package sizing_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func planned(t *testing.T, q job.Queue, timeout time.Duration) sizing.Plan {
	t.Helper()
	p, err := sizing.For(q, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func chef() sizing.Spike { return sizing.Spike{Arrivals: 100, For: 10 * time.Minute} }

// 100 a second for ten minutes on a photo queue that drains 30: worked out by hand.
func TestTheChefsSpike(t *testing.T) {
	o := planned(t, photos(), 50*time.Second).Under(chef())
	want := sizing.Aftermath{Backlog: 42_000, Bytes: 42_000_000, Wait: 1400 * time.Second, Clear: 4200 * time.Second}
	if o.Unbounded != want {
		t.Errorf("without a limit: %+v", o.Unbounded)
	}
	if got := o.Fill.Round(time.Second); got != 257*time.Second {
		t.Errorf("full after %v, want 257 s", got)
	}
	bounded := sizing.Aftermath{Backlog: 18_000, Bytes: 18_000_000, Wait: 10 * time.Minute, Clear: 30 * time.Minute}
	if o.Bounded != bounded || o.Refused != 24_000 || o.Spilled != 0 {
		t.Errorf("with the limit: %+v, %d refused", o.Bounded, o.Refused)
	}
	large := chef()
	large.MessageBytes = 5_000_000
	if got := sizing.Size(planned(t, photos(), 50*time.Second).Under(large).Unbounded.Bytes); got != "210 GB" {
		t.Errorf("with the photos in the messages: %s", got)
	}
}

func TestSpikesThatAQueueTakes(t *testing.T) {
	p := planned(t, photos(), 50*time.Second)
	o := p.Under(sizing.Spike{Arrivals: 40, For: 10 * time.Minute})
	if o.Fill != math.MaxInt64 || o.Refused != 0 || o.Bounded != o.Unbounded || o.Bounded.Backlog != 6000 {
		t.Errorf("%+v", o)
	}
	if o := p.Under(sizing.Spike{Arrivals: 25, For: time.Hour}); o.Unbounded.Backlog != 0 || o.Unbounded.Clear != 0 || o.Refused != 0 {
		t.Errorf("a load that the workers bear: %+v", o)
	}
	if o := p.Under(sizing.Spike{Arrivals: 100, For: 10 * time.Minute, Before: 30}); o.Bounded.Clear != math.MaxInt64 {
		t.Errorf("a backlog that nobody works off is gone after %v", o.Bounded.Clear)
	}
}

func TestASpikeSpills(t *testing.T) {
	q := photos()
	q.Full = job.Spill
	o := planned(t, q, 50*time.Second).Under(chef())
	if o.Spilled != 24_000 || o.Refused != 0 || o.Bounded.Clear != 4200*time.Second {
		t.Errorf("%d spilled, %d refused, gone after %v", o.Spilled, o.Refused, o.Bounded.Clear)
	}
	q.SpillLimit = 4000
	o = planned(t, q, 50*time.Second).Under(chef())
	if o.Spilled != 4000 || o.Refused != 20_000 {
		t.Errorf("%d spilled, %d refused", o.Spilled, o.Refused)
	}
}

// Photos in two sizes instead of four take half the time: 60 a second instead of 30.
func TestASpikeDegrades(t *testing.T) {
	q := photos()
	q.Full = job.Degrade
	p := planned(t, q, 50*time.Second)
	if p.DegradeAt != 9000 || p.DegradeMark != 8550 {
		t.Errorf("degraded from %d to %d", p.DegradeAt, p.DegradeMark)
	}
	s := chef()
	s.DegradedTime = 1500 * time.Millisecond
	o := p.Under(s)
	fill := 9000.0/70 + 9000.0/40
	if math.Abs(o.Fill.Seconds()-fill) > 1e-6 || o.Refused != int(math.Round((600-fill)*40)) {
		t.Errorf("full after %v, want %v s; %d refused", o.Fill, fill, o.Refused)
	}
	if o.Bounded.Wait != 450*time.Second || o.Bounded.Clear != 1125*time.Second {
		t.Errorf("9,000 degraded and 9,000 whole ones: a new one waits %v, all are gone after %v", o.Bounded.Wait, o.Bounded.Clear)
	}
	with := map[string]string{}
	for _, figure := range o.Explain() {
		with[figure.Name] = figure.Text + " = " + figure.With
	}
	for name, want := range map[string]string{
		"fill":          "5 min 54 s = 9,000 ÷ (100 − 30)/s + 9,000 ÷ (100 − 60)/s",
		"bounded_wait":  "7 min 30 s = 9,000 ÷ 60/s + 9,000 ÷ 30/s",
		"bounded_clear": "18 min 45 s = 9,000 ÷ (60 − 20)/s + 9,000 ÷ (30 − 20)/s",
	} {
		if with[name] != want {
			t.Errorf("%s: %s\nwant %s", name, with[name], want)
		}
	}
	slower := s
	slower.DegradedTime = time.Hour
	if got, whole := p.Under(slower), p.Under(chef()); got.Fill != whole.Fill || got.Bounded != whole.Bounded {
		t.Errorf("degraded jobs that take longer are taken for whole ones: %+v", got)
	}
	s.Arrivals = 55
	if o := p.Under(s); o.Fill != math.MaxInt64 || o.Bounded.Backlog != 9000 || o.Refused != 0 {
		t.Errorf("degraded jobs keep up with 55 a second: %+v", o)
	}
}

// A limit that is not reached says whether it would be later.
func TestALimitThatIsNotReached(t *testing.T) {
	p := planned(t, photos(), 50*time.Second)
	for arrivals, want := range map[job.Rate][2]string{
		40: {"not within the 10 min", "(40 − 30)/s × 10 min"}, 30: {"never", "(30 − 30)/s × 10 min"}, 100: {"4 min 17 s", "limit 18,000"},
	} {
		var fill, backlog string
		for _, figure := range p.Under(sizing.Spike{Arrivals: arrivals, For: 10 * time.Minute}).Explain() {
			switch figure.Name {
			case "fill":
				fill = figure.Text
			case "bounded_backlog":
				backlog = figure.With
			}
		}
		if fill != want[0] || backlog != want[1] {
			t.Errorf("%v a second: %s, %s", float64(arrivals), fill, backlog)
		}
	}
}

func FuzzSpike(f *testing.F) {
	f.Add(100.0, int64(10*time.Minute), 20.0, int64(0), int64(1000), 0)
	f.Add(math.MaxFloat64, int64(math.MaxInt64), -1.0, int64(1), int64(math.MaxInt64), 2)
	f.Fuzz(func(t *testing.T, arrivals float64, lasts int64, before float64, degraded, bytes int64, full int) {
		q := photos()
		q.Full = []job.Full{job.Refuse, job.Degrade, job.Spill, job.Replace}[uint(full)%4]
		p, err := sizing.For(q, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		o := p.Under(sizing.Spike{Arrivals: job.Rate(arrivals), For: time.Duration(lasts), Before: job.Rate(before), DegradedTime: time.Duration(degraded), MessageBytes: bytes})
		for _, a := range []sizing.Aftermath{o.Unbounded, o.Bounded} {
			if a.Backlog < 0 || a.Bytes < 0 || a.Wait < 0 || a.Clear < 0 {
				t.Errorf("%+v", o)
			}
		}
		if o.Bounded.Backlog > p.Limit || o.Bounded.Wait > q.LongestWait || o.Refused < 0 || o.Spilled < 0 || o.Spilled > p.SpillLimit || o.Fill < 0 {
			t.Errorf("%+v", o)
		}
		for _, figure := range o.Explain() {
			if math.IsNaN(figure.Value) || figure.Text == "" || figure.With == "" {
				t.Errorf("%+v", figure)
			}
		}
	})
}

func ExamplePlan_Under() {
	plan, err := sizing.For(photos(), 50*time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	o := plan.Under(sizing.Spike{Arrivals: job.PerSecond(100), For: 10 * time.Minute})
	fmt.Printf("without a limit: %d wait, a new one %s, for %s\n", o.Unbounded.Backlog, sizing.Period(o.Unbounded.Wait), sizing.Period(o.Unbounded.Clear))
	fmt.Printf("with it: full after %s, %d refused, nobody waits longer than %s\n", sizing.Period(o.Fill), o.Refused, sizing.Period(o.Bounded.Wait))
	// Output:
	// without a limit: 42000 wait, a new one 23 min 20 s, for 70 min
	// with it: full after 4 min 17 s, 24000 refused, nobody waits longer than 10 min
}
