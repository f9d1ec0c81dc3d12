package gauge_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// site is a queue and its table, by a clock that the test moves.
type site struct {
	t       *testing.T
	now     time.Time
	depth   queue.Depth
	err     error
	overdue map[string]time.Time
	driver  *fault.Driver
	memory  *memstore.Driver
	jobs    *store.Jobs
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, now: time.Now().Truncate(time.Second).UTC()}
	s.memory = memstore.New(memstore.Config{})
	s.driver = &fault.Driver{Inner: s.memory}
	s.jobs = jobsOn(t, s.driver, s.clock)
	return s
}

func (s *site) clock() time.Time { return s.now }

// Depth counts the queue's messages.
func (s *site) Depth(_ context.Context, url string) (queue.Depth, error) {
	if url != "url of photos" {
		return queue.Depth{}, errors.New("access denied")
	}
	return s.depth, s.err
}

func (s *site) source() *gauge.Source {
	s.t.Helper()
	source, err := gauge.NewSource(gauge.SourceConfig{
		Queue: "photos", URL: "url of photos", LongestWait: 10 * time.Minute, Jobs: s.jobs, Counter: s, Now: s.clock, Logger: quiet,
		Overdue: func(context.Context) (map[string]time.Time, error) { return s.overdue, nil },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return source
}

// age reads and gives the age of the oldest.
func (s *site) age(source *gauge.Source) time.Duration {
	s.t.Helper()
	r, err := source.Look(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Age(s.now)
}

// work is a worker that begins a job which had waited so long.
func (s *site) work(waited time.Duration) {
	s.t.Helper()
	if _, _, err := s.jobs.NoteWait(s.t.Context(), "photos", store.Note{At: s.now, Oldest: s.now.Add(-waited)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) wantAge(what string, source *gauge.Source, want time.Duration) {
	s.t.Helper()
	if got := s.age(source); got != want {
		s.t.Errorf("%s: an age of %v, want %v", what, got, want)
	}
}

func TestDepthIsAllThatWaits(t *testing.T) {
	s := newSite(t)
	s.depth = queue.Depth{Visible: 5, Delayed: 3, InFlight: 2}
	r, err := s.source().Look(t.Context())
	if err != nil || r != (admission.Reading{Depth: 10}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTheAgeIsTheWaitThatWorkersSee(t *testing.T) {
	s := newSite(t)
	source := s.source()
	s.depth = queue.Depth{Visible: 5}
	s.wantAge("nobody ever noted anything", source, 0)
	s.work(40 * time.Second)
	s.wantAge("just noted", source, 40*time.Second)
	s.now = s.now.Add(time.Second)
	s.wantAge("a second later", source, 41*time.Second)
	s.work(2 * time.Second)
	s.wantAge("a younger one began", source, 2*time.Second)
	s.depth = queue.Depth{Delayed: 5, InFlight: 5}
	s.wantAge("nothing that could be begun", source, 0)
}

// Stuck: nobody works and so nobody notes anything. The age grows, and a process that has
// just begun knows it as well.
func TestTheAgeGrowsWhenNobodyWorks(t *testing.T) {
	s := newSite(t)
	source := s.source()
	s.depth = queue.Depth{Visible: 5}
	s.work(10 * time.Second)
	for range 40 {
		s.now = s.now.Add(time.Minute)
		s.age(source)
	}
	s.wantAge("after forty minutes", source, 40*time.Minute+10*time.Second)
	s.wantAge("in a new process", s.source(), 40*time.Minute+10*time.Second)
	s.now = s.now.Add(time.Second)
	s.work(3 * time.Second)
	s.wantAge("somebody works again", source, 3*time.Second)
}

// A worker whose clock was far ahead noted last: that says no more than one long ago.
func TestANoteOfTheFuture(t *testing.T) {
	s := newSite(t)
	source := s.source()
	s.depth = queue.Depth{Visible: 5}
	s.now = s.now.Add(24 * time.Hour)
	s.work(40 * time.Second)
	s.now = s.now.Add(-23 * time.Hour)
	s.wantAge("noted in the future", source, 0)
	s.now = s.now.Add(2 * time.Minute)
	s.wantAge("two minutes later, and nobody works", source, 2*time.Minute)
	s.wantAge("in a new process", s.source(), 2*time.Minute)
}

// What was noted long ago, when the queue was worked empty, makes no new job old.
func TestAnIdleQueueIsNotOld(t *testing.T) {
	s := newSite(t)
	source := s.source()
	s.work(9 * time.Minute) // the end of a backlog
	s.now = s.now.Add(time.Hour)
	s.depth = queue.Depth{Visible: 1}
	s.wantAge("a new job", source, 0)
	s.now = s.now.Add(time.Minute)
	s.wantAge("that nobody begins", source, time.Minute)
	s.wantAge("in a new process", s.source(), time.Minute)
}

// While the queue is worked on gates write nothing; while it is not, one of them does now
// and then.
func TestKeepingUpIsRare(t *testing.T) {
	s := newSite(t)
	sources := []*gauge.Source{s.source(), s.source(), s.source()}
	s.depth = queue.Depth{Visible: 5}
	changes := func(works bool) int {
		before, _ := s.memory.Changes(0)
		for range 600 {
			s.now = s.now.Add(time.Second)
			if works {
				s.work(time.Second)
			}
			for _, source := range sources {
				s.age(source)
			}
		}
		after, _ := s.memory.Changes(0)
		return len(after) - len(before)
	}
	if n := changes(true); n != 600 {
		t.Errorf("%d writes beside those of the workers", n-600)
	}
	if n := changes(false); n < 8 || n > 12 {
		t.Errorf("%d writes in ten minutes without workers", n)
	}
}

func TestWhatIsOverdueCounts(t *testing.T) {
	s := newSite(t)
	s.overdue = map[string]time.Time{"photos": s.now.Add(-7 * time.Minute), "mail": s.now.Add(-time.Hour)}
	s.wantAge("overdue", s.source(), 7*time.Minute)
}

func TestAReadingFailsAsAWhole(t *testing.T) {
	s := newSite(t)
	s.err = errors.New("no answer")
	if _, err := s.source().Look(t.Context()); !errors.Is(err, s.err) {
		t.Errorf("counting failed: %v", err)
	}
	s.err, s.driver.At = nil, func(int) fault.Kind { return fault.Throttled }
	if _, err := s.source().Look(t.Context()); !errors.Is(err, store.ErrThrottled) {
		t.Errorf("the row could not be read: %v", err)
	}
}

// A reading is worth having where keeping the row up fails.
func TestAReadingDoesNotNeedToWrite(t *testing.T) {
	s := newSite(t)
	source := s.source()
	s.depth = queue.Depth{Visible: 5}
	s.work(0)
	s.now = s.now.Add(2 * time.Minute)
	calls := s.driver.Calls()
	s.driver.At = func(call int) fault.Kind {
		if call > calls {
			return fault.Throttled
		}
		return fault.None
	}
	s.wantAge("the write failed", source, 2*time.Minute)
	if s.driver.Calls() != calls+2 {
		t.Errorf("%d calls", s.driver.Calls()-calls)
	}
}

func TestNewSourceReportsAllMistakes(t *testing.T) {
	_, err := gauge.NewSource(gauge.SourceConfig{Queue: "photos", URL: "https://photos", LongestWait: time.Minute})
	if err == nil || strings.Contains(err.Error(), "URL") || !strings.Contains(err.Error(), `queue "photos": Jobs is nil`) || !strings.Contains(err.Error(), "Counter is nil") {
		t.Errorf("what is missing, and only that, is named: %v", err)
	}
	if _, err := gauge.NewSource(gauge.SourceConfig{}); err == nil {
		t.Error("it was taken")
	}
}
