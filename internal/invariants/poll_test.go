package invariants

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/worker"
)

// poll starts a process that polls the queue for processes, until it is stopped or
// killed; then another takes its place.
func (w *world) poll() {
	p := w.process("poller")
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	w.mu.Lock()
	w.polling = append(w.polling, p)
	w.mu.Unlock()
	context.AfterFunc(ctx, w.wake)
	go func() { <-p.ended; stop() }()
	go func() {
		fn, err := worker.New(worker.Config{
			Jobs: p.jobs, Queue: p.queue, Addresses: w.addresses(), Objects: p.objects, Logger: silent,
			Random: func() float64 { return 0 }, Exit: func(int) { p.kill() },
		}, w.handlers(p, w.polls)...)
		if err == nil {
			err = fn.Poll(ctx, worker.PollConfig{Receiver: p.queue, Pollers: map[string]int{"polled": 1}, Hold: workerTime})
		}
		if err != nil && !p.Dead() {
			w.failf("%s: %v", p, err)
		}
	}()
}

// pollers counts the processes that poll and are not to stop.
func (w *world) pollers() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.polling {
		if !p.Dead() && !p.stopping.Load() {
			n++
		}
	}
	return n
}

// drain tells the processes that poll to stop, as a deployment does; others take
// their place.
func (w *world) drain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.polling {
		p.stopping.Store(true)
		p.stop()
	}
}
