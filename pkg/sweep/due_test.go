package sweep_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

func TestWhatIsDueIsPromoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		due := map[time.Duration]job.ID{}
		for _, in := range []time.Duration{16 * time.Minute, 17 * time.Minute, 18*time.Minute + time.Millisecond, time.Hour} {
			due[in] = w.enqueue("slow", in)
		}
		time.Sleep(15 * time.Minute)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		for in, id := range due {
			rec := w.get(id)
			want := lifecycle.Scheduled
			if in <= 15*time.Minute+sweep.Ahead {
				want = lifecycle.Queued
			}
			if rec.State != want {
				t.Errorf("due in %v: %s, want %s", in-15*time.Minute, rec.State, want)
			}
			if want == lifecycle.Queued && (rec.Publication == nil || !rec.Publication.At.Equal(rec.NotBefore)) {
				t.Errorf("due in %v: published %+v; its time is %v", in-15*time.Minute, rec.Publication, rec.NotBefore)
			}
		}
	})
}

// Three hundred reminders at one minute: pages and shards.
func TestManyAtOneMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var ids []job.ID
		for range 300 {
			ids = append(ids, w.enqueue("slow", 20*time.Minute))
		}
		time.Sleep(19 * time.Minute)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if rec := w.get(id); rec.State != lifecycle.Queued || rec.N != 1 {
				t.Fatalf("%s is %s, n %d", id, rec.State, rec.N)
			}
		}
	})
}

// After days without a run, every minute is read, from where the last one
// stopped.
func TestARunCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		var ids []job.ID
		for _, in := range []time.Duration{20 * time.Minute, 5 * time.Hour, 47 * time.Hour} {
			ids = append(ids, w.enqueue("slow", in))
		}
		time.Sleep(48 * time.Hour)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if rec := w.get(id); rec.State != lifecycle.Queued {
				t.Errorf("%s is %s", id, rec.State)
			}
		}
	})
}

// The mark does not move past a minute that could not be dealt with, nor past one
// that may still grow.
func TestTheMarkWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		started := time.Now().UTC()
		id := w.enqueue("slow", 20*time.Minute)
		time.Sleep(25 * time.Minute)
		w.faults.At = func(call int) fault.Kind {
			if call > 100 && call < 200 {
				return fault.Down
			}
			return fault.None
		}
		if err := w.run(); err == nil {
			t.Fatal("a hundred calls failed, and the run did not")
		}
		w.faults.At = nil
		mark := func() string {
			text, err := w.jobs.Mark(t.Context(), "checkpoint")
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if got, limit := mark(), started.Format("2006-01-02T15:04Z"); got > limit {
			t.Errorf("the mark moved to %s", got)
		}
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		if rec := w.get(id); rec.State != lifecycle.Queued {
			t.Errorf("the job is %s", rec.State)
		}
		if got, want := mark(), time.Now().Add(-sweep.Settling).UTC().Format("2006-01-02T15:04Z"); got != want {
			t.Errorf("the mark is %s, want %s", got, want)
		}
	})
}

// fullRow has no room left in one job's row.
type fullRow struct {
	store.Driver
	id job.ID
}

func (d fullRow) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if id, ok := store.IDFrom(w.Key); ok && id == d.id {
		return nil, store.ErrTooLarge
	}
	return d.Driver.Write(ctx, w)
}

// The mark does not wait for a row that can never be promoted: runs would have
// more minutes to read each time, and no time for what is due now in the end.
func TestTheMarkDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		full, muddled, good := w.enqueue("slow", 20*time.Minute), w.enqueue("slow", 20*time.Minute), w.enqueue("slow", 20*time.Minute)
		w.muddle(muddled)
		s, err := sweep.New(sweep.Config{Jobs: jobsOn(t, fullRow{w.memory, full}), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(25 * time.Minute)
		if err := s.Handle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if rec := w.get(good); rec.State != lifecycle.Queued {
			t.Errorf("the job beside it is %s", rec.State)
		}
		mark, err := w.jobs.Mark(t.Context(), "checkpoint")
		if want := time.Now().Add(-sweep.Settling).UTC().Format("2006-01-02T15:04Z"); mark != want || err != nil {
			t.Errorf("the mark is %s, want %s; %v", mark, want, err)
		}
	})
}

// A job that is parked for the minute that is under way is found by the next run.
func TestALateWriteIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		time.Sleep(30 * time.Second)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		id := w.enqueue("slow", 0)
		if ok, err := w.jobs.Park(t.Context(), w.get(id), time.Now().Add(time.Second)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		time.Sleep(2 * time.Minute)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		if rec := w.get(id); rec.State != lifecycle.Queued {
			t.Errorf("the job is %s", rec.State)
		}
	})
}

func TestARunThatIsOutOfTimeIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.enqueue("slow", 20*time.Minute)
		time.Sleep(30 * time.Minute)
		w.faults.At = func(int) fault.Kind { time.Sleep(300 * time.Millisecond); return fault.None }
		if err := w.run(); err != nil {
			t.Error(err)
		}
		w.faults.At = nil
		if err := w.run(); err != nil {
			t.Error(err)
		}
		for _, row := range w.memory.Rows() {
			if rec, err := store.Decode(row); err == nil && rec.State != lifecycle.Queued {
				t.Errorf("%s is %s", rec.ID, rec.State)
			}
		}
	})
}

func TestNewWantsJobs(t *testing.T) {
	if _, err := sweep.New(sweep.Config{}); err == nil {
		t.Error("no error")
	}
}
