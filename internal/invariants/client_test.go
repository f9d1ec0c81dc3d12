package invariants

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A step is something that somebody outside does at a time: a client, an operator.
// They try again until they are told that it is done.
type step struct {
	at time.Duration
	// who names their process.
	who string
	do  func(w *world, p *process, ctx context.Context) error
}

// client carries a step out.
func (w *world) client(s step) {
	w.live(s.who, clientTime, func(p *process, ctx context.Context) error { return s.do(w, p, ctx) }, func(err error) {
		if err == nil {
			return
		}
		w.log("%s is not told that it is done: %v", s.who, err)
		s.at = time.Since(w.start) + time.Second
		w.steps = append([]step{s}, w.steps...)
	})
}

// idOf is the id of a job by its name. "a.0" is the first follow-up of a.
func idOf(name string) job.ID {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		if place, err := strconv.Atoi(name[dot+1:]); err == nil {
			return idOf(name[:dot]).Follow(place)
		}
	}
	h := fnv.New128a()
	h.Write([]byte(name))
	return job.IDOf([16]byte(h.Sum(nil)))
}

// enqueue makes a job of a name, as an API does that was given an idempotency key.
func enqueue(at time.Duration, name string, task job.ResultTask[note, outcome], does []string, options ...job.Option) step {
	return enqueueNote(at, name, task, note{Does: does}, options...)
}

func enqueueNote(at time.Duration, name string, task job.ResultTask[note, outcome], n note, options ...job.Option) step {
	return step{at, "producer", func(w *world, p *process, ctx context.Context) error {
		make, err := producer.New(producer.Config{Jobs: p.jobs, Objects: p.objects}, task, followingUp)
		if err != nil {
			return err
		}
		rec, made, err := make.Make(ctx, task.With(n), append(options, job.WithID(idOf(name), "request "+name))...)
		if err != nil {
			return err
		}
		w.accept(rec, name, made)
		return nil
	}}
}

// accept takes note that a producer was told of a job.
func (w *world) accept(rec store.Record, name string, made bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.jobs[rec.ID]
	if j == nil {
		w.failLocked("the producer was told of job %s, which does not exist", name)
		return
	}
	j.accepted = true
	if j.name == "" {
		j.name = name
	}
	w.logLocked("%s is accepted, made %v", j, made)
}

// named finds a job by its name; nil where it does not exist.
func (w *world) named(name string) *tracked {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, j := range w.jobs {
		if j.name == name || id == idOf(name) {
			return j
		}
	}
	return nil
}

// sendBack sends the letters of a queue back to it once they are there, as AWS's
// console does: SQS does that by itself.
func sendBack(at time.Duration, letters, to func(*world) *simulatedQueue) step {
	return step{at, "console", func(w *world, p *process, ctx context.Context) error {
		found := w.sqs.in(letters(w))
		if len(found) == 0 {
			return fmt.Errorf("there is no letter yet")
		}
		for _, m := range found {
			w.sqs.move(letters(w), to(w), m)
		}
		return nil
	}}
}

// when waits for something before a step is done, once: the step is tried again
// until the job's row was so.
func when(s step, name string, is func(store.Record) bool) step {
	do := s.do
	s.do = func(w *world, p *process, ctx context.Context) error {
		j := w.named(name)
		w.mu.Lock()
		ready := j != nil && (is(j.rec) || j.was[s.who])
		if ready {
			j.was[s.who] = true
		}
		w.mu.Unlock()
		if !ready {
			return fmt.Errorf("job %s is not so far", name)
		}
		return do(w, p, ctx)
	}
	return s
}

func isDead(rec store.Record) bool { return rec.State == lifecycle.Dead && rec.Publication == nil }
