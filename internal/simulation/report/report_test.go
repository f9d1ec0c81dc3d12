package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/report"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// runs are a spike without and with a bound.
func runs(t *testing.T) []*simulation.Result {
	t.Helper()
	c := simulation.Config{
		Policy: job.Policy{
			Queue:   job.Queue{Name: "photos", PeakArrivals: 2, ServiceTime: 3 * time.Second, LongestWait: time.Minute},
			Timeout: 50 * time.Second,
		},
		Load: simulation.Load{Curve: simulation.Spike(2, time.Minute, 5*time.Minute, 20)},
		For:  10 * time.Minute, Seed: 1,
	}
	var results []*simulation.Result
	for _, name := range []string{"unbounded", "bounded"} {
		c.Name, c.Unbounded = name, name == "unbounded"
		r, err := simulation.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	return results
}

func TestTotalsStandSideBySide(t *testing.T) {
	var out bytes.Buffer
	if err := report.Totals(&out, runs(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"unbounded", "bounded", "none", "accepted", "because of", "full "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "dead") {
		t.Errorf("there is nothing dead to tell of:\n%s", out.String())
	}
}

func TestACourseHasRowsThatPeopleRead(t *testing.T) {
	var out bytes.Buffer
	if err := report.Course(&out, runs(t)[1]); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines < 5 || lines > 26 {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
}

func TestJSONHasTheTotalsAndTheCourse(t *testing.T) {
	results := runs(t)
	var out bytes.Buffer
	if err := report.JSON(&out, results); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines for two runs", len(lines))
	}
	for i, line := range lines {
		var run struct {
			Name   string
			Limit  *int
			Totals struct {
				Accepted int
				Wait     struct{ Most float64 }
			}
			Course []struct{ Until, Age float64 }
		}
		if err := json.Unmarshal([]byte(line), &run); err != nil {
			t.Fatal(err)
		}
		want := results[i]
		if run.Name != want.Name || run.Totals.Accepted != want.Totals.Accepted || len(run.Course) != len(want.Points) || (run.Limit != nil) != want.Bounded {
			t.Errorf("%s", line[:200])
		}
		if got := run.Totals.Wait.Most; got < want.Totals.Wait.Most.Seconds()-0.001 || got > want.Totals.Wait.Most.Seconds()+0.001 {
			t.Errorf("the longest wait is %v, and not %v", got, want.Totals.Wait.Most)
		}
	}
}

func TestPlotsNameTheirAxesAndRuns(t *testing.T) {
	drawn, err := report.Plot("A spike", runs(t), report.SVG)
	if err != nil {
		t.Fatal(err)
	}
	texts := textsOf(t, drawn)
	for _, want := range []string{
		"A spike", "unbounded", "bounded", "jobs waiting", "age of the oldest, minutes", "in progress (dashed: workers)", "accepted a second",
		"refused a second", "time since the beginning, minutes",
	} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not in\n%s", want, texts)
		}
	}
	again, err := report.Plot("A spike", runs(t), report.SVG)
	if err != nil || !bytes.Equal(drawn, again) {
		t.Errorf("the same runs give other bytes: %v", err)
	}
}

func textsOf(t *testing.T, svg []byte) string {
	t.Helper()
	var all []string
	for decoder := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(all, "\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && len(bytes.TrimSpace(text)) > 0 {
			all = append(all, strings.TrimSpace(string(text)))
		}
	}
}

func TestPlotsAreImagesToo(t *testing.T) {
	drawn, err := report.Plot("A spike", runs(t), report.PNG)
	if err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(bytes.NewReader(drawn))
	if err != nil || image.Bounds().Dx() < 600 || image.Bounds().Dy() < image.Bounds().Dx() {
		t.Errorf("%v: %v", image.Bounds(), err)
	}
	if _, err := report.Plot("A spike", runs(t), "gif"); err == nil {
		t.Error("a GIF was drawn")
	}
}
