package newsletter_test

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/schedule"
)

const newsletterName = "newsletter"

// scheduler is one of several that know the same periodic jobs.
func (w *world) scheduler() *periodic.Periodic {
	w.t.Helper()
	p, err := periodic.New(periodic.Config{Jobs: w.Jobs, Producer: w.Producer, Now: w.Now}, tasks.WeeklyNewsletter)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// Nine in Berlin, in winter and in summer.
func TestMondays(t *testing.T) {
	when, err := schedule.Parse(tasks.WeeklyNewsletter.Expression, tasks.WeeklyNewsletter.Zone)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[string]string{
		"2026-01-05T08:00": "2026-01-12T08:00", "2026-03-28T12:00": "2026-03-30T07:00", "2026-10-24T12:00": "2026-10-26T08:00",
	} {
		if next, ok := when.Next(day(after)); !ok || !next.Equal(day(want)) {
			t.Errorf("after %s comes %v, want %s", after, next, want)
		}
	}
}

// Two schedulers, each of which fires twice, and the check besides.
func TestAMondayIsOneIssue(t *testing.T) {
	for seed := range uint64(10) {
		w := newWorld(t, nightshifttest.Config{Seed: seed, Shuffle: true, Duplicates: true})
		w.crowd(25, -1)
		w.Schedule(tasks.WeeklyNewsletter)
		other := w.scheduler()
		for _, at := range []time.Time{day("2026-01-12T08:00"), day("2026-01-19T08:00")} { // nine in Berlin
			w.publish("soup", "The soup")
			w.Advance(t.Context(), at.Sub(w.Now())) // the first scheduler fires by itself
			for range 2 {
				if err := other.Occur(t.Context(), newsletterName, at.Add(20*time.Second)); err != nil {
					t.Fatal(err)
				}
				if err := other.Check(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			w.RunAll(t.Context())
		}
		for to, n := range w.ses.To() {
			if n != 2 {
				t.Errorf("seed %d: %s got %d copies of two issues", seed, to, n)
			}
		}
		for _, monday := range []string{"2026-01-12", "2026-01-19"} {
			if p := w.progress(monday); p.Sent != 25 || p.Total != 25 {
				t.Errorf("seed %d: the issue of %s: %+v", seed, monday, p)
			}
		}
	}
}

// The policy for a missed Monday: late until Thursday morning, then not at all.
func TestAMissedMonday(t *testing.T) {
	for name, c := range map[string]struct {
		back string
		want int
	}{
		"back on Tuesday":            {"2026-01-13T12:00", 1},
		"back on Thursday, at eight": {"2026-01-15T07:00", 1},
		"back on Thursday, at noon":  {"2026-01-15T12:00", 0},
	} {
		w := newWorld(t, nightshifttest.Config{})
		w.join("ada")
		s := w.scheduler()
		if err := s.Check(t.Context()); err != nil { // since when it is known
			t.Fatal(err)
		}
		w.Advance(t.Context(), day(c.back).Sub(w.Now()))
		w.publish("soup", "The soup")
		for range 2 {
			if err := s.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.RunAll(t.Context())
		if n := w.ses.To()[address("ada")]; n != c.want {
			t.Errorf("%s: %d copies, want %d", name, n, c.want)
		}
		if p := w.progress("2026-01-12"); p.Sent != c.want {
			t.Errorf("%s: the issue is not named by its Monday: %+v", name, p)
		}
	}
}
