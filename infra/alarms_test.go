package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// namespace is where the stack's metrics are.
const namespace = telemetry.Namespace + "/" + stackName

// runbooks is where the pages are.
var runbooks = filepath.Join("..", "docs", "runbooks")

// Every alarm says what to do, on a page that there is; and no page is for an alarm
// that there is not.
func TestRunbooks(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(runbooks, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds %v, %v", runbooks, files, err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".md")
	}
	used := map[string]bool{}
	for id, p := range ofType(t, "AWS::CloudWatch::Alarm") {
		says, link, ok := strings.Cut(text(p["AlarmDescription"]), " Runbook: "+constructs.Runbooks)
		name := strings.TrimSuffix(link, ".md")
		if !ok || says == "" || !slices.Contains(files, name) {
			t.Errorf("%s says %q: its page is not in %s", id, p["AlarmDescription"], runbooks)
		}
		used[name] = true
	}
	for _, name := range files {
		if !used[name] {
			t.Errorf("no alarm has the page %s.md", name)
		}
	}
}

// A page says what it means, where to look, what to do, and when it is over.
func TestRunbooksSayWhatToDo(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(runbooks, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, part := range []string{"# ", "\n**", "\n## Look here\n", "\n## Do this\n", "\n## Over when\n"} {
			next := strings.Index(string(page)[at:], part)
			if next < 0 {
				t.Errorf("%s lacks %q, or has it too early", filepath.Base(file), part)
				break
			}
			at += next + len(part)
		}
	}
}

func TestQueuesAlarms(t *testing.T) {
	alarms := ofType(t, "AWS::CloudWatch::Alarm")
	plans, err := sizing.ForTasks(tasks.Defined()...)
	if err != nil {
		t.Fatal(err)
	}
	for name := range plans {
		for _, kind := range []string{"QueueAge", "DeadLetters", "Utilisation"} {
			if id := constructs.ID(name) + kind + "Alarm"; alarms[id] == nil {
				t.Errorf("there is no %s", id)
			}
		}
	}
	// Those have a gate before them, and no others.
	for _, name := range []string{"photos", "videos", "imports", "exports", "pdfs", "search"} {
		if id := constructs.ID(name) + "RefusalsAlarm"; (alarms[id] == nil) != (name == "search") {
			t.Errorf("%s: %v", id, alarms[id])
		}
	}
	want(t, "PhotosUtilisationAlarm", alarms["PhotosUtilisationAlarm"], map[string]string{
		"Threshold": "90", "EvaluationPeriods": "6", "ComparisonOperator": "GreaterThanThreshold", "TreatMissingData": "notBreaching"})
	// Five minutes of ninety workers.
	if got, part := text(alarms["PhotosUtilisationAlarm"]["Metrics"]), `"Expression":"100 * busy / 27000000"`; !strings.Contains(got, part) {
		t.Errorf("PhotosUtilisationAlarm looks at %s, want %s", got, part)
	}
	// One in a hundred of what arrives at the peak.
	want(t, "PhotosRefusalsAlarm", alarms["PhotosRefusalsAlarm"], map[string]string{
		"MetricName": telemetry.Refused.Name, "Threshold": "12", "EvaluationPeriods": "5", "Dimensions": `{"Name":"Queue","Value":"photos"}`})
	// Those spill, or degrade and leave something for later.
	for name := range plans {
		id, spills := constructs.ID(name)+"SpillAlarm", name == tasks.Photos.Name || name == tasks.Imports.Name
		if (alarms[id] != nil) != spills {
			t.Errorf("%s: %v", id, alarms[id])
		}
	}
	want(t, "PhotosSpillAlarm", alarms["PhotosSpillAlarm"], map[string]string{"Threshold": "0", "EvaluationPeriods": "6"})
	if got := text(alarms["PhotosSpillAlarm"]["Metrics"]); !strings.Contains(got, telemetry.SpillDepth.Name) || !strings.Contains(got, "IF(DIFF(waiting)") {
		t.Errorf("PhotosSpillAlarm looks at %s", got)
	}
	// A backlog of the newsletter may keep its workers busy for six hours.
	want(t, "NewsletterUtilisationAlarm", alarms["NewsletterUtilisationAlarm"], map[string]string{"Threshold": "95", "EvaluationPeriods": "72"})
	for _, id := range []string{"SweepStoppedAlarm", "ScalingStoppedAlarm", "SchedulesStoppedAlarm"} {
		want(t, id, alarms[id], map[string]string{"MetricName": "Invocations", "TreatMissingData": "breaching",
			"ComparisonOperator": "LessThanThreshold", "Threshold": "1", "EvaluationPeriods": "5"})
	}
	want(t, "SweepLatenessAlarm", alarms["SweepLatenessAlarm"], map[string]string{
		"Namespace": namespace, "MetricName": telemetry.SweepLag.Name, "Threshold": "120000", "ExtendedStatistic": "p99"})
	want(t, "SchedulesMissedAlarm", alarms["SchedulesMissedAlarm"], map[string]string{"MetricName": telemetry.OccurrenceMissed.Name, "Threshold": "0"})
}

// What a page leads to is there.
func TestRunbooksLeadSomewhere(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(runbooks, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)#:]+)`)
	for _, file := range append(files, filepath.Join("..", "docs", "back-pressure.md"), filepath.Join("..", "docs", "deploy.md")) {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links.FindAllSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), string(link[1]))); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
		}
	}
}
