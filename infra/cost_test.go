package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Prices of CloudWatch in us-east-1 in dollars a month, of 2026-11: an alarm for each
// metric that it looks at, a dashboard of more than 50 metrics, a metric of one's own.
// https://aws.amazon.com/cloudwatch/pricing/
const (
	pricePerAlarmMetric = 0.10
	priceOfDashboard    = 3.00
	pricePerMetric      = 0.30
)

// What watching the stack costs is what docs/deploy.md says.
func TestTheCostOfWatchingIsAsDocumented(t *testing.T) {
	alarms := ofType(t, "AWS::CloudWatch::Alarm")
	metrics := 0
	for _, p := range alarms {
		metrics += alarmMetrics(p)
	}
	own := ownMetrics(t)
	wanted := []string{
		fmt.Sprintf("%d alarms on %d metrics, $%.2f a month", len(alarms), metrics, pricePerAlarmMetric*float64(metrics)),
		fmt.Sprintf("dashboard, $%.2f", priceOfDashboard),
		fmt.Sprintf("at most %d metrics of its own, $%.2f", own, pricePerMetric*float64(own)),
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "deploy.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(page)), " ")
	for _, want := range wanted {
		if !strings.Contains(words, want) {
			t.Errorf("docs/deploy.md does not say %q", want)
		}
	}
}

// alarmMetrics counts the metrics that an alarm pays for.
func alarmMetrics(alarm map[string]any) (n int) {
	if alarm["MetricName"] != nil {
		return 1
	}
	for _, element := range list(alarm["Metrics"]) {
		if metric, _ := element.(map[string]any); metric["MetricStat"] != nil {
			n++
		}
	}
	return n
}

// ownMetrics counts what the toolkit may measure: those of gates for queues that have
// one, those of spilled jobs for queues that spill, the others of each queue once.
func ownMetrics(t *testing.T) (n int) {
	t.Helper()
	all := resources(t)
	for _, q := range tasks.Queues() {
		id := constructs.ID(q.Name)
		for _, m := range telemetry.All() {
			switch {
			case m.By != telemetry.ByQueue:
			case m == telemetry.Released || m == telemetry.SpillDepth:
				n += there(all, id+"SpillAlarm")
			case m == telemetry.Accepted || m == telemetry.Refused || m == telemetry.Degraded || m == telemetry.Spilled || m == telemetry.Depth || m == telemetry.Age:
				n += there(all, id+"RefusalsAlarm")
			default:
				n++
			}
		}
	}
	for _, m := range telemetry.All() {
		if m.By == telemetry.ByFunction {
			n++
		}
	}
	return n
}

func there(all map[string]resource, id string) int {
	if all[id].Type == "" {
		return 0
	}
	return 1
}
