package gauge_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

var (
	photos = job.Queue{Name: "photos", LongestWait: 10 * time.Minute}
	quiet  = slog.New(slog.NewTextHandler(io.Discard, nil))
)

func jobsOn(t testing.TB, driver store.Driver, now func() time.Time) *store.Jobs {
	t.Helper()
	jobs, err := store.New(store.Config{Driver: driver, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func gaugeOf(t testing.TB, jobs *store.Jobs) store.Gauge {
	t.Helper()
	g, err := jobs.Gauge(context.Background(), "photos")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func notesOn(t testing.TB, jobs *store.Jobs) *gauge.Notes {
	t.Helper()
	n, err := gauge.NewNotes(gauge.NotesConfig{Jobs: jobs, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAWaitIsNotedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver := &fault.Driver{Inner: memstore.New(memstore.Config{})}
		jobs := jobsOn(t, driver, nil)
		n := notesOn(t, jobs)
		for range 50 {
			n.Began(photos, time.Minute)
			n.Ended(photos, 100*time.Millisecond)
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if driver.Calls() != 5 {
			t.Errorf("%d writes in five seconds", driver.Calls())
		}
		g := gaugeOf(t, jobs)
		if wait := g.Noted.Sub(g.Oldest); wait < time.Minute || wait > 61*time.Second || g.Notes != 5 || g.Finished != 40 || g.Busy != 4*time.Second {
			t.Errorf("a wait of %v: %+v", wait, g)
		}
	})
}

// While jobs hardly wait little is to be told; one that did is told of at once.
func TestALittleWaitIsNotedSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := jobsOn(t, memstore.New(memstore.Config{}), nil)
		n := notesOn(t, jobs)
		for range 300 {
			n.Began(photos, 3*time.Second)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if g := gaugeOf(t, jobs); g.Notes != 10 {
			t.Errorf("%d notes in five minutes", g.Notes)
		}
		n.Began(photos, 31*time.Second)
		synctest.Wait()
		if g := gaugeOf(t, jobs); g.Noted.Sub(g.Oldest) != 31*time.Second {
			t.Errorf("%+v", g)
		}
	})
}

// Of those begun within a second the one counts that waited longest: the order of a
// queue is none, and a retry's wait is not known.
func TestTheLongestWaitIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := jobsOn(t, memstore.New(memstore.Config{}), nil)
		n := notesOn(t, jobs)
		n.Began(photos, time.Second)
		synctest.Wait()
		time.Sleep(600 * time.Millisecond)
		n.Began(photos, time.Minute) // too soon
		time.Sleep(600 * time.Millisecond)
		n.Began(photos, 0)
		synctest.Wait()
		if g := gaugeOf(t, jobs); g.Notes != 2 || g.Noted.Sub(g.Oldest) < time.Minute {
			t.Errorf("%v: %+v", g.Noted.Sub(g.Oldest), g)
		}
		time.Sleep(gauge.MostCalm)
		n.Began(photos, -time.Second) // clocks differ
		synctest.Wait()
		if g := gaugeOf(t, jobs); !g.Oldest.Equal(g.Noted) {
			t.Errorf("what was is forgotten: %+v", g)
		}
	})
}

// All processes of a queue together write about once a second, however many they are;
// and when most of them are gone, the rest goes on.
func TestManyProcessesNoteNoMoreThanOne(t *testing.T) {
	for _, processes := range []int{1, 4, 50} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				driver := &fault.Driver{Inner: memstore.New(memstore.Config{})}
				jobs := jobsOn(t, driver, nil)
				var all []*gauge.Notes
				for range processes {
					all = append(all, notesOn(t, jobs))
				}
				work := func(of []*gauge.Notes) (writes int) {
					before := driver.Calls()
					for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
						for _, n := range of {
							n.Began(photos, time.Minute)
							time.Sleep(time.Millisecond)
						}
					}
					synctest.Wait()
					return driver.Calls() - before
				}
				work(all)
				if made := work(all); made < 30 || made > max(150, processes*60/10*12/10) {
					t.Errorf("%d writes in a minute", made)
				}
				if made := work(all[:1]); made < 20 {
					t.Errorf("one of them alone: %d writes in a minute", made)
				}
			})
		})
	}
}

// Whatever the table does, a worker is not kept waiting.
func TestANoteNeverDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		driver := &fault.Driver{Inner: memstore.New(memstore.Config{}), At: func(int) fault.Kind { <-hangs; return fault.Down }}
		n := notesOn(t, jobsOn(t, driver, nil))
		began := time.Now()
		for range 100 {
			n.Began(photos, time.Second)
			n.Ended(photos, time.Second)
		}
		if time.Since(began) != 0 {
			t.Errorf("it took %v", time.Since(began))
		}
		time.Sleep(time.Minute)
		n.Began(photos, time.Second)
		synctest.Wait()
		if driver.Calls() != 1 {
			t.Errorf("%d notes are on their way at once", driver.Calls())
		}
		close(hangs)
		synctest.Wait()
		time.Sleep(gauge.MostCalm)
		n.Began(photos, time.Second) // one that failed is followed by another
		synctest.Wait()
		if driver.Calls() != 2 {
			t.Errorf("%d notes", driver.Calls())
		}
	})
}

func TestNewNotesReportsMistakes(t *testing.T) {
	if _, err := gauge.NewNotes(gauge.NotesConfig{}); err == nil {
		t.Error("it was taken")
	}
}

func BenchmarkBegan(b *testing.B) {
	n := notesOn(b, jobsOn(b, memstore.New(memstore.Config{}), nil))
	b.ReportAllocs()
	for b.Loop() {
		n.Began(photos, time.Second)
		n.Ended(photos, time.Second)
	}
}
