package invariants

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// A model lets the processes of a world take turns: each stands still before and
// after every call to AWS until it is its turn, and time passes only when it is
// told to. Which turn is next follows from a list of numbers; 0 is always the turn
// that leads straight on.
type model struct {
	*world
	made    int // jobs
	letters int // that were sent back
	// delivery is the fault of the next batch that is handed to a function.
	delivery fault.Kind

	mu      sync.Mutex
	free    bool // nobody waits for turns any more
	waiting []*turn
}

// A turn is a process that waits for its turn.
type turn struct {
	p     *process
	call  fault.Call
	after bool // the call was made, and its answer is on the way
	next  chan fault.Kind
	since time.Time
}

func (t *turn) String() string {
	if t.after {
		return fmt.Sprintf("%s gets the answer to %s", t.p, t.call.Place())
	}
	return fmt.Sprintf("%s calls %s", t.p, t.call.Place())
}

// wait lets a process stand still until it is its turn.
func (m *model) wait(p *process, c fault.Call, after bool) fault.Kind {
	if p.Name == "test" {
		return fault.None
	}
	t := &turn{p: p, call: c, after: after, next: make(chan fault.Kind), since: time.Now()}
	m.mu.Lock()
	free := m.free
	if !free {
		m.waiting = append(m.waiting, t)
	}
	m.mu.Unlock()
	if free {
		return fault.None
	}
	return <-t.next
}

// turns gives who waits, in an order that does not depend on the machine.
func (m *model) turns() []*turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.SortStableFunc(m.waiting, func(a, b *turn) int {
		return cmp.Or(cmp.Compare(a.p.number, b.p.number), strings.Compare(a.call.Place(), b.call.Place()), strings.Compare(a.call.Key, b.call.Key))
	})
	return slices.Clone(m.waiting)
}

// let gives a process its turn.
func (m *model) let(t *turn, kind fault.Kind) {
	m.mu.Lock()
	m.waiting = slices.DeleteFunc(m.waiting, func(other *turn) bool { return other == t })
	m.mu.Unlock()
	if kind != fault.None || !t.call.Reads {
		m.log("TURN %s", t)
	}
	t.next <- kind
}

// pass lets time pass. Who waits for long may lose what it has.
func (m *model) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	for _, t := range m.turns() {
		if time.Since(t.since) > 5*time.Second {
			t.p.paused.Store(true)
		}
	}
}

// straight does what leads on: the next call, the next function, or time.
func (m *model) straight(turns []*turn) {
	switch {
	case len(turns) > 0:
		m.let(turns[0], fault.None)
	case !m.dispatch():
		m.pass(min(max(time.Until(m.next()), time.Second), 15*time.Second))
	}
}

// step takes one turn.
func (m *model) step(choice int) {
	synctest.Wait()
	turns := m.turns()
	n := choice / 10
	switch kind := choice % 10; {
	case choice == 0 || len(turns) == 0 && kind <= 6:
		m.straight(turns)
	case kind <= 5:
		m.let(turns[n%len(turns)], fault.None)
	case kind == 6:
		t := turns[n%len(turns)]
		if kinds := fault.KindsOf(t.call); !t.after {
			m.let(t, kinds[n/len(turns)%len(kinds)])
		} else {
			t.p.kill()
			m.let(t, fault.None)
		}
	case kind == 7:
		m.pass([]time.Duration{time.Second, time.Second, 10 * time.Second, 10 * time.Second, 40 * time.Second, 70 * time.Second, 3 * time.Minute}[n%7])
	case kind == 8:
		sources := []func() bool{
			m.readStream, func() bool { return m.receive(m.notes) || m.receive(m.feeds) }, func() bool { return m.receive(m.ordered) },
			m.receiveBackstop, func() bool { return m.startSweep(2) }, m.takeStep, m.startPoller,
		}
		m.delivery = []fault.Kind{fault.None, fault.None, fault.None, fault.Down, fault.Lost, fault.Twice}[n/8%6]
		m.world.sources.Lock()
		defer m.world.sources.Unlock()
		sources[n%len(sources)]()
	default:
		m.meddle(n)
	}
}

// does are what handlers do.
var does = [][]string{
	{"ok"}, {"quick"}, {"fail", "ok"}, {"panic", "quick"}, {"permanent"}, {"mortal"}, {"discard"}, {"snooze", "ok"}, {"nap", "quick"}, {"later", "ok"},
	{"continue", "continue", "quick"}, {"ok die", "quick"}, {"die"}, {"progress ok progress"}, {"beat ok beat"}, {"commit"}, {"commit-continue", "commit"},
	{"fail"}, {"overrun", "quick"}, {"once charge"},
}

// meddle does what somebody outside may do at any time.
func (m *model) meddle(n int) {
	name, script := fmt.Sprint("j", n/8%max(m.made, 1)), does[n/8%len(does)]
	now := time.Since(m.start)
	switch n % 8 {
	case 0, 1, 2:
		if m.made < 8 {
			m.enqueue(n, fmt.Sprint("j", m.made), script)
			m.made++
		}
	case 3:
		m.client(m.cancelAny(name))
	case 4:
		m.client(move(now, name, now+time.Minute))
	case 5:
		m.client(newer(now, name, `{"does":["quick"]}`))
	case 6:
		for _, lists := range [][2]*simulatedQueue{{m.world.letters, m.notes}, {m.orderedLetters, m.ordered}} {
			if found := m.sqs.in(lists[0]); len(found) > 0 && m.letters < 4 {
				m.letters++
				m.sqs.move(lists[0], lists[1], found[n/8%len(found)])
			}
		}
	case 7:
		if m.letters++; m.letters < 4 {
			m.client(step{now, "operator", func(w *world, p *process, ctx context.Context) error {
				_, err := deadletter.RedriveJob(ctx, p.jobs, m.idOf(name))
				return err
			}})
		}
	}
}

// enqueue makes a job of one of the kinds that there are.
func (m *model) enqueue(n int, name string, script []string) {
	now := time.Since(m.start)
	switch n / 160 % 10 {
	case 5:
		if m.polled {
			m.client(enqueue(now, name, writeLong, append([]string{"long"}, script...)))
			return
		}
		fallthrough
	case 0, 1:
		m.client(enqueue(now, name, write, script))
	case 2:
		m.client(enqueue(now, name, write, script, job.In(16*time.Minute)))
	case 3:
		m.client(enqueueUnique(now, name, replace, script))
	case 4:
		m.client(enqueue(now, name, writeInTurn, script, job.Group("g")))
	case 6:
		m.client(publish(now, name, happened, "", script...))
	case 7:
		m.client(publish(now, name, inTurn, "k", script...))
	case 8:
		m.client(enqueue(now, name, write, script, followed()...))
	case 9:
		m.client(fill(now, name, script, []string{"quick"}))
	}
}

// idOf finds the id of a job, which may be in a group.
func (m *model) idOf(name string) job.ID {
	if j := m.named(name); j != nil {
		return j.id
	}
	return idOf(name)
}

func (m *model) cancelAny(name string) step {
	s := remove(time.Since(m.start), name)
	id := m.idOf(name)
	do := s.do
	s.do = func(w *world, p *process, ctx context.Context) error {
		w.mu.Lock()
		exists := w.jobs[id] != nil
		w.mu.Unlock()
		if !exists {
			return nil
		}
		return do(w, p, ctx)
	}
	return s
}

// calm lets everybody go on as they like.
func (m *model) calm() {
	m.mu.Lock()
	m.free = true
	waiting := m.waiting
	m.waiting = nil
	m.mu.Unlock()
	for _, t := range waiting {
		t.next <- fault.None
	}
}

// play lets a world take its turns, and gives a report of every violation.
func play(t *testing.T, finder *fault.Finder, choices []int) (report string) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{world: newWorld(finder)}
		m.faulty, m.polled = true, len(choices)%3 == 0
		m.deliveries = func(string) (kind fault.Kind) { kind, m.delivery = m.delivery, fault.None; return kind }
		m.choose = func(p *process, c fault.Call) fault.Kind { return m.wait(p, c, false) }
		m.answered = func(p *process, c fault.Call) { m.wait(p, c, true) }
		for _, choice := range choices {
			m.step(choice)
		}
		m.calm()
		m.settle(longest)
		m.verdict(scenario{loses: true})
		if len(m.problems) > 0 {
			report = m.report()
		}
		m.stop()
	})
	return report
}

// Whatever the order in which processes take turns, and whatever fails or stands
// still between: everything ends as it should. Longer: -rapid.checks=10000.
func TestModel(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("300"); err != nil {
			t.Fatal(err)
		}
	}
	finder := &fault.Finder{}
	rapid.Check(t, func(rt *rapid.T) {
		choices := rapid.SliceOfN(rapid.IntRange(0, 99_999), 50, 600).Draw(rt, "choices")
		if report := play(t, finder, choices); report != "" {
			rt.Fatalf("%s", report)
		}
	})
}
