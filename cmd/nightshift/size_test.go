package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestSizeShowsNumbersWithFormulas(t *testing.T) {
	got := nightshift(t, "", strings.Fields("size --queue photos --spike 100/s:10m --table --cost --scale")...)
	if got.code != 0 || got.err != "" {
		t.Fatalf("%+v", got)
	}
	flat := strings.Join(strings.Fields(got.out), " ")
	for _, says := range []string{
		"photos: 20/s of 3 s each, workers 70 % busy at most, no wait longer than 10 min; its slowest task ends after 50 s",
		"in progress 60 jobs = 20/s × 3 s", "least workers 86 workers = 60 ÷ 0.7", "limit 18,000 jobs = 30/s × 10 min",
		"A spike of 100/s for 10 min, and 20/s afterwards", "backlog without a limit 42,000 jobs", "wait of a new job 23 min 20 s = 42,000 ÷ 30/s",
		"then gone after 70 min", "size of the backlog 42 MB", "limit reached after 4 min 17 s",
		"95 % 28.5/s 52.7 % 351 ms", "HTTP API 2.00", "Lambda: concurrent executions 1,000 92",
		"That is an assumption: a worker function of 256 MB (--memory says what it has, MemorySize in template.yaml), and a third of the peak on average over the month (--mean).",
	} {
		if !strings.Contains(flat, says) {
			t.Errorf("it does not say %q:\n%s", says, got.out)
		}
	}
	for args, assumed := range map[string]string{
		"photos --memory 1769": "assumption: a third of the peak", "photos --mean 5/s": "assumption: a worker function of 256 MB", "videos": "assumption: a third", "photos --mean 5/s --memory 1769": "",
	} {
		got := nightshift(t, "", strings.Fields("size --cost --queue "+args)...)
		if got.code != 0 || !strings.Contains(got.out, assumed) || assumed == "" && strings.Contains(got.out, "assumption") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// Numbers that make no sense are told before anything is looked at.
func TestSizeAsksForSense(t *testing.T) {
	for _, flags := range []string{
		"--timeout -5s", "--memory -5", "--message-bytes -1", "--degraded-service -1s", "--peak 7", "--peak NaN", "--peak -1", "--period 16d",
		"--memory 10241", "-mean 1e308", "-arrivals 1e-323/h", "-spike 1e10/s:1h",
	} {
		got := nightshift(t, "", strings.Fields("size --from-metrics --data /nowhere "+flags)...)
		if got.code != 2 || !strings.Contains(got.err, strings.Fields(flags)[0]) {
			t.Errorf("%s: %+v", flags, got)
		}
	}
}

func TestSizeOfAllQueues(t *testing.T) {
	got := nightshift(t, "", "size")
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if got.code != 0 || !strings.Contains(got.out, "photos") || !strings.Contains(lines[len(lines)-1], "a new account has 1,000") {
		t.Errorf("%+v", got)
	}
	for _, task := range declared() {
		if name := task.Definition().Policy.Queue.Name; !strings.Contains(got.out, "\n"+name+" ") {
			t.Errorf("the queue %s is missing:\n%s", name, got.out)
		}
	}
}

// Imports at 50 a second of 400 ms take 30 workers; nothing of that is declared here.
func TestSizeOfAQueueThatIsNoneYet(t *testing.T) {
	got := nightshift(t, "", strings.Fields("size --arrivals 3000/m --service 400ms --wait 5m")...)
	flat := strings.Join(strings.Fields(got.out), " ")
	if got.code != 0 || !strings.Contains(flat, "least workers 29 workers = 20 ÷ 0.7") || !strings.Contains(flat, " workers 30 workers") {
		t.Errorf("%+v", got)
	}
	changed := nightshift(t, "", strings.Fields("size --queue photos --arrivals 40/s --utilisation 0.8")...)
	if flat := strings.Join(strings.Fields(changed.out), " "); changed.code != 0 || !strings.Contains(flat, "150 workers = 120 ÷ 0.8") {
		t.Errorf("%+v", changed)
	}
}

func TestSizeInJSON(t *testing.T) {
	got := nightshift(t, "", strings.Fields("size --json --spike 100/s:10m --table --cost --scale")...)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if got.code != 0 || len(lines) < 10 {
		t.Fatalf("%+v", got)
	}
	for _, line := range lines {
		var d sizeDetails
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		if d.Queue == "" || len(d.Figures) < 10 || len(d.Spike) < 8 || len(d.Waits) != len(utilisations) || len(d.Scale) < 7 || d.Bill == nil || d.Bill.Million <= 0 {
			t.Errorf("%s", line)
		}
		if d.Queue == "photos" && (d.Declared.PeakArrivals != 20 || d.Declared.LongestWait != 600 || d.Declared.Timeout != 50) {
			t.Errorf("%+v", d.Declared)
		}
	}
}

func TestSizeRefuses(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"size photos", exitMisuse, "goes after --queue"},
		{"size --queue nobody", exitMisuse, `there is no such queue as "nobody"; there are exports,`},
		{"size --table", exitMisuse, "--table goes with one queue"},
		{"size --json --plot x.svg", exitMisuse, "--plot goes with one queue"},
		{"size --from-metrics --cost", exitMisuse, "and not with --from-metrics"},
		{"size --aws", exitMisuse, "--aws goes with --from-metrics"},
		{"size --from-metrics --arrivals 5/s", exitMisuse, "name one with --queue"},
		{"size --queue photos --plot photos.gif", exitMisuse, "ends in .svg or .png"},
		{"size --queue photos --plot " + filepath.Join("no", "such", "folder", "x.svg"), exitFailure, "writing the plot"},
		{"size --arrivals 20/s", exitMisuse, "--arrivals needs --service and --wait; to try"},
		{"size --arrivals 20 --service 3s", exitMisuse, "--arrivals needs --wait; to try"},
		{"size --bound 2", exitMisuse, "a queue that is none yet needs --arrivals and --service and --wait"},
		{"size --arrivals 5/s --service 2s --wait 1s", exitFailure, "its limit is 10 jobs and it has 20 workers, whose jobs in hand count"},
		{"size --period 7d", exitMisuse, "--period goes with --from-metrics"},
		{"size --peak 2", exitMisuse, "--peak goes with --from-metrics"},
		{"size --from-metrics --peak 0", exitMisuse, "--peak 0: want a share"},
		{"size --namespace x", exitMisuse, "--namespace goes with --from-metrics"},
		{"size --data x", exitMisuse, "--data goes with --from-metrics"},
		{"size --queue photos --memory 512", exitMisuse, "--memory goes with --cost"},
		{"size --queue photos --cost --memory 5", exitMisuse, "--memory 5: a function has 128 MB at least and 10,240 at most"},
		{"size --queue photos --cost --memory 0", exitMisuse, "--memory 0: a function has 128 MB at least"},
		{"size --queue photos --mean 5/s", exitMisuse, "--mean goes with --cost"},
		{"size --queue photos --message-bytes 5", exitMisuse, "--message-bytes goes with --spike"},
		{"size --queue photos --bound 0", exitMisuse, "want a whole number, 1 or more"},
		{"size --queue photos --batch 0", exitMisuse, "want a whole number, 1 or more"},
		{"size --queue photos --degraded-service 1s", exitMisuse, "--degraded-service goes with --spike"},
		{"size --queue newsletter --spike 100/s:10m --degraded-service 10ms", exitMisuse, "newsletter does not degrade"},
		{"size --queue photos --full degrade --spike 100/s:10m --degraded-service 4s", exitMisuse, "--degraded-service 4s: a degraded job takes some time, and no more than others, 3s"},
		{"size --queue photos --full degrade --spike 100/s:10m --degraded-service 0s", exitMisuse, "--degraded-service 0s"},
		{"size --json --spike 100/s:10m --degraded-service 1s", exitMisuse, "--degraded-service goes with one queue"},
		{"size --arrivals 1000/s --service 3s --wait 10m", exitFailure, "split the work over 5 queues"},
		{"size --queue photos --wait 200h", exitFailure, "shorten LongestWait"},
		{"size --queue photos --spike 100/s", exitMisuse, "want a rate and a time, as 100/s:10m"},
		{"size --queue photos --spike 100/d:10m", exitMisuse, "want a rate and a time"},
		{"size --arrivals -1", exitMisuse, "want a rate above zero"},
		{"size --service 0s", exitMisuse, "want a time above zero"},
		{"size --utilisation 1.1", exitMisuse, "want a share above 0"},
		{"size --full maybe", exitMisuse, "want refuse, degrade, spill or replace"},
		{"size --queue photos --spike 100/s:10m --message-bytes -1", exitMisuse, "are not negative"},
		{"size --from-metrics --period 5s", exitMisuse, "want a time of a minute at least"},
		{"size --from-metrics --data nowhere", exitFailure, "start it with nightshift dev, or read CloudWatch with --aws"},
	} {
		if got := nightshift(t, "", strings.Fields(c.args)...); got.code != c.code || got.out != "" || !strings.Contains(got.err, c.says) {
			t.Errorf("nightshift %s: %+v", c.args, got)
		}
	}
}

func TestRates(t *testing.T) {
	for text, want := range map[string]job.Rate{"20/s": 20, "20": 20, "30/m": 0.5, "30/min": 0.5, "3600/h": 1, "0.5/s": 0.5} {
		if got, err := parseRate(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "/s", "x/s", "1/d", "0/s", "-1/s", "NaN", "Inf/s", "1/s/s"} {
		if got, err := parseRate(text); err == nil {
			t.Errorf("%q is a rate of %v", text, got)
		}
	}
	for r, want := range map[job.Rate]string{0: "0/s", 20: "20/s", 0.5: "30/min", 1.0 / 120: "30/h", 47_150: "47,150/s"} {
		if got := perSecond(r); got != want {
			t.Errorf("%v: %s, want %s", float64(r), got, want)
		}
	}
}

// The drawings of docs/sizing.md are what the commands that stand there draw.
func TestDrawingsOfTheDocsAreCurrent(t *testing.T) {
	page, err := os.ReadFile("../../docs/sizing.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for line := range strings.Lines(string(page)) {
		_, command, ok := strings.Cut(line, "$ nightshift size ")
		args := strings.Fields(command)
		if !ok || !strings.Contains(command, "--plot docs/") {
			continue
		}
		drawn++
		at := len(args) - 1
		kept, err := os.ReadFile(filepath.Join("../..", args[at]))
		if err != nil {
			t.Fatal(err)
		}
		args[at] = filepath.Join(t.TempDir(), filepath.Base(args[at]))
		if got := nightshift(t, "", append([]string{"size"}, args...)...); got.code != 0 {
			t.Fatalf("%q: %+v", args, got)
		}
		fresh, err := os.ReadFile(args[at])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fresh, kept) {
			t.Errorf("the drawing is not current: run nightshift size %s", command)
		}
	}
	if drawn != 2 {
		t.Errorf("the page has %d drawings with their commands", drawn)
	}
}

func TestAPlotWithoutFormulas(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plot.PNG")
	got := nightshift(t, "", "size", "--json", "--queue", "photos", "--plot", file)
	if info, err := os.Stat(file); got.code != 0 || err != nil || info.Size() < 1000 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDays(t *testing.T) {
	for text, want := range map[string]time.Duration{"7d": 7 * 24 * time.Hour, "36h": 36 * time.Hour, "0.5d": 12 * time.Hour, "1m": time.Minute} {
		var got time.Duration
		if err := daysFlag(&got)(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"d", "xd", "-1d", "NaNd", "1e300d", "59s", ""} {
		var got time.Duration
		if err := daysFlag(&got)(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
