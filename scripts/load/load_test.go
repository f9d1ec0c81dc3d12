package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

var midnight = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

func TestPlan(t *testing.T) {
	day := plan(7, 200, midnight)
	if !reflect.DeepEqual(day, plan(7, 200, midnight)) || reflect.DeepEqual(day, plan(8, 200, midnight)) {
		t.Error("the same seed is to give the same day, and another another")
	}
	joined, hours := map[int]bool{}, make([]int, 24)
	for i, a := range day {
		if i > 0 && a.at.Before(day[i-1].at) || a.at.Before(midnight) || !a.at.Before(midnight.Add(24*time.Hour)) {
			t.Fatalf("act %d is at %v", i, a.at)
		}
		switch a.kind {
		case "join":
			joined[a.who] = true
		case "newsletter":
		default:
			if !joined[a.who] {
				t.Errorf("%d acts before joining", a.who)
			}
			hours[a.at.Hour()]++
		}
	}
	if len(joined) != 200 || hours[20] < 5*hours[4] {
		t.Errorf("%d joined; acts by the hour: %v", len(joined), hours)
	}
}

// record is a job that could start at one minute and ended two seconds after it began at
// another.
func record(queue string, created, started int) store.Record {
	rec := store.Record{ID: job.ID(queue), Queue: queue, Created: midnight.Add(time.Duration(created) * time.Minute)}
	rec.State = lifecycle.Done
	rec.Started = midnight.Add(time.Duration(started) * time.Minute)
	rec.Finished = rec.Started.Add(2 * time.Second)
	return rec
}

func TestFigures(t *testing.T) {
	nudge := record("reminders", 60, 71)
	nudge.Task = tasks.NudgeDraft.Definition().Name
	reminder := record("reminders", 10, 120)
	reminder.ID = "due"
	heard := record("feeds", 30, 30)
	heard.Args = []byte(`{"recipe":"r","version":1,"author":"a","title":"t","published_at":"2026-03-02T00:28:00Z"}`)
	waiting := record("photos", 100, 100)
	waiting.State = lifecycle.Scheduled
	got := figuresOf([]store.Record{
		record("photos", 0, 20), record("photos", 1, 21), record("photos", 16, 22), waiting, nudge, reminder, heard,
	}, midnight, dueTimes{"due": midnight.Add(119 * time.Minute)})

	if names := []string{got[0].Queue, got[1].Queue, got[2].Queue}; !slices.Equal(names, []string{"feeds", "photos", "reminders"}) {
		t.Fatalf("the queues are %v", names)
	}
	feeds, photos, reminders := got[0], got[1], got[2]
	if want := []time.Duration{2 * time.Minute}; !slices.Equal(feeds.Waits, want) {
		t.Errorf("a subscriber waited %v, want %v", feeds.Waits, want)
	}
	if want := []time.Duration{time.Minute, time.Minute}; !slices.Equal(reminders.Waits, want) {
		t.Errorf("reminders waited %v, want %v", reminders.Waits, want)
	}
	if want := []time.Duration{6 * time.Minute, 20 * time.Minute, 20 * time.Minute}; !slices.Equal(photos.Waits, want) || photos.Jobs != 3 || photos.Planned != 1 {
		t.Errorf("photos: %+v", photos)
	}
	if photos.Arrivals[0] != 2 || photos.Arrivals[1] != 1 || photos.Depth[0] != 2 || photos.Depth[1] != 3 || photos.Age[1] != 20*time.Minute {
		t.Errorf("arrivals %v, depth %v, age %v", photos.Arrivals[:2], photos.Depth[:2], photos.Age[:2])
	}
	if q := quantile(photos.Waits, 0.5); q != 20*time.Minute || quantile(nil, 0.5) != 0 || quantile(photos.Waits, 1) != 20*time.Minute {
		t.Errorf("the median is %v", q)
	}
}

func TestReport(t *testing.T) {
	folder := t.TempDir()
	s := summary{Began: midnight, Took: time.Minute, Acts: 3, Answers: map[int]int{202: 2, 503: 1}, Queues: figuresOf([]store.Record{record("photos", 0, 20)}, midnight, nil)}
	if err := report(folder, s); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<td>photos<td>1<td>1<td>0", "20m0s", "2 × 202, 1 × 503", `src="depth.svg"`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	for _, f := range figures {
		if data, err := os.ReadFile(filepath.Join(folder, f.file)); err != nil || !strings.Contains(string(data), "<svg") || !strings.Contains(string(data), "photos") {
			t.Errorf("%s: %v", f.file, err)
		}
	}
}
