package sweep_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// counted counts what is read and written, and makes each write of a job take its time.
type counted struct {
	store.Driver
	takes time.Duration

	mu                     sync.Mutex
	queries, found, writes int
}

func (c *counted) Query(ctx context.Context, q store.Query) (store.Page, error) {
	if q.Limit == 0 {
		q.Limit = 1000 // a page of 1 MB holds thousands of the index's rows
	}
	page, err := c.Driver.Query(ctx, q)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queries, c.found = c.queries+1, c.found+len(page.Items)
	return page, err
}

func (c *counted) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if _, isJob := store.IDFrom(w.Key); isJob {
		time.Sleep(c.takes)
	}
	c.mu.Lock()
	c.writes++
	c.mu.Unlock()
	return c.Driver.Write(ctx, w)
}

// A station is a sweep over a table that is counted.
type station struct {
	t     testing.TB
	table *counted
	jobs  *store.Jobs // neither counted nor slow
	sweep *sweep.Sweep
}

func newStation(t testing.TB, takes time.Duration) *station {
	t.Helper()
	memory := memstore.New(memstore.Config{})
	s := &station{t: t, table: &counted{Driver: memory, takes: takes}}
	var err error
	if s.jobs, err = store.New(store.Config{Driver: memory, Random: rand.NewChaCha8([32]byte{})}); err != nil {
		t.Fatal(err)
	}
	slow, err := store.New(store.Config{Driver: s.table})
	if err != nil {
		t.Fatal(err)
	}
	if s.sweep, err = sweep.New(sweep.Config{Jobs: slow, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *station) enqueue(n int, at time.Time) (ids []job.ID) {
	s.t.Helper()
	for range n {
		id, err := s.jobs.NewID()
		if err != nil {
			s.t.Fatal(err)
		}
		made := store.NewJob{ID: id, Task: "reminder.send", Queue: "mail", MaxAttempts: 3, Args: []byte(`{}`), NotBefore: at}
		if _, _, err := s.jobs.Create(s.t.Context(), made); err != nil {
			s.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// run makes one run with the time that Lambda gives it.
func (s *station) run() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 50*time.Second)
	defer cancel()
	if err := s.sweep.Handle(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// waiting counts the jobs that were not handed over.
func (s *station) waiting(ids []job.ID) (n int) {
	s.t.Helper()
	for _, id := range ids {
		rec, err := s.jobs.Get(s.t.Context(), id)
		if err != nil {
			s.t.Fatal(err)
		}
		if rec.State == lifecycle.Scheduled {
			n++
		} else if rec.N != 1 || rec.Publication == nil || !rec.Publication.At.Equal(rec.NotBefore) {
			s.t.Errorf("job %s: n %d, published %+v; its time is %v", id, rec.N, rec.Publication, rec.NotBefore)
		}
	}
	return n
}

// What a run reads of the due index follows from what is due, and from nothing else:
// with four hundred reminders for later it asks the same questions and finds the
// same rows as with none.
func TestWhatIsNotDueIsNotRead(t *testing.T) {
	read := func(later int) (queries, found, writes int) {
		synctest.Test(t, func(t *testing.T) {
			s := newStation(t, 0)
			now := time.Now()
			due := s.enqueue(10, now.Add(20*time.Minute))
			s.enqueue(later/2, now.Add(24*time.Hour))
			for i := range later / 2 {
				s.enqueue(1, now.Add(time.Hour+time.Duration(i)*time.Minute))
			}
			time.Sleep(19 * time.Minute)
			s.run()
			if n := s.waiting(due); n > 0 {
				t.Errorf("%d of 10 due jobs were left", n)
			}
			queries, found, writes = s.table.queries, s.table.found, s.table.writes
		})
		return queries, found, writes
	}
	queries, found, writes := read(0)
	if q, f, w := read(400); q != queries || f != found || w != writes {
		t.Errorf("with 400 jobs for later: %d queries found %d rows, %d writes; without: %d, %d, %d", q, f, w, queries, found, writes)
	}
	if found != 10 {
		t.Errorf("found %d rows, want the 10 that are due", found)
	}
}

// Reminders for nine o'clock that are more than three runs' work are all with SQS by then, each
// once; and what is due in between does not wait for them.
func TestACrowdedMinuteIsBegunEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Each job is a write of 3.4 s: a run promotes some four hundred in 47 seconds.
		s := newStation(t, 3400*time.Millisecond)
		nine := time.Now().Add(40 * time.Minute).Truncate(time.Minute)
		crowd := s.enqueue(1_400, nine)
		between := map[time.Time][]job.ID{}
		for at := nine.Add(-5 * time.Minute); at.Before(nine); at = at.Add(time.Minute) {
			between[at] = s.enqueue(3, at)
		}
		for now := nine.Add(-7 * time.Minute); now.Before(nine); now = now.Add(time.Minute) {
			time.Sleep(time.Until(now))
			s.run()
			for at, ids := range between {
				if n := s.waiting(ids); n > 0 && time.Now().After(at) {
					t.Errorf("%d jobs that were due at %v were left", n, at)
				}
			}
		}
		if n := s.waiting(crowd); n > 0 {
			t.Errorf("%d of %d jobs were left at their time", n, len(crowd))
		}
		if want := len(crowd) + 15; s.table.writes < want || s.table.writes > want+200 {
			t.Errorf("%d writes, want one for each of %d jobs and the marks", s.table.writes, want)
		}
	})
}

// Few jobs are not handed over before their last minutes, in which moving and
// cancelling them is dearer.
func TestFewJobsAreNotBegunEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStation(t, 0)
		due := time.Now().Add(40 * time.Minute)
		ids := s.enqueue(sweep.Crowd, due)
		time.Sleep(30 * time.Minute)
		s.run()
		if n := s.waiting(ids); n != len(ids) {
			t.Errorf("%d of %d jobs were handed over ten minutes ahead", len(ids)-n, len(ids))
		}
	})
}

// makeDue enqueues jobs and puts them into the table until now.
func (s *station) makeDue(n int) {
	s.t.Helper()
	for _, id := range s.enqueue(n, time.Now()) {
		rec, err := s.jobs.Get(s.t.Context(), id)
		if err != nil {
			s.t.Fatal(err)
		}
		if ok, err := s.jobs.Park(s.t.Context(), rec, time.Now()); !ok || err != nil {
			s.t.Fatal(ok, err)
		}
	}
}
