package deadletter

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// Times and bounds of a run.
const (
	// beside is how many letters are acted on at a time; in a FIFO queue it is
	// one, so that jobs of a group start anew in order.
	beside = 10
	// poll is how long a receive waits: any wait makes SQS ask all its servers.
	poll = time.Second
	// A receive may bring nothing although there are letters. The run is at its
	// end when one brought nothing new and SQS counts nothing that is visible, or
	// when so many in a row brought nothing new.
	quietAtMost = 10
	// closing bounds the calls that make letters visible again.
	closing = time.Minute
)

// waits lie between the tries of a call.
var waits = backoff.Policy{Base: 500 * time.Millisecond, Floor: 50 * time.Millisecond, Cap: 5 * time.Second}

// A run goes through the queue once.
type run struct {
	*Queue
	options Options
	act     action
	began   time.Time
	held    *holdings
	pace    pace

	mu       sync.Mutex // of what follows
	summary  Summary
	redriven map[job.ID]time.Time // and of which death
	acted    int
}

func (q *Queue) run(ctx context.Context, o Options, act action) (Summary, error) {
	if err := o.validate(); err != nil {
		return Summary{}, err
	}
	r := &run{
		Queue: q, options: o, act: act, began: q.config.Now(), held: newHoldings(q.config),
		pace: newPace(o.Rate), summary: Summary{By: map[Status]int{}}, redriven: map[job.ID]time.Time{},
	}
	err := r.through(ctx)
	// Also when the run was stopped: what is in its hands is nobody else's.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	r.summary.Hidden = r.held.release(ctx)
	return r.summary, err
}

// through takes all letters there are into its hands, batch by batch, and acts on
// those that match.
func (r *run) through(ctx context.Context) error {
	var all []Letter // of a FIFO queue
	for !r.enough(len(all)) {
		letters, more, err := r.next(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if r.fifo() {
			all = append(all, letters...)
		} else if err := r.each(ctx, letters, beside); err != nil {
			return err
		}
	}
	// SQS hands out groups as it likes. Jobs of a group start anew in the order
	// in which they were made.
	slices.SortStableFunc(all, func(a, b Letter) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Job, b.Job))
	})
	return r.each(ctx, all, 1)
}

// enough tells whether as many letters were acted on as there may be. Those of a
// FIFO queue that wait to be put in order don't count: any may be the first.
func (r *run) enough(waiting int) bool {
	return r.options.Max > 0 && waiting == 0 && r.acted >= r.options.Max
}

// next receives until there are letters that match. more is false at the end.
func (r *run) next(ctx context.Context) (letters []Letter, more bool, err error) {
	for quiet := 0; ; quiet++ {
		if done, err := r.atEnd(ctx, quiet); done || err != nil {
			return nil, false, err
		}
		r.held.renew(ctx)
		var came []queue.Incoming
		err := r.patiently(ctx, func() (err error) {
			came, err = r.config.SQS.Receive(ctx, r.config.Address.Letters, queue.Ask{Most: queue.MaxEntries, Wait: poll, Hide: r.config.Hold})
			return err
		})
		if isOverLimit(err) {
			return nil, false, r.countUnseen(ctx)
		}
		if err != nil {
			return nil, false, err
		}
		fresh := false
		for _, in := range came {
			if !r.held.take(in) {
				continue
			}
			if in.Sent.After(r.began) {
				r.summary.Newer++
				continue
			}
			fresh = true
			r.summary.Seen++
			if l := Read(in); r.options.Filter.Matches(l) {
				letters = append(letters, l)
			}
		}
		if len(letters) > 0 {
			return letters, true, nil
		}
		if fresh {
			quiet = -1
		}
	}
}

// atEnd tells whether so many receives without news mean that there is nothing
// more.
func (r *run) atEnd(ctx context.Context, quiet int) (bool, error) {
	if quiet == 0 {
		return false, nil
	}
	if err := r.countUnseen(ctx); err != nil {
		return false, err
	}
	return r.summary.Unseen == 0 || quiet >= quietAtMost, nil
}

func (r *run) countUnseen(ctx context.Context) error {
	return r.patiently(ctx, func() error {
		depth, err := r.config.SQS.Depth(ctx, r.config.Address.Letters)
		r.summary.Unseen = depth.Visible
		r.summary.Elsewhere = max(depth.InFlight-r.held.count(), 0)
		return err
	})
}

// isOverLimit tells whether as many messages are in flight as SQS permits.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
func isOverLimit(err error) bool {
	var over *types.OverLimit
	return errors.As(err, &over)
}

// each acts on letters, so many at a time, at the rate that was asked for.
func (r *run) each(ctx context.Context, letters []Letter, atOnce int) error {
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, l := range letters {
		if r.enough(0) {
			break
		}
		if err := r.pace.wait(working, r.config.Now(), func() { r.held.renew(working) }); err != nil {
			break // a letter's error, or the end of ctx: see below
		}
		r.acted++
		r.summary.Matched++
		group.Go(func() error {
			result, err := r.act(working, r, l)
			if err == nil {
				r.tell(result)
			}
			return err
		})
	}
	return errors.Join(group.Wait(), ctx.Err())
}

func (r *run) tell(result Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.By[result.Status]++
	if r.options.Each != nil {
		r.options.Each(result)
	}
}
