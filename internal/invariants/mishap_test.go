package invariants

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// patience is how long a mishap waits for what it spoils: a fault may have kept
// that away.
const patience = time.Minute

// mishap is something that goes wrong outside of pkg's calls.
func mishap(at time.Duration, do func(*world) error) step {
	return step{at, "AWS", func(w *world, _ *process, _ context.Context) error {
		w.sources.Lock()
		defer w.sources.Unlock()
		return do(w)
	}}
}

// lose loses every message of a queue, once there are some.
func lose(at time.Duration, of func(*world) *simulatedQueue) step {
	return mishap(at, func(w *world) error {
		all := w.sqs.in(of(w))
		if len(all) == 0 && time.Since(w.start) < at+patience {
			return fmt.Errorf("there is no message yet")
		}
		for _, m := range all {
			w.sqs.mu.Lock()
			w.sqs.drop(of(w), m)
			w.sqs.mu.Unlock()
		}
		return nil
	})
}

// moveAll moves every message of a queue to another one, as SQS does with what was
// received too often, or a person in AWS's console.
func moveAll(at time.Duration, from, to func(*world) *simulatedQueue) step {
	return mishap(at, func(w *world) error {
		all := w.sqs.in(from(w))
		if len(all) == 0 && time.Since(w.start) < at+patience {
			return fmt.Errorf("there is no message yet")
		}
		for _, m := range all {
			w.sqs.move(from(w), to(w), m)
		}
		return nil
	})
}

// refuse lets a queue refuse messages with a code of SQS's; empty takes them again.
func (w *world) refuse(q *simulatedQueue, code string) {
	w.sqs.mu.Lock()
	defer w.sqs.mu.Unlock()
	q.refuses = code
}

// skip loses what the stream holds and the relay has not read.
func (w *world) skip() {
	w.sources.Lock()
	defer w.sources.Unlock()
	changes, _ := w.table.Changes(w.relayed)
	w.relayed += len(changes)
}

// unclaimedObjects says which objects no row names.
func (w *world) unclaimedObjects() string {
	named := map[string]bool{}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, j := range w.jobs {
		for _, o := range []*lifecycle.Object{j.rec.ArgsObject, j.rec.ResultObject} {
			if o != nil {
				named[o.Key] = true
			}
		}
	}
	for _, key := range w.objects.Keys() {
		if _, ours := claimcheck.JobOf(key); ours && !named[key] {
			return "nobody collects the object " + key
		}
		delete(named, key)
	}
	for key := range named {
		return "the object is gone that a row names: " + key
	}
	return ""
}

// aDay lets a day pass in which nothing happens but the sweep's runs at its end.
func (w *world) aDay() {
	time.Sleep(25 * time.Hour)
	if err := w.passBy(0); err != nil {
		panic(err)
	}
	w.sources.Lock()
	defer w.sources.Unlock()
	w.sweepAt = time.Now()
}

// passBy moves the sweep's mark past minutes that it has not read.
func (w *world) passBy(ahead time.Duration) error {
	ctx := context.Background()
	seen, err := w.exact.Mark(ctx, "checkpoint")
	if err == nil {
		_, err = w.exact.SetMark(ctx, "checkpoint", seen, time.Now().Add(ahead).UTC().Format("2006-01-02T15:04Z"))
	}
	return err
}

// newer gives a waiting job other arguments.
func newer(at time.Duration, name string, args string) step {
	return step{at, "replacer", func(w *world, p *process, ctx context.Context) error {
		_, _, err := p.jobs.Replace(ctx, idOf(name), store.NewJob{Args: []byte(args)})
		return err
	}}
}
