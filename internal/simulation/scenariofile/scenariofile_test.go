package scenariofile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/scenariofile"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func none(name string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }

func trace(text string) scenariofile.Opener {
	return func(name string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

const whole = `
title: A spike
queue: {name: photos, peak_arrivals: 20/s, service_time: 3s, longest_wait: 10m, full: spill, spill_limit: 7}
task: {max_attempts: 5, timeout: 50s, backoff: {base: 2s, cap: 2m}}
load: {rate: 1200/min, even: true, spikes: [{from: 10m, for: 10m, rate: 100/s}]}
for: 1h
until: 0.5d
service: {distribution: lognormal, spread: 0.4}
faults: {attempts: 0.01, outages: [{from: 5m, for: 1m, kind: slow, factor: 2}]}
clients: {behaviour: ignore, every: 3s}
delivery: {duplicates: 0.1}
table: {writes: 4000}
seed: 9
runs:
  - name: as it is
  - name: unbounded
    unbounded: true
    queue: {full: refuse, spill_limit: 0}
    load: {spikes: [{from: 1m, for: 2m, rate: 50/s}]}
`

func TestAFileIsRead(t *testing.T) {
	s, err := scenariofile.Decode([]byte(whole), "mine", none)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "mine" || s.Title != "A spike" || len(s.Runs) != 2 {
		t.Fatalf("%+v", s)
	}
	first, second := s.Runs[0], s.Runs[1]
	q := first.Policy.Queue
	if q.PeakArrivals != 20 || q.ServiceTime != 3*time.Second || q.LongestWait != 10*time.Minute || q.Full != job.Spill || q.SpillLimit != 7 {
		t.Errorf("queue %+v", q)
	}
	if want := simulation.Spike(20, 10*time.Minute, 10*time.Minute, 100); !reflect.DeepEqual(first.Load.Curve, want) || !first.Load.Even {
		t.Errorf("load %+v", first.Load)
	}
	if first.For != time.Hour || first.Until != 12*time.Hour || first.Seed != 9 || first.Faults.Outages[0].Kind != simulation.Slow || first.Clients.Behaviour != simulation.Ignore {
		t.Errorf("%+v", first)
	}
	if want := simulation.Spike(20, time.Minute, 2*time.Minute, 50); second.Policy.Queue.Full != job.Refuse || !second.Unbounded || !reflect.DeepEqual(second.Load.Curve, want) {
		t.Errorf("the second run is %+v", second)
	}
	if second.Policy.Queue.PeakArrivals != 20 || second.Service.Spread != 0.4 || first.Unbounded {
		t.Errorf("what is common to both: %+v", second)
	}
}

func TestJSONIsYAMLAsWell(t *testing.T) {
	s, err := scenariofile.Decode([]byte(`{"queue": {"peak_arrivals": "20/s", "service_time": "3s", "longest_wait": "10m"}, "load": {"rate": 20}, "for": "10m"}`), "mine", none)
	if err != nil || len(s.Runs) != 1 || s.Runs[0].Load.Curve.Steps[0].Rate != 20 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestATraceIsOpened(t *testing.T) {
	const file = `
queue: {peak_arrivals: 20/s, service_time: 3s, longest_wait: 10m}
load: {trace: june.csv}
`
	s, err := scenariofile.Decode([]byte(file), "mine", trace("0,60\n60,120\n"))
	if err != nil || s.Runs[0].For != 2*time.Minute {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := scenariofile.Decode([]byte(file), "mine", trace("0,60\nsoon,120\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a bad line: %v", err)
	}
	if _, err := scenariofile.Decode([]byte(file), "mine", none); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
}

// Whoever has made five mistakes is told of five.
func TestAllMistakesAreReportedAtOnce(t *testing.T) {
	_, err := scenariofile.Decode([]byte(`
queue: {peak_arrivals: 20/s, service_time: 3 sx, longest_wait: 10m, colour: red}
load: {rate: fast}
for: 1h
service: {distribution: gaussian}
faults: {poison: 2, outages: [{from: 1m, for: 1m, kind: broken}]}
clients: {behaviour: shout}
workers: many
`), "mine", none)
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, want := range []string{"colour", "3 sx", "line 2", "fast", "line 3", "gaussian", "faults.poison", "broken", "shout", "many", "line 8"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
}

func TestWhatIsNoScenarioIsRefused(t *testing.T) {
	base := "queue: {peak_arrivals: 20/s, service_time: 3s, longest_wait: 10m}\nload: {rate: 20/s}\nfor: 1h\n"
	if _, err := scenariofile.Decode([]byte(base), "mine", none); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty":                "",
		"a list":               "- 1\n- 2\n",
		"two documents":        base + "---\n" + base,
		"a field twice":        base + "for: 2h\n",
		"a run's mistake":      base + "runs: [{name: a, unbound: true}]\n",
		"too many runs":        base + "runs: [{}, {}, {}, {}, {}, {}, {}]\n",
		"two loads":            base + "runs: [{load: {rate: 2, daily: {least: 1, most: 2}}}]\n",
		"a spike before time":  base + "runs: [{load: {spikes: [{from: -1s, for: 1m, rate: 3}]}}]\n",
		"a negative rate":      base + "runs: [{load: {rate: -3}}]\n",
		"a list as a duration": base + "runs: [{until: [1, 2]}]\n",
		"more than can be":     base + "runs: [{load: {rate: 1e9}}]\n",
		"a scale too large":    base + "runs: [{scale: 50}]\n",
		"an outage too late":   base + "faults: {outages: [{from: 5h, for: 1m, kind: stopped}]}\n",
		"an outage after all":  base + "until: 2h\nfaults: {outages: [{from: 2h, for: 1m, kind: stopped}]}\n",
		"a spike too late":     "queue: {peak_arrivals: 20/s, service_time: 3s, longest_wait: 10m}\nload: {rate: 20/s, spikes: [{from: 2h, for: 1m, rate: 30/s}]}\nfor: 1h\n",
		"a spike cut off":      "queue: {peak_arrivals: 20/s, service_time: 3s, longest_wait: 10m}\nload: {rate: 20/s, spikes: [{from: 59m, for: 2m, rate: 30/s}]}\nfor: 1h\n",
		"an end too early":     base + "until: 59m\n",
		"a factor of nothing":  base + "faults: {outages: [{from: 5m, for: 1m, kind: stopped, factor: 2}]}\n",
		"two of one name":      base + "runs: [{name: a}, {name: b}, {name: a}]\n",
		"a name that is given": base + "runs: [{name: run 2}, {}]\n",
		"a FIFO's field":       base + "runs: [{queue: {fifo: true}}]\n",
	} {
		if s, err := scenariofile.Decode([]byte(text), "mine", none); err == nil {
			t.Errorf("%s: it was taken: %+v", name, s)
		}
	}
}

// What is told is told once, in the words of the file.
func TestWhatMistakesAreTold(t *testing.T) {
	base := "queue: {peak_arrivals: 20/s, service_time: 3s, longest_wait: 10m}\nload: {rate: 20/s}\nfor: 1h\n"
	for text, want := range map[string]string{
		"":                     "it is empty",
		"# nothing\n---\n":     "it is empty",
		"tite: x\n" + base:     `line 1: there is no field "tite" here`,
		base + "workers: many": "line 4: \"many\": want a whole number",
		base + "workers: -3":   "simulation: workers: it is -3: between 0 and 1073741824",
		base + "faults: {attempts: 2}\nruns: [{name: a}, {name: b}]":               "simulation: faults.attempts: it is 2: it is a share, from 0 to 1",
		base + "runs: [{name: a, faults: {attempts: 2}}, {name: b}]":               `run "a": simulation: faults.attempts: it is 2: it is a share, from 0 to 1`,
		base + "runs: [{name: a, workers: -3}, {name: b}, {name: c, workers: -3}]": `run "a", "c": simulation: workers: it is -3: between 0 and 1073741824`,
		base + "queue: 3": `line 4: mapping key "queue" already defined at line 1`,
		"queue: [1]":      "line 1: a list: want fields with their values",
	} {
		_, err := scenariofile.Decode([]byte(text), "mine", none)
		if err == nil || !strings.HasPrefix(err.Error(), "scenariofile: "+want) || strings.Contains(strings.TrimPrefix(err.Error(), "scenariofile: "+want), "\n") && text != "queue: [1]" {
			t.Errorf("%q: it is told\n%v\nand not\n%s", text, err, want)
		}
	}
}

// The example in the documentation is one that plays.
func TestTheExampleOfTheDocumentation(t *testing.T) {
	data, err := os.ReadFile("../../../docs/simulate/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenariofile.Decode(data, "example", none)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Runs {
		r, err := simulation.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Totals.Done == 0 {
			t.Errorf("%s: %+v", c.Name, r.Totals)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(whole)
	f.Add("queue: {peak_arrivals: 20/s, service_time: 3s, longest_wait: 10m}\nload: {trace: x}\n")
	f.Add("load: {daily: {least: 1/s, most: 5/s, peak_at: 20h}, spikes: [{from: 23h, for: 2h, rate: 9}]}\nfor: 1h")
	f.Add("a: &a [*a]")
	f.Add("runs: [{name: x, <<: {for: 1h}}]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := scenariofile.Decode([]byte(text), "mine", trace("0,60\n60,120\n"))
		if err != nil {
			return
		}
		for _, c := range s.Runs {
			if err := c.Check(); err != nil {
				t.Errorf("it was taken: %v", err)
			}
		}
	})
}
