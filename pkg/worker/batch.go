package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A batch is the messages that one invocation, or one receive of Poll's, has in
// hand, and what is known of them.
type batch struct {
	*Worker
	queue   *served
	records []record
	// fates has one place for each record, written by whoever works on it.
	fates []fate
	// alone tells that a job of this batch has no other beside it in the process.
	alone bool
	// poll received the batch; nil for an invocation of Lambda's. release ends
	// the holding of its messages. crowded tells that a job of another batch is
	// to run alone.
	poll    *poll
	release func()
	crowded bool

	// started and ends bound the handlers' time, leaseEnds the leases; ends and
	// leaseEnds are zero for an invocation without a deadline, and leaseEnds is
	// for a batch of Poll's, whose leases are extended while it works.
	started, ends, leaseEnds time.Time
	// stuck is set when a handler ignored the end of its context.
	stuck atomic.Bool
}

// A fate is what becomes of a message. The zero fate is failed: the message
// comes again when its visibility timeout ends.
type fate struct {
	acknowledged bool
	// visible is when a failed message is to be seen again; zero leaves it to
	// the queue.
	visible time.Time
	// alone is the job to take on when it can run alone, until that was tried.
	alone *store.Record
	// ended is the job as it is after its end; nil where it has not ended here.
	ended *store.Record
	// overrun is the run whose handler did not stop, until its end is written.
	overrun *overrun
}

var acknowledged = fate{acknowledged: true}

func visibleAt(t time.Time) fate { return fate{visible: t} }

// again fails a message that was not tried: it is visible at once.
func (b *batch) again() fate { return visibleAt(b.config.Now()) }

func (w *Worker) newBatch(ctx context.Context, records []record, from string) (*batch, error) {
	served, err := w.serves(from)
	if err != nil {
		return nil, err
	}
	b := &batch{
		Worker: w, queue: served, records: records, fates: make([]fate, len(records)), started: w.config.Now(),
		alone: len(records) == 1 || served.SideBySide() == 1,
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		b.ends = b.started.Add(left - min(Margin, left/4))
		b.leaseEnds = b.started.Add(left + Margin)
	}
	return b, nil
}

// mayStart tells whether there is time for one more job, by the rule in the
// package's documentation.
func (b *batch) mayStart() bool {
	if b.stuck.Load() || b.crowded || b.poll.stopped() {
		return false
	}
	if b.ends.IsZero() {
		return true
	}
	left := b.ends.Sub(b.config.Now())
	if left >= b.queue.longest {
		return true
	}
	return b.poll == nil && left > 0 && left >= b.ends.Sub(b.started)/2
}

// timeFor gives how long a handler may run from now.
func (b *batch) timeFor(timeout time.Duration) time.Duration {
	if b.ends.IsZero() {
		return timeout
	}
	return min(timeout, b.ends.Sub(b.config.Now()))
}

func (b *batch) newLease(alone bool) (store.Lease, error) {
	token, err := b.config.Jobs.NewToken()
	until := b.leaseEnds
	switch {
	case b.poll != nil:
		until = b.config.Now().Add(b.poll.config.Hold)
	case until.IsZero():
		until = b.config.Now().Add(b.queue.longest + Grace + Margin)
	}
	return store.Lease{Token: token, Until: until, Alone: alone}, err
}

// runSideBySide works through the batch's lanes, as many at once as the queue's
// bound allows.
func (b *batch) runSideBySide(ctx context.Context) {
	lanes := b.lanes()
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(lanes); i = int(next.Add(1)) - 1 {
			b.runLane(ctx, lanes[i])
		}
	}
	var beside sync.WaitGroup
	for range min(b.queue.SideBySide(), len(lanes)) - 1 {
		beside.Go(work)
	}
	work()
	beside.Wait()
}

// lanes splits the batch into runs of records (by index) that must keep their
// order: a FIFO queue's groups; in a standard queue each record is its own.
func (b *batch) lanes() [][]int {
	lanes := make([][]int, 0, len(b.records))
	if !b.queue.Queue.FIFO {
		indexes := make([]int, len(b.records))
		for i := range indexes {
			indexes[i] = i
			lanes = append(lanes, indexes[i:i+1])
		}
		return lanes
	}
	byGroup := map[string]int{}
	for i := range b.records {
		group := b.records[i].Group
		lane, known := byGroup[group]
		if group == "" {
			continue // it stays failed
		}
		if !known {
			lane = len(lanes)
			byGroup[group] = lane
			lanes = append(lanes, nil)
		}
		lanes[lane] = append(lanes[lane], i)
	}
	return lanes
}

// runLane works through records in order. One that is not acknowledged stops the
// lane: those behind it come again.
func (b *batch) runLane(ctx context.Context, lane []int) {
	for at, i := range lane {
		b.fates[i] = b.process(ctx, &b.records[i])
		if !b.fates[i].acknowledged {
			for _, behind := range lane[at+1:] {
				b.fates[behind] = b.again()
			}
			return
		}
	}
}

// hiddenMargin keeps clear of SQS's limit, which counts from the receive: Lambda may
// have held the batch back before the invocation.
const hiddenMargin = 15 * time.Minute

// longestHidden is how long from now a message may stay hidden.
func (b *batch) longestHidden(now time.Time) time.Duration {
	return max(lifecycle.LongestInvisible-hiddenMargin-now.Sub(b.started), 0)
}

// hideFailed sets when failed messages are visible again. Where that fails, the
// queue's own visibility timeout does it, later.
func (b *batch) hideFailed(ctx context.Context) {
	var hidden []queue.Hidden
	now := b.config.Now()
	for i, fate := range b.fates {
		if fate.acknowledged || fate.visible.IsZero() || b.records[i].Receipt == "" {
			continue
		}
		wait := min(max(fate.visible.Sub(now), 0), b.longestHidden(now))
		hidden = append(hidden, queue.Hidden{Receipt: b.records[i].Receipt, For: wait})
	}
	if len(hidden) == 0 {
		return
	}
	for _, err := range b.config.Queue.Hide(ctx, b.queue.URL, hidden) {
		if err != nil {
			b.config.Logger.WarnContext(ctx, "a wait was not set; the queue's visibility timeout holds", "queue", b.queue.Queue.Name, "error", err.Error())
		}
	}
}
