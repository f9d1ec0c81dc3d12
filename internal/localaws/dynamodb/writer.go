package dynamodb

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// maxGroup is how many writes share one transaction at most.
const maxGroup = 256

// errClosed is what a write gets after Close.
var errClosed = errors.New("dynamodb: the database is closed")

// A writeTx is one caller's part of a write transaction. It sees what the
// callers before it in the same transaction wrote.
type writeTx struct {
	*bolt.Tx
	dirty bool     // has written
	after []func() // to run once the transaction is committed
}

// A write is one caller's work. It may run more than once, each time on a
// clean state; what it leaves in its caller's variables is that of the last run.
type write struct {
	run  func(*writeTx) error
	tx   *writeTx
	err  error
	done chan struct{}
}

// A writer groups the writes of all callers: those that wait while one
// transaction commits share the next one. Changes of table definitions have
// transactions of their own: whoever comes next must see them in the catalog.
type writer struct {
	file   *bolt.DB
	queue  chan *write
	alone  chan *write
	closed chan struct{}
	ended  sync.WaitGroup
}

func startWriter(file *bolt.DB) *writer {
	w := &writer{file: file, queue: make(chan *write), alone: make(chan *write), closed: make(chan struct{})}
	w.ended.Go(w.loop)
	return w
}

func (w *writer) close() {
	close(w.closed)
	w.ended.Wait()
}

// do runs a write to its commit. An error of run undoes that write alone.
func (w *writer) do(run func(*writeTx) error) error { return w.submit(w.queue, run) }

// doAlone is do in a transaction that nobody shares.
func (w *writer) doAlone(run func(*writeTx) error) error { return w.submit(w.alone, run) }

func (w *writer) submit(queue chan<- *write, run func(*writeTx) error) error {
	job := &write{run: run, done: make(chan struct{})}
	select {
	case queue <- job:
		<-job.done
		return job.err
	case <-w.closed:
		return errClosed
	}
}

func (w *writer) loop() {
	for {
		select {
		case first := <-w.queue:
			w.commit(w.waiting([]*write{first}))
		case only := <-w.alone:
			w.commit([]*write{only})
		case <-w.closed:
			return
		}
	}
}

// waiting adds the writes that are there now.
func (w *writer) waiting(group []*write) []*write {
	for len(group) < maxGroup {
		select {
		case job := <-w.queue:
			group = append(group, job)
		default:
			return group
		}
	}
	return group
}

// commit runs a group in one transaction. A write that fails after it has
// written is taken out, and the others run again.
func (w *writer) commit(group []*write) {
	for {
		spoiler, err := w.attempt(group)
		if spoiler < 0 {
			for _, job := range group {
				job.finish(err)
			}
			return
		}
		group[spoiler].finish(nil)
		group = slices.Delete(group, spoiler, spoiler+1)
	}
}

var errRollback = errors.New("dynamodb: rolled back")

func (w *writer) attempt(group []*write) (spoiler int, err error) {
	spoiler = -1
	err = w.file.Update(func(tx *bolt.Tx) error {
		wrote := false
		for i, job := range group {
			job.tx = &writeTx{Tx: tx}
			job.guarded()
			if job.err != nil && job.tx.dirty {
				spoiler = i
				return errRollback
			}
			wrote = wrote || job.tx.dirty
		}
		if !wrote {
			return errRollback
		}
		return nil
	})
	if errors.Is(err, errRollback) {
		err = nil
	}
	return spoiler, err
}

// guarded runs the write; a panic fails that write, not the process.
func (job *write) guarded() {
	defer func() {
		if r := recover(); r != nil {
			job.tx.dirty = true // nobody knows
			job.err = fmt.Errorf("dynamodb: panic in a write: %v", r)
		}
	}()
	job.err = job.run(job.tx)
}

func (job *write) finish(commit error) {
	if job.err == nil && commit != nil {
		job.err = fmt.Errorf("dynamodb: committing: %w", commit)
	}
	if job.err == nil {
		for _, after := range job.tx.after {
			after()
		}
	}
	close(job.done)
}
