package nightshifttest

import (
	"context"
	"errors"

	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// ReleaseSpilled hands the spilled jobs (job.Spilled) to their queues, the oldest first,
// as the sweep does when these are short, and tells how many that were. Drain and
// Advance leave them where they are; RunAll releases them when nothing else is left to
// do. A queue that is Hard takes as many as it has room for.
func (k *Kit) ReleaseSpilled(ctx context.Context) (released int) {
	k.t.Helper()
	for _, e := range k.scheduled() {
		if !e.rec.Spilled || e.rec.NotBefore.After(k.Now()) {
			continue
		}
		d := k.tasks[e.rec.Task]
		var hard *store.Bound
		if d.Policy.Queue.Hard {
			plan := made(sizing.For(d.Policy.Queue, d.Policy.Timeout)).or(k)
			bound := store.HardBound(plan)
			hard = &bound
		}
		n, err := k.Jobs.ReleaseSpilled(ctx, []store.DueJob{store.DueOf(e.rec)}, k.Now(), 0, hard)
		if err != nil && !errors.Is(err, store.ErrFull) {
			k.t.Fatalf("nightshifttest: releasing job %s, which is spilled: %v", e.rec.ID, err)
		}
		released += n
	}
	return released
}
