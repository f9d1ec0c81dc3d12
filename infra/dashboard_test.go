package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// A widget of the synthesised dashboard.
type widget struct {
	Type          string
	X, Y          int
	Width, Height int
	Properties    struct {
		Title, Markdown, Query string
		Metrics                [][]any
		Annotations            struct{ Horizontal []struct{ Value float64 } }
	}
}

func dashboard(t *testing.T) []widget {
	t.Helper()
	var body struct{ Widgets []widget }
	all := ofType(t, "AWS::CloudWatch::Dashboard")
	if len(all) != 1 {
		t.Errorf("there are %d dashboards", len(all))
	}
	if err := json.Unmarshal([]byte(text(all["Dashboard"]["DashboardBody"])), &body); err != nil {
		t.Fatal(err)
	}
	return body.Widgets
}

// series are the metrics that widgets draw, as namespace, name, dimension, value.
func series(t *testing.T, widgets []widget) (all [][]string) {
	t.Helper()
	for _, w := range widgets {
		for _, m := range w.Properties.Metrics {
			if formula, ok := m[0].(map[string]any); ok && formula["expression"] != nil {
				continue
			}
			var one []string
			for _, part := range m {
				if s, ok := part.(string); ok {
					one = append(one, s)
				}
			}
			all = append(all, one)
		}
	}
	return all
}

// The toolkit's metrics are in telemetry's list, with the dimension that they have
// there, and each of the list is on the dashboard or, being for a closer look, not.
func TestDashboardDrawsWhatIsMeasured(t *testing.T) {
	known := map[string]telemetry.Metric{}
	for _, m := range telemetry.All() {
		known[m.Name] = m
	}
	drawn := map[string]bool{}
	for _, s := range series(t, dashboard(t)) {
		if len(s) < 4 {
			t.Errorf("%v has no dimension", s)
			continue
		}
		if s[0] != namespace {
			if !strings.HasPrefix(s[0], "AWS/") {
				t.Errorf("%v is neither AWS's nor ours", s)
			}
			continue
		}
		m, ok := known[s[1]]
		if !ok || len(s) != 4 || s[2] != m.By {
			t.Errorf("%v is drawn, and nobody measures it: %+v", s, m)
		}
		drawn[s[1]] = true
	}
	for name := range known {
		left := name == telemetry.Attempts.Name || name == telemetry.Cancelled.Name || name == telemetry.Snoozed.Name
		if drawn[name] == left {
			t.Errorf("%s: drawn %v", name, drawn[name])
		}
	}
}

// Every queue has its row, with the lines that follow from its declaration.
func TestDashboardShowsEveryQueue(t *testing.T) {
	plans, err := sizing.ForTasks(tasks.Defined()...)
	if err != nil {
		t.Fatal(err)
	}
	widgets := dashboard(t)
	for name, plan := range plans {
		heading := -1
		for i, w := range widgets {
			if strings.HasPrefix(w.Properties.Markdown, "**"+name+":") {
				heading = i
			}
		}
		if heading < 0 || len(widgets) < heading+7 {
			t.Errorf("%s has no row", name)
			continue
		}
		row := widgets[heading+1 : heading+7]
		lines := map[string]string{}
		for _, w := range row {
			for _, l := range w.Properties.Annotations.Horizontal {
				lines[w.Properties.Title] += fmt.Sprintf("%g ", l.Value)
			}
			if len(w.Properties.Metrics) == 0 {
				t.Errorf("%s: %q is empty", name, w.Properties.Title)
			}
		}
		for title, want := range map[string]string{
			"Age, s":         fmt.Sprintf("%g ", plan.AgeAlarm.Seconds()),
			"Depth":          fmt.Sprintf("%d %d ", plan.Limit, plan.Mark),
			"In flight":      fmt.Sprintf("%d ", plan.Workers),
			"Utilisation, %": fmt.Sprintf("%g %g ", 100*plan.Queue.TargetUtilisation(), 100*plan.UtilisationAlarm),
		} {
			if lines[title] != want {
				t.Errorf("%s: the lines of %q are at %s, want %s", name, title, lines[title], want)
			}
		}
		for _, s := range series(t, row) {
			if s[0] == namespace && s[3] != name {
				t.Errorf("%s: its row has %v", name, s)
			}
		}
	}
}

// Panels fill the width, and none lies on another.
func TestDashboardsPanelsStandSideBySide(t *testing.T) {
	taken := map[[2]int]string{}
	for _, w := range dashboard(t) {
		for x := w.X; x < w.X+w.Width; x++ {
			for y := w.Y; y < w.Y+w.Height; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%q lies on %q, or beside the dashboard, at %d, %d", w.Properties.Title, other, x, y)
				}
				taken[[2]int{x, y}] = w.Properties.Title + w.Properties.Markdown
			}
		}
	}
}
