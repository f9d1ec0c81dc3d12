package invariants

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/topic"
)

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
	topics  *topic.SNS
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
	p.topics = topic.New(p.Process.Topics(w.sns))
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
var errNoAnswer = errors.New("no answer")

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

var _ io.Reader = (*drawer)(nil)
