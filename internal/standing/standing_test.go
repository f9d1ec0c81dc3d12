package standing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/standing"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/scaling"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A site is queues and a table, by a clock that the test moves.
type site struct {
	t        *testing.T
	now      time.Time
	depths   map[string]queue.Depth // by URL; a queue without one can't be counted
	jobs     *store.Jobs
	desk     *scaling.Desk
	disabled map[string]bool // by URL
	board    *standing.Board
}

func (s *site) Depth(_ context.Context, url string) (queue.Depth, error) {
	depth, ok := s.depths[url]
	if !ok {
		return depth, errors.New("no such queue: " + url)
	}
	return depth, nil
}

func (s *site) clock() time.Time { return s.now }

// named declares a queue whose 2 workers drain 2/s, so that 120 may wait.
func named(name string, change func(*job.Queue)) job.Defined {
	q := job.Queue{Name: name, PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}
	change(&q)
	return job.Define[struct{}](name+".do", job.Policy{Queue: q})
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), depths: map[string]queue.Depth{}, disabled: map[string]bool{}}
	var err error
	if s.jobs, err = store.New(store.Config{Driver: memstore.New(memstore.Config{}), Now: s.clock}); err != nil {
		t.Fatal(err)
	}
	if s.desk, err = scaling.NewDesk(s.jobs, s.clock); err != nil {
		t.Fatal(err)
	}
	queues := map[string]settings.QueueURLs{"notes": {URL: "notes", Letters: "notes-dlq"}}
	s.depths["notes"], s.depths["notes-dlq"] = queue.Depth{Visible: 3}, queue.Depth{Visible: 2}
	tasks := []job.Defined{
		named("mail", func(*job.Queue) {}),
		named("photos", func(q *job.Queue) { q.Full = job.Degrade }),
		named("imports", func(q *job.Queue) { q.Full, q.SpillLimit = job.Spill, 1 }),
		named("index", func(q *job.Queue) { q.Full = job.Replace }),
		named("videos", func(q *job.Queue) { q.Hard, q.LongestWait = true, 4*time.Second }),
		named("elsewhere", func(*job.Queue) {}),
	}
	for _, name := range []string{"mail", "photos", "imports", "index", "videos"} {
		queues[name], s.depths[name] = settings.QueueURLs{URL: name}, queue.Depth{}
	}
	s.board, err = standing.New(standing.Config{
		Queues: queues, Counter: s, Jobs: s.jobs, Tasks: tasks, Now: s.clock, Disabled: func(url string) bool { return s.disabled[url] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// look moves the clock on, so that gates read again, and gives the queues by name.
func (s *site) look() map[string]standing.Queue {
	s.t.Helper()
	s.now = s.now.Add(2 * time.Second)
	all, err := s.board.Look(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	found := map[string]standing.Queue{}
	for _, q := range all {
		found[q.Queue] = q
	}
	return found
}

func (s *site) want(name string, gate standing.Gate) {
	s.t.Helper()
	if q := s.look()[name]; q.Gate != gate || q.Problem != "" || q.Means == "" {
		s.t.Errorf("%+v, want it %s", q, gate)
	}
}

func TestWhatBecomesOfNewWork(t *testing.T) {
	s := newSite(t)
	for name, over := range map[string]standing.Gate{"mail": standing.Full, "photos": standing.Full, "imports": standing.Spilling, "index": standing.Replacing} {
		s.want(name, standing.Open)
		s.depths[name] = queue.Depth{Visible: 100, Delayed: 10, InFlight: 10}
		s.want(name, over)
		s.depths[name] = queue.Depth{Visible: 115} // above the mark
		s.want(name, over)
	}
	s.depths["photos"] = queue.Depth{Visible: 60}
	s.want("photos", standing.Degrading)
	if q := s.look()["photos"]; q.Limit != 120 || q.LongestWait != 60 || q.Visible != 60 {
		t.Errorf("%+v", q)
	}
	// A queue that nobody declares has no bounds.
	if q := s.look()["notes"]; q.Gate != "" || q.Limit != 0 || q.Age != nil || q.Visible != 3 || *q.Letters != 2 || q.Workers != "at work" {
		t.Errorf("%+v", q)
	}
	if _, there := s.look()["elsewhere"]; there {
		t.Error("a queue is shown that the stack does not have")
	}
}

// What is counted exactly is full when that count is, whatever waits.
func TestPlacesThatAreTaken(t *testing.T) {
	s := newSite(t)
	s.want("videos", standing.Open)
	s.depths["imports"] = queue.Depth{Visible: 120}
	s.want("imports", standing.Spilling)
	for i := range 8 {
		s.make(store.NewJob{Task: "videos.do", Queue: "videos", Hard: &store.Bound{Limit: 8, Shards: 1}}, i)
	}
	s.make(store.NewJob{Task: "imports.do", Queue: "imports", Spill: &store.Bound{Limit: 1, Shards: 1}}, 8)
	s.want("videos", standing.Full)
	s.want("imports", standing.Full)
}

func (s *site) make(n store.NewJob, i int) {
	s.t.Helper()
	n.ID, n.MaxAttempts, n.Args = job.ID(fmt.Sprintf("01JM8W3V5Q8Z0000000000000%d", i)), 3, []byte(`{}`)
	if _, _, err := s.jobs.Create(s.t.Context(), n); err != nil {
		s.t.Fatal(err)
	}
}

// An age that nobody knows is not shown as none.
func TestAges(t *testing.T) {
	s := newSite(t)
	if q := s.look()["mail"]; q.Age == nil || *q.Age != 0 {
		t.Errorf("nothing waits: %+v", q)
	}
	s.depths["mail"] = queue.Depth{Visible: 5}
	if q := s.look()["mail"]; q.Age != nil {
		t.Errorf("nobody has noted anything: %+v", q)
	}
	if _, noted, err := s.jobs.NoteWait(t.Context(), "mail", store.Note{At: s.now, Oldest: s.now.Add(-28 * time.Second), Finished: 1}); err != nil || !noted {
		t.Fatal(noted, err)
	}
	if q := s.look()["mail"]; q.Age == nil || *q.Age != 30 || q.Gate != standing.Open {
		t.Errorf("%+v", q)
	}
	for range 16 {
		s.look()
	}
	if q := s.look()["mail"]; *q.Age < 60 || q.Gate != standing.Full {
		t.Errorf("the oldest waits too long: %+v", q)
	}
}

func TestARelayThatStandsStill(t *testing.T) {
	s := newSite(t)
	s.look()
	if _, err := s.jobs.Probe(t.Context(), "mail", store.Gauge{}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		s.look()
	}
	s.want("mail", standing.Unrelayed)
	g, err := s.jobs.Gauge(t.Context(), "mail")
	if err != nil || s.now.Sub(g.Probed) < 6*time.Second {
		t.Errorf("who looks sends probes: %+v, %v", g, err)
	}
}

func TestAQueueThatCanNotBeRead(t *testing.T) {
	s := newSite(t)
	delete(s.depths, "mail")
	found := s.look()
	if q := found["mail"]; q.Gate != standing.Unknown || q.Problem != "no such queue: mail" {
		t.Errorf("%+v", q)
	}
	if q := found["photos"]; q.Gate != standing.Open || q.Problem != "" {
		t.Errorf("another queue: %+v", q)
	}
}

func TestWhoWorks(t *testing.T) {
	s := newSite(t)
	workers := func(want string) {
		t.Helper()
		var got []string
		found := s.look()
		for _, name := range []string{"mail", "photos", "imports"} {
			q := found[name]
			words := q.Workers
			if q.Paused {
				words += "!"
			}
			if !q.Until.IsZero() {
				words += q.Until.Format(" 15:04")
			}
			got = append(got, words)
		}
		if all := strings.Join(got, "; "); all != want {
			t.Errorf("%s\nwant %s", all, want)
		}
	}
	workers("at work; at work; at work")
	s.mark("known", "", `{"mail":{"least":2,"most":2},"photos":{"least":2,"most":9},"imports":{"least":9,"most":9}}`)
	s.lend("mail", "", 1, time.Hour)
	workers("to be paused within a minute 10:00; at work; at work")
	s.begin("mail")
	workers("paused! 10:00; at work; at work")
	s.lend("imports", "photos", 0.5, 10*time.Minute)
	workers("paused! 10:00; to borrow from imports within a minute 09:10; to be lent to photos within a minute (50 %) 09:10")
	s.begin("imports")
	workers("paused! 10:00; borrows from imports 09:10; lent to photos (50 %) 09:10")
	for _, from := range []string{"mail", "imports"} {
		if _, err := s.desk.Return(t.Context(), from); err != nil {
			t.Fatal(err)
		}
	}
	workers("to go on within a minute!; at work; to go on within a minute")
	s.disabled["photos"] = true
	workers("to go on within a minute!; paused: its mapping is disabled!; to go on within a minute")
}

func (s *site) lend(from, to string, share float64, lasts time.Duration) {
	s.t.Helper()
	if _, err := s.desk.Lend(s.t.Context(), from, to, share, lasts); err != nil {
		s.t.Fatal(err)
	}
}

// begin lets the function that moves workers see a loan.
func (s *site) begin(from string) {
	s.t.Helper()
	before, err := s.jobs.Mark(s.t.Context(), "scaling#loan#"+from)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mark("loan#"+from, before, strings.TrimSuffix(before, "}")+`,"begun_at":"2026-03-02T09:00:10Z"}`)
}

func (s *site) mark(name, before, text string) {
	s.t.Helper()
	if ok, err := s.jobs.SetMark(s.t.Context(), "scaling#"+name, before, text); err != nil || !ok {
		s.t.Fatal(ok, err)
	}
}

// A stack without a table has queues all the same.
func TestWithoutATable(t *testing.T) {
	s := newSite(t)
	board, err := standing.New(standing.Config{Queues: map[string]settings.QueueURLs{"notes": {URL: "notes"}}, Counter: s, Now: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := board.Look(t.Context()); err != nil || len(all) != 1 || all[0].Visible != 3 || all[0].Workers != "at work" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestDeclarationsThatContradictThemselves(t *testing.T) {
	s := newSite(t)
	_, err := standing.New(standing.Config{Counter: s, Jobs: s.jobs, Now: s.clock, Tasks: []job.Defined{named("mail", func(q *job.Queue) { q.LongestWait = time.Millisecond })}})
	if err == nil || !strings.Contains(err.Error(), "LongestWait") {
		t.Error(err)
	}
}
