package invariants

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// A scenario is a story that is told once for each fault at each call.
type scenario struct {
	name string
	// begin prepares the world; may be nil.
	begin func(*world)
	// loses tells that messages get lost, which the scan is to find; else it is
	// to find nothing.
	loses bool
	// polled tells that processes poll a queue.
	polled bool
	// objects tells that a day later no object is left that no row names.
	objects bool
	// outage is from when to when every call fails that is about a job's row.
	outage [2]time.Duration
	// steps are what clients and operators do, in order of time.
	steps []step
	// ends are the states in which jobs may end, by name. A job whose producer
	// was never told of it may not exist.
	ends map[string][]lifecycle.State
	// check looks at the rest; may be nil.
	check func(*world)
}

// longest is how long a world may take to come to rest.
const longest = 4 * time.Hour

// An observed call is one that a run made.
type observed struct {
	// where is the process and the place in pkg; key what it was about; and
	// nth how often the same was asked before.
	where, key string
	nth        int
	place      string
	empty      bool
	kinds      []fault.Kind
}

// same tells whether two runs made the same call.
func (o observed) same(other observed) bool {
	return o.where == other.where && o.key == other.key && o.nth == other.nth
}

// A strike is a fault at one call.
type strike struct {
	at   observed
	kind fault.Kind
}

func (s strike) String() string {
	return fmt.Sprintf("%s at %s (%s, %d.)", s.kind, s.at.where, s.at.key, s.at.nth+1)
}

// tell runs a scenario under some faults and gives the calls that were made, in
// order, with a report of every violation.
func tell(t *testing.T, finder *fault.Finder, s scenario, strikes ...strike) (calls []observed, report string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(finder)
		r := &recorder{seen: map[string]int{}, strikes: strikes}
		w.choose = func(p *process, c fault.Call) fault.Kind {
			if p.Name == "test" {
				return fault.None
			}
			if since := time.Since(w.start); since >= s.outage[0] && since < s.outage[1] && strings.HasPrefix(c.Key, "job#") {
				p.paused.Store(true) // it may lose what it has
				return fault.Down
			}
			return r.next(observed{where: p.Name + ": " + c.Place(), key: c.Key, place: c.Place(), kinds: fault.KindsOf(c)})
		}
		w.deliveries = func(what string) fault.Kind {
			return r.next(observed{where: "AWS: to the " + what, kinds: fault.KindsOfDelivery()})
		}
		w.answered, w.faulty = r.answered, len(strikes) > 0
		if s.begin != nil {
			s.begin(w)
		}
		w.steps, w.polled = append([]step(nil), s.steps...), s.polled
		w.settle(longest)
		if s.objects {
			w.collect()
		}
		w.verdict(s)
		if len(w.problems) > 0 {
			report = w.report()
		}
		calls = r.calls
		w.stop()
	})
	return calls, report
}

// collect lets days pass, until nothing is left to collect.
func (w *world) collect() {
	for range 3 {
		w.aDay()
		before := w.sweeps
		w.wants = append(w.wants, func() string {
			if w.sweeps < before+2 {
				return "the sweep is to run"
			}
			return ""
		})
		w.settle(time.Hour)
		if w.unclaimedObjects() == "" {
			return
		}
	}
	w.failf("%s", w.unclaimedObjects())
}

// verdict judges how everything ended.
func (w *world) verdict(s scenario) {
	for name, states := range s.ends {
		j := w.named(name)
		if j == nil {
			w.failf("job %s does not exist", name)
			continue
		}
		ok := false
		for _, state := range states {
			ok = ok || j.rec.State == state
		}
		if !ok {
			w.failf("%s is %s and should be %v", j, j.rec.State, states)
		}
	}
	for _, j := range w.everyJob() {
		w.checkAttempts(j)
		w.checkEffects(j)
		w.checkLetters(j)
	}
	w.checkEvents()
	w.checkEntailed()
	if !s.loses && len(w.healed) > 0 {
		w.failf("the scan had to heal: %v", w.healed)
	}
	if s.check != nil {
		s.check(w)
	}
}

// everyJob gives the jobs in the order of their ids.
func (w *world) everyJob() (all []*tracked) {
	for _, j := range w.jobs {
		all = append(all, j)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].id < all[b].id })
	return all
}

// checkAttempts: a job pays for its own runs, and for deaths while it ran alone.
func (w *world) checkAttempts(j *tracked) {
	if most := j.counted + j.deaths; j.rec.Attempt > most && j.rec.State != lifecycle.Cancelled {
		w.failf("%s has spent %d attempts on %d runs and %d deaths", j, j.rec.Attempt, j.counted, j.deaths)
	}
}

// checkEffects: what a run commits together with its job's end is there once if
// the job is done, and never otherwise.
func (w *world) checkEffects(j *tracked) {
	n, isDone := w.effects(j.id), j.rec.State == lifecycle.Done
	switch {
	case isDone && n == 0 && j.commits[j.doneBy]:
		w.failf("%s is done, and its effect was not committed", j)
	case n > 1 && !j.parts, n > 0 && !isDone && !j.parts:
		w.failf("%s is %s, and its effect was committed %d times", j, j.rec.State, n)
	}
}

// checkLetters: a dead job has a letter that tells why. A second one of the same
// death is possible where a fault made somebody send it twice.
func (w *world) checkLetters(j *tracked) {
	live := 0
	for _, q := range []*simulatedQueue{w.letters, w.orderedLetters} {
		for _, m := range w.sqs.in(q) {
			letter, err := queue.DecodeMessage(m.body)
			if err != nil || letter.ID != j.id {
				continue
			}
			if letter.Letter == nil || j.died == 0 {
				w.failf("%s has a letter and never died: %s", j, m.body)
				continue
			}
			if letter.N == j.rec.N && j.rec.State == lifecycle.Dead {
				live++
				if e := j.rec.Error; letter.Letter.Code != e.Code || letter.Letter.Reason != e.Message || letter.Letter.Attempts != j.rec.Attempt {
					w.failf("%s died of %+v, and its letter says %s", j, *e, m.body)
				}
			}
		}
	}
	switch {
	case j.rec.State == lifecycle.Dead && live == 0:
		w.failf("%s is dead and has no letter", j)
	case live > 1 && !w.faulty:
		w.failf("%s has %d letters of one death", j, live)
	}
}

// A recorder notes calls and strikes those that it is told to.
type recorder struct {
	mu      sync.Mutex
	seen    map[string]int
	calls   []observed
	strikes []strike
}

// next takes note of a call and gives its fault.
func (r *recorder) next(o observed) fault.Kind {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := o.where + "\x00" + o.key
	o.nth = r.seen[id]
	r.seen[id]++
	r.calls = append(r.calls, o)
	for _, s := range r.strikes {
		if s.at.same(o) {
			return s.kind
		}
	}
	return fault.None
}

// answered takes note of a read that found nothing.
func (r *recorder) answered(p *process, c fault.Call) {
	if !c.Empty || !c.Reads {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.calls) - 1; i >= 0; i-- {
		if o := &r.calls[i]; o.where == p.Name+": "+c.Place() && o.key == c.Key {
			o.empty = true
			return
		}
	}
}
