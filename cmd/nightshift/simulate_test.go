package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// simulate runs the command, and gives its exit status and what it wrote.
func simulate(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	r := nightshift(t, "", append([]string{"simulate"}, args...)...)
	return r.code, r.out, r.err
}

func TestSimulateListsAndPlaysScenarios(t *testing.T) {
	code, out, errs := simulate(t, "--list")
	if code != 0 || !strings.Contains(out, "chef-spike") || !strings.Contains(out, "with the bound") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	code, out, errs = simulate(t, "video-timeout")
	if code != 0 || !strings.Contains(out, "of the work, in vain") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
}

func TestSimulateAQueueByFlags(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "q.svg")
	code, out, errs := simulate(t, "--queue", "videos", "--arrivals", "2/m", "--for", "30m", "--seed", "3", "--plot", svg)
	if code != 0 || !strings.Contains(out, "videos: 2/min for 30 min") || !strings.Contains(errs, "drawn:") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	if drawn, err := os.ReadFile(svg); err != nil || !bytes.Contains(drawn, []byte("jobs waiting")) {
		t.Errorf("the plot: %v", err)
	}
	code, out, errs = simulate(t, "--service", "1s", "--wait", "5m", "--arrivals", "2/s", "--spike", "20/s:1m", "--for", "20m", "--json")
	var got struct {
		Workers int
		Totals  struct{ Accepted, Done int }
	}
	if err := json.Unmarshal([]byte(out), &got); code != 0 || err != nil || got.Totals.Done < 3000 || got.Workers == 0 {
		t.Errorf("%d, %v\n%+v%s", code, err, got, errs)
	}
}

func TestTheSameSeedSimulatesTheSame(t *testing.T) {
	args := []string{"--service", "1s", "--wait", "5m", "--arrivals", "2/s", "--for", "5m", "--json", "--distribution", "lognormal", "--fail", "0.1"}
	_, first, _ := simulate(t, args...)
	_, again, _ := simulate(t, args...)
	_, other, _ := simulate(t, append(args, "--seed", "2")...)
	if first == "" || first != again || first == other {
		t.Error("a seed gives one run, and another gives another")
	}
}

func TestSimulateAFileAndATrace(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	csv := write("june.csv", "time,count\n0,60\n60,600\n120,60\n")
	file := write("mine.yaml", "queue: {peak_arrivals: 2/s, service_time: 1s, longest_wait: 5m}\nload: {trace: june.csv}\nruns: [{name: one}, {name: two, unbounded: true}]\n")
	if code, out, errs := simulate(t, "--file", file); code != 0 || !strings.Contains(out, "mine") || !strings.Contains(out, "two") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	if code, out, errs := simulate(t, "--service", "1s", "--wait", "5m", "--trace", csv); code != 0 || !strings.Contains(out, "accepted") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	bad := write("bad.yaml", "queue: {peak_arrivals: 2/s, service_time: 1s, longest_wait: 5m, hue: red}\nload: {rate: quick}\nfor: 1m\n")
	if code, _, errs := simulate(t, "--file", bad); code != exitFailure || !strings.Contains(errs, "hue") || !strings.Contains(errs, "quick") || !strings.Contains(errs, "bad.yaml") {
		t.Errorf("%d\n%s", code, errs)
	}
	worse := write("bad.csv", "time,count\n0,60\nlater,600\n")
	if code, _, errs := simulate(t, "--service", "1s", "--wait", "5m", "--trace", worse); code != exitFailure || !strings.Contains(errs, "line 3") {
		t.Errorf("%d\n%s", code, errs)
	}
}

func TestSimulateTellsWhatItWasAskedWrongly(t *testing.T) {
	for want, args := range map[string][]string{
		"name a scenario":   nil,
		"there is no queue": {"--queue", "nope"},
		"no scenario":       {"nope"},
		"don't go together": {"chef-spike", "--queue", "photos"},
		"don't go":          {"chef-spike", "--spike", "9/s:1m"},
		"want a rate":       {"--arrivals", "fast"},
		"ends in .svg":      {"--plot", "x.gif"},
		"obey, ignore":      {"--clients", "shout"},
	} {
		if code, _, errs := simulate(t, args...); code != exitMisuse || !strings.Contains(errs, want) {
			t.Errorf("%q: %d\n%s", args, code, errs)
		}
	}
	for _, c := range []struct{ want, args string }{
		{"want a whole number, 1 or more", "--queue photos --workers 0"},
		{"want a whole number, 1 or more", "--queue photos --scale 0"},
		{"--spike is from 10 min to 20 min, and jobs arrive for 5 min", "--queue photos --spike 100/s:10m --for 5m"},
		{"--trace and --arrivals", "--queue photos --trace x.csv --arrivals 2/s"},
		{"--trace and --for", "--queue photos --trace x.csv --for 1h"},
		{"--unbounded and --full", "--queue photos --unbounded --full spill"},
		{"--unbounded and --clients", "--queue photos --unbounded --clients ignore"},
		{"--list goes alone", "--list chef-spike"},
		{"--list goes alone", "--list --queue photos"},
		{"leave out --course", "chef-spike --json --course"},
		{"want a share from 0 to 1", "--queue photos --fail 5"},
		{"no more than 366 days", "--queue photos --for 100000h"},
		{"--scale: it is 50, and there are 90 workers", "--queue photos --scale 50"},
		{"--scale: 31,622,400,000 jobs would be simulated", "--queue photos --for 8784h --arrivals 1000/s"},
	} {
		if code, out, errs := simulate(t, strings.Fields(c.args)...); code != exitMisuse || out != "" || !strings.Contains(errs, c.want) || strings.Contains(errs, "simulation:") {
			t.Errorf("%s: %d\n%s", c.args, code, errs)
		}
	}
	if code, _, errs := simulate(t, "--file", "/nowhere.yaml"); code != exitFailure || !strings.Contains(errs, "nowhere") {
		t.Errorf("%d\n%s", code, errs)
	}
	if code, _, errs := simulate(t, "--service", "1s", "--arrivals", "2/s"); code != exitMisuse || !strings.Contains(errs, "--wait") {
		t.Errorf("%d\n%s", code, errs)
	}
}
