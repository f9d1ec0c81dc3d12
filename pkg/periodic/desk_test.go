package periodic_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func (w *world) desk() *periodic.Desk {
	w.t.Helper()
	d, err := periodic.NewDesk(w.jobs(), func() time.Time { return w.now })
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) status(name string) periodic.Status {
	w.t.Helper()
	s, err := w.desk().Get(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// ask asks for a run.
func (w *world) ask(name string) time.Time {
	w.t.Helper()
	asked, err := w.desk().Ask(w.t.Context(), name)
	if err != nil {
		w.t.Fatal(err)
	}
	return asked
}

// The desk knows nothing but the table, and finds what functions have declared.
func TestDeskLists(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:30:00Z")
	hourly := newsletter()
	hourly.Name, hourly.Expression, hourly.Zone = "hourly", "rate(1 hours)", ""
	p := w.scheduler(newsletter(), hourly)
	if all, err := w.desk().List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("before the first check: %+v, %v", all, err)
	}
	w.check(p)
	w.mustFire(p, newsletter(), "2026-11-23T08:00:00Z")
	all, err := w.desk().List(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	own, err := p.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range own {
		i := slices.IndexFunc(all, func(s periodic.Status) bool { return s.Name == want.Name })
		got := all[i]
		if !got.Next.Equal(want.Next) || !got.Last.Equal(want.Last) || got.Expression != want.Expression || got.Zone != want.Zone {
			t.Errorf("the desk has %+v, the function %+v", got, want)
		}
	}
	if got := all[1]; got.Name != "newsletter" || got.Zone != "Europe/Berlin" || !got.Last.Equal(at(t, "2026-11-23T08:00:00Z")) ||
		!got.Next.Equal(at(t, "2026-11-30T08:00:00Z")) || !got.Seen.Equal(at(t, "2026-11-23T07:00:00Z")) {
		t.Errorf("%+v", got)
	}

	// A function that has one of them no more.
	w.now = w.now.Add(5 * time.Hour)
	w.check(w.scheduler(hourly))
	if gone, here := w.status("newsletter"), w.status("hourly"); !gone.Seen.Equal(at(t, "2026-11-23T07:00:00Z")) || !here.Seen.Equal(at(t, "2026-11-23T13:00:00Z")) {
		t.Errorf("declared last at %v and %v", gone.Seen, here.Seen)
	}
}

func TestDeskPauses(t *testing.T) {
	w := newWorld(t, "2026-11-22T12:00:00Z")
	j := newsletter()
	p, d := w.scheduler(j), w.desk()
	w.check(p)
	for range 2 { // twice is once
		if err := d.Pause(t.Context(), "newsletter"); err != nil {
			t.Fatal(err)
		}
		if s := w.status("newsletter"); !s.Paused || !s.PausedSince.Equal(at(t, "2026-11-22T12:00:00Z")) || !s.Next.IsZero() {
			t.Errorf("paused: %+v", s)
		}
		w.now = at(t, "2026-11-22T12:00:00Z")
	}
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	w.now = at(t, "2026-11-25T12:00:00Z")
	if err := d.Resume(t.Context(), "newsletter"); err != nil {
		t.Fatal(err)
	}
	w.check(p)
	w.want() // what lay in the pause was not missed
	if s := w.status("newsletter"); s.Paused || !s.PausedSince.IsZero() || !s.Next.Equal(at(t, "2026-11-30T08:00:00Z")) {
		t.Errorf("resumed: %+v", s)
	}
	w.mustFire(p, j, "2026-11-30T08:00:00Z")
	w.want("2026-11-30T08:00")
}

// What was asked for is enqueued once, also where the check dies between the job and
// the mark, and beside the occurrences, also while the job is paused.
func TestAskedForOnce(t *testing.T) {
	for _, paused := range []bool{false, true} {
		w := newWorld(t, "2026-11-24T12:00:00.123Z")
		p := w.scheduler(newsletter())
		w.check(p)
		if paused {
			if err := w.desk().Pause(t.Context(), "newsletter"); err != nil {
				t.Fatal(err)
			}
		}
		asked := w.ask("newsletter")
		w.now = w.now.Add(time.Minute)
		if again := w.ask("newsletter"); !again.Equal(asked) {
			t.Errorf("asked again before a check: %v and %v", asked, again)
		}
		w.want()
		w.failMarks = 1
		if err := p.Check(t.Context()); !errors.Is(err, errTable) {
			t.Fatalf("the mark could not be moved: %v", err)
		}
		for range 3 {
			w.check(p)
		}
		w.want("2026-11-24T12:00")
		s := w.status("newsletter")
		if !s.Asked.IsZero() || s.Ran == nil || !s.Ran.Asked.Equal(asked) || s.Ran.Job == "" || s.Ran.Joined || s.Paused != paused {
			t.Errorf("%+v, ran %+v", s, s.Ran)
		}
		w.ask("newsletter")
		w.check(p)
		w.want("2026-11-24T12:00", "2026-11-24T12:01")
	}
}

func TestAskedForWhileAnEarlierOneIsUnfinished(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	j.Overlap = periodic.LeaveOut
	p := w.scheduler(j)
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	w.now = w.now.Add(time.Hour)
	w.ask("newsletter")
	w.check(p)
	w.want("2026-11-23T08:00")
	ran := w.status("newsletter").Ran
	if ran == nil || !ran.Joined {
		t.Fatalf("ran %+v", ran)
	}
	if got := w.occurrenceOf(ran.Job); got != "2026-11-23T08:00" {
		t.Errorf("joined the job of %s", got)
	}
}

// Two people's clocks differ, or both ask within a millisecond: the later run is
// another one, and nobody is told of the earlier one in its place.
func TestAskedForByOthersClocks(t *testing.T) {
	w := newWorld(t, "2026-11-24T12:00:00Z")
	p := w.scheduler(newsletter())
	w.check(p)
	last := w.ask("newsletter")
	w.check(p)
	for _, behind := range []time.Duration{0, time.Microsecond, time.Minute} {
		w.now = at(t, "2026-11-24T12:00:00Z").Add(-behind)
		before := w.status("newsletter").Ran
		asked := w.ask("newsletter")
		if !asked.After(last) || !before.Asked.Before(asked) {
			t.Errorf("%v behind: asked for at %v, and before at %v", behind, asked, last)
		}
		w.check(p)
		if ran := w.status("newsletter").Ran; ran.Job == before.Job || !ran.Asked.Equal(asked) {
			t.Errorf("%v behind: it ran as %+v, and before as %+v", behind, ran, before)
		}
		last = asked
	}
}

func TestAskedForAndRefused(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	calls := 0
	j.Request = func(at time.Time) job.Request {
		if calls++; calls > 1 {
			return job.Define[issue]("newsletter.unknown", job.Policy{Queue: mail}).With(issue{at})
		}
		return send.With(issue{at})
	}
	p := w.scheduler(j)
	w.check(p)
	w.ask("newsletter")
	w.check(p)
	if s := w.status("newsletter"); s.Ran == nil || !strings.Contains(s.Ran.Refused, "newsletter.unknown") || !s.Asked.IsZero() {
		t.Errorf("%+v, ran %+v", s, s.Ran)
	}
}

func TestDeskKnowsNoSuchJob(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	d := w.desk()
	_, got := d.Get(t.Context(), "letter")
	_, asked := d.Ask(t.Context(), "letter")
	for _, err := range []error{got, asked, d.Pause(t.Context(), "letter"), d.Resume(t.Context(), "letter")} {
		if !errors.Is(err, periodic.ErrUnknown) {
			t.Errorf("%v", err)
		}
	}
	if all, err := d.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("a question made a mark: %+v, %v", all, err)
	}
	if _, err := periodic.NewDesk(nil, nil); err == nil {
		t.Error("a desk without a table")
	}
}

// With LeaveOut there is one unfinished job at most; the next occurrence after its
// end is enqueued.
func TestLeaveOut(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	j.Overlap = periodic.LeaveOut
	p := w.scheduler(j)
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	w.mustFire(p, j, "2026-11-30T08:00:00Z")
	w.want("2026-11-23T08:00")
	page, err := w.jobs().ScanPage(t.Context(), store.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	rec := page.Jobs[0]
	if _, err := w.jobs().Cancel(t.Context(), rec.ID, ""); err != nil {
		t.Fatal(err)
	}
	if rec, err = w.jobs().Get(t.Context(), rec.ID); err != nil || rec.State != lifecycle.Cancelled {
		t.Fatal(rec.State, err)
	}
	w.mustFire(p, j, "2026-12-07T08:00:00Z")
	w.want("2026-11-23T08:00", "2026-12-07T08:00")

	j.Options = []job.Option{job.Unique("mine")}
	if err := tryNew(w, j); err == nil || !strings.Contains(err.Error(), "use one") {
		t.Errorf("LeaveOut beside job.Unique: %v", err)
	}
	j.Options, j.Overlap = nil, 2
	if err := tryNew(w, j); err == nil || !strings.Contains(err.Error(), "Overlap is 2") {
		t.Errorf("an unknown Overlap: %v", err)
	}
}
