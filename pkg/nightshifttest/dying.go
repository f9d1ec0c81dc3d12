package nightshifttest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// errDied is what becomes of the calls of a process that has died.
var errDied = errors.New("nightshifttest: the process has died")

// A dying worker's process dies when a handler has returned, before the end of the run
// is written down.
type dying struct {
	*recorder
	worker *worker.Worker
	dead   atomic.Bool
	// kill ends the invocation's context.
	kill context.CancelFunc
}

// leasePast is how far in the past its leases end: whoever comes next may take over.
const leasePast = 2 * lifecycle.LongestInvisible

// newDying makes a worker of these handlers that dies.
func (k *Kit) newDying(config worker.Config, handlers []worker.Handler) *dying {
	k.t.Helper()
	d := &dying{recorder: k.table}
	config.Jobs = k.jobsOn(d)
	config.Logger = slog.New(slog.DiscardHandler) // the dead tell nothing
	config.Now = func() time.Time { return k.Now().Add(-leasePast) }
	d.worker = made(worker.New(config, handlers...)).or(k)
	return d
}

// invoke hands a batch of one message to the worker. What it answers nobody hears.
func (d *dying) invoke(ctx context.Context, event []byte) {
	ctx, d.kill = context.WithCancel(ctx)
	defer d.kill()
	d.dead.Store(false)
	_, _ = d.worker.Invoke(ctx, event)
}

// Get reads one row.
func (d *dying) Get(ctx context.Context, key store.Item) (store.Item, error) {
	if d.dead.Load() {
		return nil, errDied
	}
	return d.recorder.Get(ctx, key)
}

// Write makes one write, unless it is the end of a run.
func (d *dying) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if !d.dead.Load() && d.ends(ctx, w) {
		d.dead.Store(true)
		d.kill()
	}
	if d.dead.Load() {
		return nil, errDied
	}
	return d.recorder.Write(ctx, w)
}

// Transact makes a transaction: the commit of a run that its handler ends itself. One
// that has nothing of the handler's in it is the end of a run with what follows it, and
// comes as late as a mere write.
func (d *dying) Transact(ctx context.Context, token string, writes []store.Write) error {
	if !d.dead.Load() && !slices.ContainsFunc(writes, ofHandlers) && d.ends(ctx, writes[0]) {
		d.dead.Store(true)
		d.kill()
	}
	if d.dead.Load() {
		return errDied
	}
	return d.recorder.Transact(ctx, token, writes)
}

// ofHandlers tells whether a write is a handler's own: of another table, or of a row
// that is neither a job's nor a batch's.
func ofHandlers(w store.Write) bool {
	key := w.Key
	if w.Op == store.Put {
		key = w.Item
	}
	_, isJob := store.IDFrom(key)
	return w.Table != "" || !isJob && !store.IsBatch(key)
}

// ends tells whether a write would end a job's run, by trying it on a copy of the row.
func (d *dying) ends(ctx context.Context, w store.Write) bool {
	row, err := d.recorder.Get(ctx, w.Key)
	if err != nil || row == nil {
		return false
	}
	before, err := store.Decode(row)
	if err != nil || before.State != lifecycle.Running {
		return false
	}
	scratch := memstore.New(memstore.Config{})
	if _, err := scratch.Write(ctx, store.Write{Op: store.Put, Item: row}); err != nil {
		return false
	}
	row, err = scratch.Write(ctx, w)
	if err != nil {
		return false
	}
	after, err := store.Decode(row)
	return err == nil && after.State != lifecycle.Running
}

// A recorder is the table, and keeps the transactions that were made.
type recorder struct {
	*memstore.Driver
	// each is told of every transaction; nil means nobody.
	each func([]store.Write)
}

// Transact makes a transaction.
func (r *recorder) Transact(ctx context.Context, token string, writes []store.Write) error {
	err := r.Driver.Transact(ctx, token, writes)
	if err == nil && r.each != nil {
		r.each(writes)
	}
	return err
}
