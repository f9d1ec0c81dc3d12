package simulation

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestEventsComeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h heap
		var want []event
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if h.empty() || rapid.Bool().Draw(t, "push") {
				h.push(time.Duration(rapid.IntRange(0, 9).Draw(t, "at")), arrives, int32(h.seq), 0)
				pushed := slices.MaxFunc(h.events, func(a, b event) int { return int(a.seq) - int(b.seq) })
				want = append(want, pushed)
				continue
			}
			first := slices.MinFunc(want, func(a, b event) int {
				if a.before(&b) {
					return -1
				}
				return 1
			})
			if got := h.pop(); got != first {
				t.Fatalf("%+v came before %+v", got, first)
			}
			want = slices.DeleteFunc(want, func(e event) bool { return e == first })
		}
	})
}

func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		var want []pair
		for i := range rapid.IntRange(1, 300).Draw(t, "steps") {
			if len(want) == 0 || rapid.IntRange(0, 2).Draw(t, "push") > 0 {
				p := pair{int32(i), int32(-i)}
				r.push(p)
				want = append(want, p)
				continue
			}
			if r.peek() != want[0] || r.pop() != want[0] {
				t.Fatalf("not %v", want[0])
			}
			want = want[1:]
		}
		if r.n != len(want) {
			t.Fatalf("%d are left, and not %d", r.n, len(want))
		}
	})
}

func TestQuantilesAreRightToThreePercent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var h histogram
	var all []time.Duration
	for range 10_000 {
		d := time.Duration(random.ExpFloat64() * float64(time.Minute))
		h.add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, share := range []float64{0.01, 0.5, 0.9, 0.99, 1} {
		want := all[int(share*float64(len(all)))-1]
		if got := h.quantile(share); got < want || float64(got) > float64(want)*1.032 {
			t.Errorf("quantile %v: %v, and not %v", share, got, want)
		}
	}
	if h.most != all[len(all)-1] || (&histogram{}).quantile(0.5) != 0 {
		t.Errorf("the longest is %v", h.most)
	}
}

func TestClassesOfAHistogramHaveNoGaps(t *testing.T) {
	for c := 1; class(upper(c)) < len(histogram{}.counts)-1 && upper(c) < 1<<60; c++ {
		if class(upper(c)) != c || class(upper(c)+1) != c+1 {
			t.Fatalf("class %d ends at %d", c, upper(c))
		}
	}
}

func TestCurve(t *testing.T) {
	c := Spike(20, 10*time.Minute, 10*time.Minute, 100)
	for at, want := range map[time.Duration]job.Rate{0: 20, 10*time.Minute - 1: 20, 10 * time.Minute: 100, 20*time.Minute - 1: 100, 20 * time.Minute: 20, time.Hour: 20} {
		if got, _ := c.at(at); got != want {
			t.Errorf("at %v: %v, not %v", at, got, want)
		}
	}
	// From one step into the next: 10 jobs at 20 a second are half a second, of which
	// a quarter lies before the spike.
	if at, found := c.after(10*time.Minute-250*time.Millisecond, 10, time.Hour); !found || at != 10*time.Minute+50*time.Millisecond {
		t.Errorf("ten jobs later it is %v", at)
	}
	if _, found := Steady(0).after(0, 1, time.Hour); found {
		t.Error("jobs arrive at no rate")
	}
	day := Daily(5, 25, 20*time.Hour)
	if err := day.validate(); err != nil {
		t.Error(err)
	}
	for _, at := range []time.Duration{20 * time.Hour, 44 * time.Hour} {
		if top, _ := day.at(at); top < 24.9 {
			t.Errorf("at %v: %v a second", at, top)
		}
		if low, _ := day.at(at + 12*time.Hour); low > 5.1 {
			t.Errorf("at %v: %v a second", at+12*time.Hour, low)
		}
	}
}

func TestBadCurvesAreRefused(t *testing.T) {
	for name, c := range map[string]Curve{
		"none":               {},
		"backwards":          {Steps: []Step{{time.Minute, 1}, {0, 2}}},
		"negative":           {Steps: []Step{{0, -1}}},
		"beyond its period":  {Steps: []Step{{2 * time.Hour, 1}}, Period: time.Hour},
		"twice at a time":    {Steps: []Step{{0, 1}, {0, 2}}},
		"before the daytime": {Steps: []Step{{-1, 1}}},
	} {
		if c.validate() == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestTrace(t *testing.T) {
	for name, text := range map[string]string{
		"seconds":   "time,count\n0,60\n60,120\n",
		"durations": "# of May\n0s,60\n\n1m,120\n",
		"times":     "time,jobs\n2026-05-01T10:00:00Z, 60\n2026-05-01T10:01:00Z, 120\n",
	} {
		c, lasts, err := ReadTrace(strings.NewReader(text))
		if err != nil || lasts != 2*time.Minute {
			t.Errorf("%s: it lasts %v, %v", name, lasts, err)
			continue
		}
		first, _ := c.at(0)
		second, _ := c.at(time.Minute)
		after, _ := c.at(2 * time.Minute)
		if first != 1 || second != 2 || after != 0 {
			t.Errorf("%s: %v, then %v, then %v a second", name, first, second, after)
		}
	}
}

func TestBadLinesOfATraceAreNamed(t *testing.T) {
	text := "time,count\n0,60\nsoon,1\n60,many\n30\n20,1\n10,1\n70,-3\n80,1,2\n"
	_, _, err := ReadTrace(strings.NewReader(text))
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, want := range []string{"line 3:", "line 4:", "line 5:", "line 7:", "line 8:", "line 9:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	for _, wrong := range []string{"line 2:", "line 6:"} {
		if strings.Contains(err.Error(), wrong) {
			t.Errorf("%q is in\n%v", wrong, err)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "one line": "0,1\n", "nobody comes": "0,0\n60,0\n", "two kinds of times": "0,1\n2026-05-01T10:00:00Z,1\n",
		"an open quote": "0,\"1\n60,1\n",
	} {
		if _, _, err := ReadTrace(strings.NewReader(text)); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

// endless is a file without an end, and without a line.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestATraceWithoutEnd(t *testing.T) {
	if _, _, err := ReadTrace(endless{}); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Error(err)
	}
}

func TestNumbersThatCanNotBeReckonedWith(t *testing.T) {
	for name, change := range map[string]func(*Config, int){
		"workers": func(c *Config, n int) { c.Workers = n }, "gates": func(c *Config, n int) { c.Gates = n },
		"scale": func(c *Config, n int) { c.Scale = n }, "clients.number": func(c *Config, n int) { c.Clients.Number = n },
		"delivery.queues": func(c *Config, n int) { c.Delivery.Queues = n }, "delivery.room": func(c *Config, n int) { c.Delivery.Room = n },
		"load.keys": func(c *Config, n int) { c.Load.Keys = n },
	} {
		for _, n := range []int{-1, math.MaxInt} {
			var c Config
			change(&c, n)
			if err := c.Check(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s: it is %d: ", name, n)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Each mistake is told by the name of its setting, as the file has it, and of no other.
func TestMistakesNameTheirSettings(t *testing.T) {
	for setting, change := range map[string]func(*Config){
		"faults.attempts": func(c *Config) { c.Faults.Attempts = 5 }, "faults.poison": func(c *Config) { c.Faults.Poison = -1 },
		"faults.fail_after": func(c *Config) { c.Faults.FailAfter = -1 }, "delivery.relay_rate": func(c *Config) { c.Delivery.RelayRate = -1 },
		"delivery.visibility": func(c *Config) { c.Delivery.Visibility = -1 }, "service.mean": func(c *Config) { c.Service.Mean = -1 },
		"service.spread": func(c *Config) { c.Service.Spread = math.Inf(1) }, "clients.every": func(c *Config) { c.Clients.Every = -1 },
		"table.writes": func(c *Config) { c.Table.Writes = -1 }, "for": func(c *Config) { c.For, c.Load.Curve = 2*Longest, Steady(1) }, "until": func(c *Config) { c.Until = -1 },
		"scale":          func(c *Config) { c.Load.Curve = Steady(1e6) },
		"faults.outages": func(c *Config) { c.Faults.Outages = []Outage{{From: time.Hour, For: time.Minute, Kind: Stopped}} },
	} {
		c := Config{
			Policy: job.Policy{Queue: job.Queue{Name: "q", PeakArrivals: 20, ServiceTime: time.Second, LongestWait: time.Minute}},
			Load:   Load{Curve: Steady(20)}, For: time.Hour,
		}
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		change(&c)
		var one *SettingError
		if err := c.Check(); !errors.As(err, &one) || one.Setting != setting || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestAnOutageBeginsWithinTheRun(t *testing.T) {
	of := func(until time.Duration) error {
		return Config{For: time.Hour, Until: until, Faults: Faults{Outages: []Outage{{From: 2 * time.Hour, For: time.Minute, Kind: Stopped}}}}.happening()
	}
	if of(0) == nil || of(2*time.Hour) == nil || of(3*time.Hour) != nil {
		t.Errorf("%v, %v, %v", of(0), of(2*time.Hour), of(3*time.Hour))
	}
}

func FuzzTrace(f *testing.F) {
	f.Add("time,count\n0,60\n60,120\n")
	f.Add("2026-05-01T10:00:00Z,60\n2026-05-01T10:01:00Z,120\n")
	f.Add("0s,1e300\n2562047h,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, lasts, err := ReadTrace(strings.NewReader(text))
		if err != nil {
			return
		}
		if err := c.validate(); err != nil || lasts <= 0 {
			t.Errorf("a curve of %v came of it: %v", lasts, err)
		}
	})
}
