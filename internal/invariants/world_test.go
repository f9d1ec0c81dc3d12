package invariants

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
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
	objects *memobjects.Driver
	// The queues of the stack.
	notes, ordered, polls, letters, orderedLetters, backstop, backstopDead *simulatedQueue

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

	mu       sync.Mutex
	jobs     map[job.ID]*tracked
	tokens   map[string]*owner
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
		jobs: map[job.ID]*tracked{}, tokens: map[string]*owner{}, running: map[string]int{},
		woken: make(chan struct{}, 1), sweepAt: time.Now().Truncate(time.Minute).Add(time.Minute),
	}
	w.sqs = &simulatedSQS{changed: w.wake, deleted: w.acknowledged, queues: map[string]*simulatedQueue{}}
	w.backstopDead = w.sqs.add("backstop-dead", nil, 0)
	w.backstop = w.sqs.add("backstop", w.backstopDead, 20)
	w.letters = w.sqs.add("letters", nil, 0)
	w.orderedLetters = w.sqs.add("letters.fifo", nil, 0)
	w.notes = w.sqs.add("notes", w.backstop, 6)
	w.ordered = w.sqs.add("ordered.fifo", nil, 0)
	w.polls = w.sqs.add("polled", w.backstop, 6)
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
		"ordered": {URL: account + w.ordered.name, Letters: account + w.orderedLetters.name},
		"polled":  {URL: account + w.polls.name, Letters: account + w.letters.name},
	}
}

// A process is one process of the stack and what it works with.
type process struct {
	*fault.Process
	w      *world
	number int
	random *drawer
	// ended is closed when the process is killed or its function timed out.
	ended chan struct{}
	once  sync.Once
	// timedOut tells that Lambda ended it, and late that a call of its is applied
	// late.
	timedOut, late atomic.Bool
	// paused tells that the model kept it waiting for long.
	paused atomic.Bool
	// stop lets a process that polls drain; stopping tells that it was told to.
	stop     func()
	stopping atomic.Bool

	jobs    *store.Jobs
	driver  store.Driver
	queue   *queue.SQS
	objects *claimcheck.Objects
}

// stall is how long a slow call takes: longer than any function, its leases and the
// visibility of its messages.
const stall = visibility + 10*time.Second

func (w *world) process(name string) *process {
	w.mu.Lock()
	w.made++
	p := &process{w: w, number: w.made, random: &drawer{Rand: rand.New(rand.NewPCG(1, uint64(w.made)))}, ended: make(chan struct{})}
	w.processes = append(w.processes, p)
	w.mu.Unlock()
	p.Process = &fault.Process{
		Name: name, Finder: w.finder, Delay: stall,
		Choose: func(_ *fault.Process, c fault.Call) fault.Kind { return w.choose(p, c) },
		Hold:   func(c fault.Call, apply func()) { w.hold(heldCall{p, c.Place(), apply}) },
		Done: func(_ *fault.Process, c fault.Call, kind fault.Kind, err error) {
			if kind != fault.None {
				w.log("%s: %s: FAULT %s", p, c.Place(), kind)
			}
			w.sawHealing(c)
			w.answered(p, c)
			if p.Dead() {
				p.kill()
			}
		},
	}
	p.driver = p.Process.Table(view{w.table, p})
	p.jobs = w.must(store.New(store.Config{Driver: p.driver, Random: p.random}))
	p.queue = queue.New(p.Process.Queue(w.sqs))
	p.objects, _ = claimcheck.New(p.Process.Objects(w.objects))
	return p
}

// kill ends the process.
func (p *process) kill() {
	p.Kill()
	p.once.Do(func() { close(p.ended) })
}

// String names the process in traces.
func (p *process) String() string { return fmt.Sprintf("%s#%d", p.Name, p.number) }

// A life is the context of a function: its deadline is Lambda's, and it ends when
// the process is killed. A process that was frozen goes on after its deadline,
// before its timers notice.
type life struct {
	context.Context
	deadline time.Time
	done     <-chan struct{}
}

// Deadline is the invocation's.
func (l life) Deadline() (time.Time, bool) { return l.deadline, true }

// Done is closed when the process ends.
func (l life) Done() <-chan struct{} { return l.done }

// Err is set when the process has ended.
func (l life) Err() error {
	select {
	case <-l.done:
		return context.Canceled
	default:
		return nil
	}
}

// live runs a function in a process of its own, for at most a time. answered is
// told what it answers, unless it died or was too late. A slow process is not
// ended: it is frozen, and goes on when nobody waits for it any more.
func (w *world) live(name string, limit time.Duration, run func(p *process, ctx context.Context) error, answered func(error)) {
	p := w.process(name)
	w.count(name, 1)
	done := make(chan error, 1)
	w.count("process", 1)
	go func() {
		defer w.count("process", -1)
		done <- run(p, life{context.Background(), time.Now().Add(limit), p.ended})
	}()
	go func() {
		defer w.count(name, -1)
		timeout := time.NewTimer(limit)
		defer timeout.Stop()
		select {
		case err := <-done:
			if !p.Dead() {
				w.tell(answered, err)
				return
			}
		case <-p.ended:
		case <-timeout.C:
			p.timedOut.Store(true)
			w.log("%s: timed out", p)
			if !p.Stalled() {
				p.kill()
			}
		}
		w.tell(answered, errNoAnswer)
	}()
}

func (w *world) tell(answered func(error), err error) {
	w.sources.Lock()
	defer w.sources.Unlock()
	answered(err)
}

// errNoAnswer is what is known of a function that died or was too late.
var errNoAnswer = fmt.Errorf("no answer")

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

// A drawer draws ids and tokens.
type drawer struct {
	mu sync.Mutex
	*rand.Rand
}

// Read fills p.
func (d *drawer) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range p {
		p[i] = byte(d.Uint32())
	}
	return len(p), nil
}

var (
	_      io.Reader = (*drawer)(nil)
	silent           = slog.New(slog.DiscardHandler)
)

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
