package invariants

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A world is a stack in a bubble of testing/synctest: AWS is simulated, the
// processes are pkg's own, and the clock jumps to whatever happens next. What is
// random in it follows from counters, so that the same faults give the same run.
type world struct {
	start   time.Time
	table   *table
	sqs     *simulatedSQS
	sns     *simulatedSNS
	objects *memobjects.Driver
	// lambda has the mappings where workers are lent; else nil.
	lambda *simulatedLambda
	// The queues of the stack.
	notes, feeds, ordered, polls, narrow, letters, orderedLetters, backstop, backstopDead *simulatedQueue
	// The topics of the stack.
	happenings, changes *simulatedTopic

	finder *fault.Finder
	// choose is where faults come from.
	choose func(*process, fault.Call) fault.Kind
	// deliveries chooses the fault of what AWS hands to a function.
	deliveries func(what string) fault.Kind
	// answered is told of every call that was made.
	answered func(*process, fault.Call)
	// faulty tells that there are faults at all.
	faulty bool
	// hideNotes keeps workers from the queue; lostLetters are how many letters'
	// records the relay is not to see.
	hideNotes   bool
	lostLetters int
	// polled tells that there are processes that poll a queue.
	polled bool
	// batch is how many messages a worker is handed.
	batch int
	// exact is the table without faults, for the test's own eyes.
	exact *store.Jobs

	// sources guards what AWS's event sources know: steps, relayed, retryAt,
	// sweepAt, sweeps, hideNotes, lostLetters and delivery. It is never held
	// during a call to AWS.
	sources sync.Mutex

	mu     sync.Mutex
	jobs   map[job.ID]*tracked
	events map[string]*trackedEvent
	// published are events whose publisher was told so.
	published map[string]bool
	// inside counts those who work for the key of a limit.
	inside int
	tokens map[string]*owner
	// batches are how many members each batch has.
	batches  map[string]int
	held     []heldCall
	trail    []string
	problems []string
	made     int // processes
	// polling are the processes that poll, and processes all that there were.
	polling   []*process
	processes []*process
	steps     []step
	running   map[string]int // functions under way, by what they are
	relayed   int            // the relay's place in the stream
	retryAt   time.Time      // of the relay
	sweepAt   time.Time
	sweeps    int // how many there were
	// healed are the writes by which the scan healed what it took for lost.
	healed []string
	// places are the jobs of the narrow queue.
	places places
	// wants are what else has to come about; each says what is missing.
	wants []func() string
	woken chan struct{}
}

// A heldCall is one that is to be applied late.
type heldCall struct {
	p     *process
	what  string
	apply func()
}

func newWorld(finder *fault.Finder) *world {
	w := &world{
		start: time.Now(), finder: finder, batch: 3,
		choose:     func(*process, fault.Call) fault.Kind { return fault.None },
		deliveries: func(string) fault.Kind { return fault.None },
		answered:   func(*process, fault.Call) {},
		table:      &table{Driver: memstore.New(memstore.Config{}), due: map[string]int{}}, objects: memobjects.New(nil),
		jobs: map[job.ID]*tracked{}, events: map[string]*trackedEvent{}, published: map[string]bool{}, tokens: map[string]*owner{}, batches: map[string]int{}, running: map[string]int{},
		woken: make(chan struct{}, 1), sweepAt: time.Now().Truncate(time.Minute).Add(time.Minute),
	}
	w.sqs = &simulatedSQS{changed: w.wake, deleted: w.acknowledged, queues: map[string]*simulatedQueue{}}
	w.backstopDead = w.sqs.add("backstop-dead", nil, 0)
	w.backstop = w.sqs.add("backstop", w.backstopDead, 20)
	w.letters = w.sqs.add("letters", nil, 0)
	w.orderedLetters = w.sqs.add("letters.fifo", nil, 0)
	w.notes = w.sqs.add("notes", w.backstop, 6)
	w.feeds = w.sqs.add("feeds", w.backstop, 6)
	w.ordered = w.sqs.add("ordered.fifo", nil, 0)
	w.polls = w.sqs.add("polled", w.backstop, 6)
	w.narrow = w.sqs.add("narrow", w.backstop, 6)
	w.sns = &simulatedSNS{sqs: w.sqs, topics: map[string]*simulatedTopic{}}
	w.happenings = w.sns.add("happenings", w.notes, w.feeds)
	w.changes = w.sns.add("changes.fifo", w.ordered)
	observer := w.process("test")
	w.exact = w.must(store.New(store.Config{Driver: view{w.table, observer}, Random: observer.random}))
	// The sweep has run before, so that it need not look back for an hour.
	if _, err := w.exact.SetMark(context.Background(), "checkpoint", "", w.start.UTC().Format("2006-01-02T15:04Z")); err != nil {
		panic(err)
	}
	return w
}

func (w *world) must(jobs *store.Jobs, err error) *store.Jobs {
	if err != nil {
		panic(err)
	}
	return jobs
}

func (w *world) addresses() map[string]queue.Address {
	return map[string]queue.Address{
		"notes":   {URL: account + w.notes.name, Letters: account + w.letters.name},
		"feeds":   {URL: account + w.feeds.name, Letters: account + w.letters.name},
		"ordered": {URL: account + w.ordered.name, Letters: account + w.orderedLetters.name},
		"polled":  {URL: account + w.polls.name, Letters: account + w.letters.name},
		"narrow":  {URL: account + w.narrow.name, Letters: account + w.letters.name},
	}
}

func (w *world) count(name string, n int) {
	w.mu.Lock()
	w.running[name] += n
	w.mu.Unlock()
	w.wake()
}

// wake lets the world look what is to be done.
func (w *world) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

func (w *world) hold(h heldCall) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, h)
}

// release applies the calls that were held back: others have gone on since. It
// tells whether there were any.
func (w *world) release() bool {
	w.mu.Lock()
	held := w.held
	w.held = nil
	w.mu.Unlock()
	for _, h := range held {
		w.log("%s: applied late: %s", h.p, h.what)
		h.p.late.Store(true)
		h.apply()
		h.p.late.Store(false)
	}
	return len(held) > 0
}

// stop ends every process that is left, and waits for what their handlers do.
func (w *world) stop() {
	w.mu.Lock()
	left := w.processes
	w.mu.Unlock()
	for _, p := range left {
		p.kill()
	}
	time.Sleep(2 * stall)
}

var silent = slog.New(slog.DiscardHandler)

// log keeps what happened for the report of a violation.
func (w *world) log(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logLocked(format, args...)
}

func (w *world) logLocked(format string, args ...any) {
	w.trail = append(w.trail, fmt.Sprintf("%8v ", time.Since(w.start).Round(time.Millisecond))+fmt.Sprintf(format, args...))
}

// failf notes a violation.
func (w *world) failf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failLocked(format, args...)
}

func (w *world) failLocked(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
	w.logLocked("VIOLATION: "+format, args...)
}

// report is a violation with everything that led to it.
func (w *world) report() string {
	return strings.Join(w.problems, "\n") + "\n    " + strings.Join(w.trail, "\n    ")
}

// settle lets the world go on until nothing is left to do, or for so long at most.
func (w *world) settle(longest time.Duration) {
	for end := time.Now().Add(longest); ; {
		synctest.Wait()
		if w.dispatch() {
			continue
		}
		if w.idle() {
			if !w.release() {
				break
			}
			continue
		}
		if !time.Now().Before(end) {
			w.failf("not at rest after %v: %s", longest, w.unrest())
			break
		}
		timer := time.NewTimer(max(time.Until(w.next()), time.Millisecond))
		select {
		case <-timer.C:
		case <-w.woken:
		}
		timer.Stop()
	}
}
