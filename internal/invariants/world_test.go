package invariants

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

type note struct{}

// A world is a stack under a simulated clock, in which one thing happens at a
// time: a step may come at any call to the table or to SQS that another step
// makes, and everything follows from the seed.
type world struct {
	t       *testing.T
	random  *rand.Rand
	now     time.Time
	memory  *memstore.Driver
	exact   *store.Jobs // without faults
	sqs     *simulatedSQS
	task    job.Task[note]
	storm   bool // faults and interleavings happen
	depth   int  // of steps within steps
	relayed int  // the relay's place in the stream
	checked int  // ours
	jobs    map[job.ID]*tracked
	order   []job.ID
	foreign []held
	trail   []string
	failed  bool
}

func newWorld(t *testing.T, seed uint64, ordered bool) *world {
	t.Helper()
	w := &world{
		t: t, random: rand.New(rand.NewPCG(seed, seed)), now: time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC),
		memory: memstore.New(memstore.Config{}), storm: true, jobs: map[job.ID]*tracked{},
	}
	w.sqs = &simulatedSQS{w: w, messages: map[string][]*message{}, dedup: map[string]time.Time{}}
	w.exact = w.jobsOn(w.memory)
	// The sweep has run before, so that it need not look back for an hour.
	if _, err := w.exact.SetMark(ctx, "checkpoint", "", w.now.Format("2006-01-02T15:04Z")); err != nil {
		t.Fatal(err)
	}
	w.task = job.Define[note]("note.write", job.Policy{
		Queue:   job.Queue{Name: "notes", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: 24 * time.Hour, Batch: 3, Bound: 1, FIFO: ordered},
		Timeout: 20 * time.Second, MaxAttempts: 2, Backoff: backoff.Policy{Base: 2 * time.Second, Floor: 2 * time.Second, Cap: 2 * time.Second},
	})
	return w
}

func (w *world) queue() job.Queue { return w.task.Definition().Policy.Queue }

// source is the URL of the tasks' queue.
func (w *world) source() string {
	if w.queue().FIFO {
		return source + fifo
	}
	return source
}

func (w *world) addresses() map[string]queue.Address {
	address := queue.Address{URL: source, Letters: letters}
	if w.queue().FIFO {
		address = queue.Address{URL: source + fifo, Letters: letters + fifo}
	}
	return map[string]queue.Address{"notes": address}
}

// jobsOn gives the table as a process sees it.
func (w *world) jobsOn(driver store.Driver) *store.Jobs {
	jobs, err := store.New(store.Config{Driver: driver, Now: w.clock, Random: drawer{w.random}})
	if err != nil {
		w.t.Fatal(err)
	}
	return jobs
}

func (w *world) clock() time.Time { return w.now }

// drawer draws ids and tokens.
type drawer struct{ *rand.Rand }

// Read fills p.
func (d drawer) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(d.Uint32())
	}
	return len(p), nil
}

var _ io.Reader = drawer{}

// chance is true once in n times, in a storm.
func (w *world) chance(n int) bool { return w.storm && w.random.IntN(n) == 0 }

// interleave lets something else happen now, sometimes.
func (w *world) interleave() {
	if w.depth < 2 && w.chance(6) {
		w.depth++
		w.step()
		w.depth--
	}
}

// log keeps what happened for the report of a failure.
func (w *world) log(format string, args ...any) {
	w.trail = append(w.trail, w.now.Format("15:04:05 ")+strings.Repeat("    ", w.depth)+fmt.Sprintf(format, args...))
}

func (w *world) failf(format string, args ...any) {
	w.log("FAULT: "+format, args...)
	w.failed = true
}

// A killed process panics with this.
type killed struct{}

// A driver is the table as a process sees it that may be killed at every call.
type driver struct {
	*fault.Driver
	w     *world
	dying bool // killed at its next call
}

func (w *world) troubled() *driver {
	d := &driver{Driver: &fault.Driver{Inner: w.memory}, w: w}
	d.At = func(int) fault.Kind {
		if w.chance(8) {
			return fault.Kinds()[w.random.IntN(len(fault.Kinds()))]
		}
		return fault.None
	}
	return d
}

// Get reads one row.
func (d *driver) Get(ctx context.Context, key store.Item) (store.Item, error) {
	d.mayDie()
	defer d.mayDie()
	return d.Driver.Get(ctx, key)
}

// Write makes one conditional write.
func (d *driver) Write(ctx context.Context, write store.Write) (store.Item, error) {
	d.mayDie()
	d.w.interleave()
	defer d.mayDie()
	defer d.w.check()
	return d.Driver.Write(ctx, write)
}

func (d *driver) mayDie() {
	if d.dying || d.w.chance(60) {
		panic(killed{})
	}
}

// mayBeKilled runs a process to its end, or to its death (false).
func (w *world) mayBeKilled(process func()) (lived bool) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case killed{}:
			w.log("killed")
		default:
			panic(p)
		}
	}()
	process()
	return true
}
