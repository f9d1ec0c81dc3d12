package admission

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// world is a queue that is looked at by gates.
type world struct {
	depth, reads int
	oldest       time.Time
	err          error
	now          time.Time
	random       float64
}

func (w *world) config(limit int, drain job.Rate) Config {
	return Config{
		Queue: "photos", Limit: limit, DrainRate: drain,
		Look: func(context.Context) (Reading, error) {
			w.reads++
			return Reading{Depth: w.depth, Oldest: w.oldest}, w.err
		},
		Now:    func() time.Time { return w.now },
		Random: func() float64 { return w.random },
	}
}

func made(t testing.TB, c Config) *Gate {
	t.Helper()
	g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (w *world) gate(t *testing.T, limit int, drain job.Rate) *Gate {
	t.Helper()
	w.now = time.Unix(1_800_000_000, 0)
	return made(t, w.config(limit, drain))
}

func TestAGateAloneNeverOvershoots(t *testing.T) {
	w := &world{depth: 90}
	g := w.gate(t, 100, 1)
	admitted := 0
	for range 50 {
		if g.Admit(t.Context()).Admitted {
			admitted++
		}
	}
	if admitted != 10 || w.reads != 1 {
		t.Errorf("%d jobs were admitted to ten places, by %d readings", admitted, w.reads)
	}
}

func TestAReadingIsMadeOnceAnInterval(t *testing.T) {
	w := &world{}
	g := w.gate(t, 1000, 1)
	for range 30 {
		g.Admit(t.Context())
		w.now = w.now.Add(100 * time.Millisecond)
	}
	if w.reads != 3 {
		t.Errorf("%d readings in three seconds", w.reads)
	}
}

func TestWhatWasAdmittedShortlyBeforeAReadingIsCountedOnceMore(t *testing.T) {
	w := &world{}
	g := w.gate(t, 1000, 1)
	for range 5 {
		g.Admit(t.Context())
	}
	for _, step := range []struct {
		after time.Duration
		depth int
		want  int
	}{
		{time.Second, 0, 5},      // nothing has reached the queue yet
		{time.Second, 5, 5},      // now it has
		{10 * time.Second, 2, 2}, // and is being worked off
	} {
		w.now = w.now.Add(step.after)
		w.depth = step.depth
		if d := g.Check(t.Context()); d.Depth != step.want {
			t.Errorf("the depth is thought to be %d, not %d", d.Depth, step.want)
		}
	}
}

func TestAnOldBurstIsNotCountedOnceMore(t *testing.T) {
	w := &world{}
	g := w.gate(t, 10, 1)
	for range 9 {
		g.Admit(t.Context())
	}
	w.now = w.now.Add(time.Minute)
	if d := g.Admit(t.Context()); d.Depth != 0 || !d.Admitted {
		t.Errorf("a minute later: %+v", d)
	}
}

func TestHysteresis(t *testing.T) {
	w := &world{}
	g := w.gate(t, 100, 10)
	for _, step := range []struct {
		depth int
		want  bool
	}{{99, true}, {100, false}, {99, false}, {96, false}, {95, true}, {99, true}, {150, false}, {50, true}} {
		w.now = w.now.Add(10 * time.Second)
		w.depth = step.depth
		if d := g.Check(t.Context()); d.Admitted != step.want || d.Admitted != (d.Reason == None) {
			t.Errorf("at %d: %+v", step.depth, d)
		}
	}
}

func TestTheSmallestQueue(t *testing.T) {
	w := &world{depth: 1}
	g := w.gate(t, 1, 1)
	if g.Admit(t.Context()).Admitted {
		t.Error("one place, taken, was given away")
	}
	w.depth, w.now = 0, w.now.Add(time.Second)
	if !g.Admit(t.Context()).Admitted {
		t.Error("one place, free, was not given")
	}
	if g.Admit(t.Context()).Admitted {
		t.Error("it was given twice")
	}
}

func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		depth  int
		drain  job.Rate
		random float64
		want   time.Duration
	}{
		"by drain rate":      {depth: 100, drain: 0.5, want: 10 * time.Second},
		"rounded up":         {depth: 100, drain: 0.7, want: 8 * time.Second},
		"at least a second":  {depth: 100, drain: 1000, want: time.Second},
		"spread by a half":   {depth: 100, drain: 0.5, random: 0.9999, want: 15 * time.Second},
		"spread when little": {depth: 100, drain: 1000, random: 0.9999, want: 3 * time.Second},
		"never absurd":       {depth: 1 << 40, drain: 1e-9, random: 0.9999, want: LongestRetryAfter},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{depth: c.depth, random: c.random}
			if d := w.gate(t, 100, c.drain).Admit(t.Context()); d.Admitted || d.RetryAfter != c.want {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestBlindness(t *testing.T) {
	w := &world{depth: 10, err: errors.New("no answer")}
	g := w.gate(t, 100, 1)
	if d := g.Admit(t.Context()); d.Admitted || d.Reason != Unknown || d.RetryAfter < time.Second || d.Err == nil {
		t.Errorf("without any reading: %+v", d)
	}
	w.err, w.now = nil, w.now.Add(time.Second)
	if d := g.Admit(t.Context()); !d.Admitted || d.Err != nil {
		t.Errorf("with one: %+v", d)
	}
	w.err = errors.New("no answer")
	w.now = w.now.Add(DefaultBlind)
	if d := g.Admit(t.Context()); !d.Admitted || d.Err == nil || d.Depth != 11 {
		t.Errorf("blind for %v: %+v", DefaultBlind, d)
	}
	w.now = w.now.Add(time.Second)
	if d := g.Admit(t.Context()); d.Admitted || d.Reason != Unknown {
		t.Errorf("blind for longer: %+v", d)
	}
	w.err, w.now = nil, w.now.Add(time.Second)
	if d := g.Admit(t.Context()); !d.Admitted {
		t.Errorf("with sight again: %+v", d)
	}
}

func TestBlindnessStillEndsAtTheLimit(t *testing.T) {
	w := &world{depth: 98}
	g := w.gate(t, 100, 1)
	g.Check(t.Context())
	w.err, w.now = errors.New("no answer"), w.now.Add(time.Second)
	for i, want := range []bool{true, true, false} {
		if d := g.Admit(t.Context()); d.Admitted != want {
			t.Errorf("blind admission %d: %+v", i, d)
		}
	}
}

func TestAFailedReadingIsNotRepeatedAtOnce(t *testing.T) {
	w := &world{err: errors.New("no answer")}
	g := w.gate(t, 100, 1)
	for range 10 {
		g.Admit(t.Context())
	}
	if w.reads != 1 {
		t.Errorf("%d readings", w.reads)
	}
}

func TestManyAtOnceShareOneReadingAndNeverOvershoot(t *testing.T) {
	const limit, callers = 100, 500
	var reads atomic.Int32
	begun, goOn := make(chan struct{}), make(chan struct{})
	g, err := New(Config{
		Queue: "photos", Limit: limit, DrainRate: 1,
		Depth: func(context.Context) (int, error) {
			if reads.Add(1) == 1 {
				close(begun)
			}
			<-goOn
			return 40, nil
		},
		Refresh: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	var admitted atomic.Int32
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			if g.Admit(t.Context()).Admitted {
				admitted.Add(1)
			}
		})
	}
	<-begun
	close(goOn)
	all.Wait()
	if reads.Load() != 1 || admitted.Load() != 60 {
		t.Errorf("%d readings, and %d jobs for 60 places", reads.Load(), admitted.Load())
	}
}

func TestACallerWhoLeavesGetsTheReadingBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := false
		g, err := New(Config{Queue: "photos", Limit: 100, DrainRate: 1, Depth: func(ctx context.Context) (int, error) {
			if slow {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return 40, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		g.Check(t.Context())
		slow = true
		time.Sleep(DefaultRefresh)
		left, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if d := g.Admit(left); !d.Admitted || d.Depth != 40 || d.Err != nil || time.Since(began) != 0 {
			t.Errorf("he got %+v after %v", d, time.Since(began))
		}
		// Who stays waits no longer than the reading may take.
		if d := g.Admit(t.Context()); !d.Admitted || !errors.Is(d.Err, context.DeadlineExceeded) || time.Since(began) != DefaultTimeout {
			t.Errorf("%+v after %v", d, time.Since(began))
		}
	})
}

func TestAReadingSlowerThanTheIntervalIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		g, err := New(Config{Queue: "photos", Limit: 100, DrainRate: 1, Timeout: time.Minute, Depth: func(context.Context) (int, error) {
			reads++
			time.Sleep(5 * DefaultRefresh)
			return 40, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { g.Check(t.Context()) })
			time.Sleep(DefaultRefresh)
		}
		all.Wait()
		if reads != 1 {
			t.Errorf("%d readings", reads)
		}
	})
}

func TestNewReportsAllMistakes(t *testing.T) {
	_, err := New(Config{Queue: "photos", Refresh: -1, Blind: -2})
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, part := range []string{"photos", "Limit", "DrainRate", "Depth", "negative", "Blind"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}
