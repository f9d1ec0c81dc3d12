package worker

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// answerTime bounds the calls that answer a batch.
const answerTime = 10 * time.Second

// heldMargin is kept free at the end of the 12 hours that SQS lets a message be
// held, for the answer. What job.MaxPolledTimeout leaves is for waiting one's turn.
const heldMargin = (lifecycle.LongestInvisible - job.MaxPolledTimeout) / 2

// A poll is what the pollers of one call of Poll share. The nil poll stands for
// Lambda: nothing is kept, and nothing else runs in the process.
type poll struct {
	*Worker
	config PollConfig
	// receiving ends when no more messages are to be taken; end ends it.
	receiving context.Context
	end       context.CancelFunc
	// room has a place for each poller's batch; a job that is to run alone takes
	// all of them.
	room   *semaphore.Weighted
	places int64
}

// run starts the pollers and waits for them. Batches in which a handler is stuck
// are answered last, right before the process exits.
func (p *poll) run(ctx context.Context) error {
	handlers, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	var takers []*served
	for _, s := range p.serving {
		for range p.config.Pollers[s.Queue.Name] {
			takers = append(takers, s)
		}
	}
	p.places = int64(len(takers))
	p.room = semaphore.NewWeighted(p.places)

	stuck := make([]*batch, len(takers))
	var pollers sync.WaitGroup
	for i, s := range takers {
		pollers.Go(func() { stuck[i] = p.work(handlers, s) })
	}
	through := make(chan struct{})
	go func() { pollers.Wait(); close(through) }()
	p.drain(ctx, through, kill)

	var err error
	for _, b := range stuck {
		if b != nil {
			b.settleOverruns(ctx)
			b.release()
			p.answer(ctx, b)
			err = ErrStuck
		}
	}
	if err != nil {
		p.Worker.config.Exit(1)
	}
	return err
}

// drain waits until the pollers are through. The handlers' contexts end when the
// time to drain is over.
func (p *poll) drain(ctx context.Context, through <-chan struct{}, kill context.CancelCauseFunc) {
	<-p.receiving.Done()
	logger := p.Worker.config.Logger
	logger.InfoContext(ctx, "draining: nothing more is received", "for", p.config.Drain)
	timer := time.NewTimer(p.config.Drain)
	defer timer.Stop()
	select {
	case <-through:
	case <-timer.C:
		logger.WarnContext(ctx, "the time to drain is over: what still runs is given back")
		kill(ErrShutdown)
		<-through
	}
	logger.InfoContext(ctx, "drained")
}

// stopped tells whether nothing more is to be started.
func (p *poll) stopped() bool { return p != nil && p.receiving.Err() != nil }

// stop begins to drain.
func (p *poll) stop() {
	if p != nil {
		p.end()
	}
}

// hasRoom waits while a job runs alone, or waits for that. It is false when nothing
// more is to be started.
func (p *poll) hasRoom() bool {
	if p.room.Acquire(p.receiving, 1) != nil {
		return false
	}
	p.room.Release(1)
	return !p.stopped()
}

// enterAlone waits until nothing else runs in the process, and keeps it so until
// leave is called. It is not ok when the process drains.
func (p *poll) enterAlone() (leave func(), ok bool) {
	if p == nil {
		return func() {}, true
	}
	if p.room.Acquire(p.receiving, p.places) != nil {
		return func() {}, false
	}
	return func() { p.room.Release(p.places) }, true
}

// keep starts a run's heartbeat.
func (p *poll) keep(ctx context.Context, r *run) *keeper {
	if p == nil {
		return nil
	}
	k := &keeper{config: &p.Worker.config, run: r, hold: p.config.Hold, base: context.WithoutCancel(ctx)}
	k.resume()
	return k
}

// work takes batches from a queue, one after the other, until nothing more is to
// be received. It gives the batch in which a handler is stuck, if there is one,
// whose messages and leases are still held.
func (p *poll) work(ctx context.Context, s *served) (stuck *batch) {
	for p.hasRoom() {
		records, started := p.receive(s)
		if len(records) == 0 {
			continue
		}
		done := p.config.Busy()
		b := &batch{
			Worker: p.Worker, poll: p, queue: s, records: records, fates: make([]fate, len(records)),
			started: started, ends: started.Add(lifecycle.LongestInvisible - heldMargin),
			alone: p.places == 1 && (len(records) == 1 || s.SideBySide() == 1),
		}
		b.release = b.holdMessages(ctx)
		p.serve(ctx, b)
		if b.stuck.Load() {
			return b
		}
		b.release()
		p.answer(ctx, b)
		done()
	}
	return nil
}

// serve works through a batch. Where a job runs alone, or waits for that, the batch
// goes back untried: another process may have time for it.
func (p *poll) serve(ctx context.Context, b *batch) {
	b.crowded = !p.room.TryAcquire(1)
	b.runSideBySide(ctx)
	if !b.crowded {
		p.room.Release(1)
	}
	b.runAlone(ctx)
}

// answer says what becomes of a batch's messages: acknowledged ones are deleted,
// failed ones hidden for their wait.
func (p *poll) answer(ctx context.Context, b *batch) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	defer telemetry.Flush(ctx, b.Worker.config.Metrics)
	b.hideFailed(ctx)
	var receipts []string
	for i, fate := range b.fates {
		if fate.acknowledged {
			receipts = append(receipts, b.records[i].Receipt)
		}
	}
	if len(receipts) == 0 {
		return
	}
	for _, err := range p.config.Receiver.Delete(ctx, b.queue.URL, receipts) {
		if err != nil {
			b.Worker.config.Logger.WarnContext(ctx, "a message was not deleted: it comes again, and its job is found to have ended", "queue", b.queue.Queue.Name, "error", err.Error())
		}
	}
	b.releasePlaces(ctx)
}
