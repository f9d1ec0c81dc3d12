package producer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Limits of a batch.
const (
	// MaxMembers is how many jobs a batch has at most.
	MaxMembers = store.MaxMembers
	// LongestBatch is the most bytes that a batch's id has.
	LongestBatch = 256
	// addedBytes is how many bytes of rows go into one transaction at most.
	addedBytes = 2 << 20
)

// A Batch is some jobs (its members) and one that is enqueued when all of them have
// ended, whether done, dead or cancelled. It may be used by many goroutines.
type Batch struct {
	producer *Producer
	batch    store.Batch
}

// NewBatch makes a batch of n members, MaxMembers at most, and says what is to run
// when all have ended. That job learns the batch's id from its Follows, and its
// handler how the members ended from worker.Batch. n may be more than there will be:
// see Close. A batch of none has ended at once.
//
// id is the caller's name for the batch ("newsletter/2026-W49"): the same call again
// gives the same batch, so that a producer that died half way starts again or goes
// on. Another n, task or arguments under the same id are ErrOtherRequest. A batch
// that has ended keeps its id for 28 days.
//
// The job at the end takes the options that a follow-up takes (job.Then). Errors are
// those of Enqueue.
func (p *Producer) NewBatch(ctx context.Context, id string, n int, after job.Request, options ...job.Option) (*Batch, error) {
	switch {
	case id == "" || len(id) > LongestBatch || !utf8.ValidString(id):
		return nil, fmt.Errorf("%w: the batch %.80q: an id has 1 to %d bytes of UTF-8", ErrOptions, id, LongestBatch)
	case n < 0 || n > MaxMembers:
		return nil, fmt.Errorf("%w: the batch %q has %d members: it may have 0 to %d", ErrOptions, id, n, MaxMembers)
	}
	u, err := p.followUp(after, job.Apply(options...))
	if f, bad := store.NewFollow([]store.FollowUp{u}, nil); err == nil {
		err = errors.Join(bad, checkFollow(f))
	}
	if err != nil {
		return nil, fmt.Errorf("producer: the job after batch %q: %w", id, err)
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(n) + "\x00" + u.Task + "\x00" + string(u.Args)))
	b, _, err := p.jobs.CreateBatch(ctx, store.NewBatch{ID: id, Total: n, Fingerprint: hex.EncodeToString(sum[:16]), After: u})
	if err != nil {
		return nil, fmt.Errorf("producer: %w", err)
	}
	return &Batch{p, b}, nil
}

// Batch tells how a batch stands. store.ErrNoBatch means that there is none of that
// id, or no longer.
func (p *Producer) Batch(ctx context.Context, id string) (store.Batch, error) {
	b, err := p.jobs.Batch(ctx, id)
	if err != nil {
		return b, fmt.Errorf("producer: %w", err)
	}
	return b, nil
}

// ID gives the batch's.
func (b *Batch) ID() string { return b.batch.ID }

// Member gives the id of the member of an index, from 0.
func (b *Batch) Member(index int) job.ID { return job.Member(b.batch.Seed, index) }

// Last gives the id of the job that runs when all members have ended.
func (b *Batch) Last() job.ID { return b.batch.Job }

// Add enqueues members, of the indexes from on, in transactions of a hundred. A
// member that was added before is left as it is, so that a call may be repeated, whole
// or from anywhere, within the 15 days for which ended jobs are kept. Add may
// be called side by side, in any order and with any tasks.
//
// The options are each member's. Groups, and so FIFO queues, job.WithID and
// job.Unique are refused. Members that are counted (job.Spilled, queues that are Hard) are
// made one by one; ErrFull leaves those before it added, and the call may be repeated.
// Members may have follow-ups of their own; the batch does
// not wait for those.
func (b *Batch) Add(ctx context.Context, from int, members []job.Request, options ...job.Option) error {
	if err := b.check(from, len(members), b.batch.Members); err != nil || !b.batch.Finished.IsZero() {
		return err
	}
	var chunk []store.NewJob
	size := 0
	for i, request := range members {
		n, err := b.plan(ctx, from+i, request, options)
		if err != nil {
			return err
		}
		row := besideArgs(n) + len(n.Args)
		if len(chunk) == store.MaxActions+1 || size+row > addedBytes && len(chunk) > 0 {
			if err := b.producer.jobs.CreateAll(ctx, chunk); err != nil {
				return fmt.Errorf("producer: adding to batch %q: %w", b.ID(), err)
			}
			chunk, size = chunk[:0], 0
		}
		chunk, size = append(chunk, n), size+row
	}
	if err := b.producer.jobs.CreateAll(ctx, chunk); err != nil {
		return fmt.Errorf("producer: adding to batch %q: %w", b.ID(), err)
	}
	return nil
}

// Writes gives the writes that add members, for a transaction that somebody else
// makes, such as worker.CommitContinue with the place to go on from. Unlike with
// Add, a member that is there already is a failed condition.
func (b *Batch) Writes(ctx context.Context, from int, members []job.Request, options ...job.Option) ([]store.Write, error) {
	if err := b.check(from, len(members), b.batch.Members); err != nil {
		return nil, err
	}
	writes := make([]store.Write, len(members))
	for i, request := range members {
		n, err := b.plan(ctx, from+i, request, options)
		if err != nil {
			return nil, err
		}
		if n.Hard != nil || n.Spill != nil {
			return nil, fmt.Errorf("%w: member %d of batch %q is spilled, or its queue is Hard: a transaction of somebody else's can't look for room: use Add", ErrOptions, from+i, b.ID())
		}
		writes[i] = b.producer.jobs.JobWrite(n)
	}
	return writes, nil
}

// Close says that the batch has so many members and no more will be added: it waits
// for those only. Call it where n was a guess, or to give up on a batch that nobody
// will fill. It is repeated with the same number until it succeeds (see Closed);
// another number is store.ErrInvalid. Nobody may add an index beyond at the same time.
func (b *Batch) Close(ctx context.Context, members int) error {
	if err := b.check(members, 0, b.batch.Total); err != nil {
		return err
	}
	if err := b.producer.jobs.SkipFrom(ctx, b.batch, members); err != nil {
		return fmt.Errorf("producer: %w", err)
	}
	return nil
}

// Closed tells with how many members the batch was closed before NewBatch gave it:
// by somebody who gave up on it, or by a run that may have died within Close. Whoever
// fills it then calls Close with that number, and adds none beyond, which Add and
// Writes refuse.
func (b *Batch) Closed() (members int, closed bool) {
	return b.batch.Members, b.batch.Members < b.batch.Total
}

// check holds indexes to how many there are.
func (b *Batch) check(from, n, most int) error {
	if from < 0 || from+n > most {
		return fmt.Errorf("%w: members %d to %d of batch %q, which has %d, counted from 0", ErrOptions, from, from+n-1, b.ID(), most)
	}
	return nil
}

// plan is a member as it is to be written.
func (b *Batch) plan(ctx context.Context, index int, request job.Request, options []job.Option) (store.NewJob, error) {
	o := job.Apply(options...)
	bad := checkOnce(o)
	if o.OnlyReplacing {
		bad = errors.Join(bad, fmt.Errorf("%w: job.OnlyReplacing is given, and a member is not unique", ErrOptions))
	}
	if request.Definition.Policy.Queue.FIFO {
		bad = errors.Join(bad, fmt.Errorf("%w: queue %q is first-in-first-out: the members of a batch wait in standard queues", ErrOptions, request.Definition.Policy.Queue.Name))
	}
	if bad != nil {
		return store.NewJob{}, fmt.Errorf("producer: member %d of batch %q: %w", index, b.ID(), bad)
	}
	o.ID = b.Member(index)
	return b.producer.plan(ctx, request, o, b.batch.Member(index))
}
