package admission

import (
	"context"
	"testing"
	"time"
)

// A line is a queue that is asked for much more than its workers do, second by second.
type line struct {
	now     time.Time
	waiting []time.Time
	// oldest is since when the job waited that was begun last.
	oldest time.Time
}

func (l *line) look(context.Context) (Reading, error) {
	r := Reading{Depth: len(l.waiting)}
	if len(l.waiting) > 0 {
		r.Oldest = l.oldest
	}
	return r, nil
}

// work has the workers begin as many jobs as they can. It gives for how long the last
// one had waited.
func (l *line) work(rate int) (done int, waited time.Duration) {
	done = min(rate, len(l.waiting))
	for _, since := range l.waiting[:done] {
		waited = l.now.Sub(since)
		l.oldest = since
	}
	l.waiting = l.waiting[done:]
	return done, waited
}

// Workers that are slower than declared are kept busy, and keep the promise as soon as
// the gate has seen how slow they are. An age alone would close the gate until all that
// waits is worked off.
func TestSlowWorkersAreKeptBusy(t *testing.T) {
	const declared, asked, longest = 20, 60, 60 * time.Second
	for name, c := range map[string]struct {
		rate  func(second int) int
		most  time.Duration // the longest wait once it has settled
		idled int           // the most that workers could have done besides
	}{
		"as declared":                  {func(int) int { return declared }, longest + 2*time.Second, declared},
		"a fifth slower":               {func(int) int { return 16 }, longest + 6*time.Second, declared},
		"at half the speed":            {func(int) int { return 10 }, longest + 6*time.Second, declared},
		"at half the speed for a time": {func(s int) int { return map[bool]int{true: 10, false: declared}[s < 300] }, longest + 6*time.Second, declared},
	} {
		t.Run(name, func(t *testing.T) {
			l := &line{now: time.Unix(1_800_000_000, 0)}
			g := made(t, Config{
				Queue: "line", Limit: declared * 60, DrainRate: declared, LongestWait: longest, Look: l.look, Inline: true,
				Now: func() time.Time { return l.now }, Random: func() float64 { return 0 }, Settle: time.Nanosecond,
			})
			idle, worst := 0, time.Duration(0)
			for second := range 1200 {
				l.now = l.now.Add(time.Second)
				for range asked {
					if g.Admit(t.Context()).Admitted {
						l.waiting = append(l.waiting, l.now)
					}
				}
				done, waited := l.work(c.rate(second))
				idle += c.rate(second) - done
				if second > 200 {
					worst = max(worst, waited)
				}
			}
			if idle > c.idled || worst > c.most {
				t.Errorf("workers could have done %d more; the longest wait was %v", idle, worst)
			}
		})
	}
}

// Where nobody works the gate stays shut, however the queue was before.
func TestAStuckQueueStaysShut(t *testing.T) {
	l := &line{now: time.Unix(1_800_000_000, 0)}
	g := made(t, Config{
		Queue: "line", Limit: 1200, DrainRate: 20, LongestWait: time.Minute, Look: l.look, Inline: true,
		Now: func() time.Time { return l.now }, Random: func() float64 { return 0 }, Settle: time.Nanosecond,
	})
	for second := range 600 {
		l.now = l.now.Add(time.Second)
		if g.Admit(t.Context()).Admitted {
			if second > 120 {
				t.Fatalf("admitted after %d s, of which %d without work", second, second-60)
			}
			l.waiting = append(l.waiting, l.now)
		}
		if second < 60 {
			l.work(1)
		}
	}
}

// What is not known is not made up.
func TestPast(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	p := newPast(64 * time.Second)
	for i := range 200 {
		p.note(start.Add(time.Duration(i)*time.Second), i)
	}
	for _, c := range []struct {
		at    int
		depth int
		known bool
	}{{199, 198, true}, {100, 100, true}, {72, 72, true}, {70, 0, false}, {-5, 0, false}, {206, 198, true}, {207, 198, false}} {
		if depth, known := p.depth(start.Add(time.Duration(c.at) * time.Second)); depth != c.depth && known || known != c.known {
			t.Errorf("after %d s: %d, %v, want %d, %v", c.at, depth, known, c.depth, c.known)
		}
	}
	none := newPast(0)
	none.note(start, 1)
	if _, known := none.depth(start); known {
		t.Error("nothing is to be remembered")
	}
}
