package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func runBatch(t *testing.T, construct Constructor) {
	tests := map[string]func(fixture){
		"the last of a batch enqueues what follows": batchEnds,
		"a batch of many shards":                    batchShards,
		"a batch of one":                            batchOne,
		"a batch of none has ended":                 batchNone,
		"the same request gets the same batch":      batchSame,
		"a redriven member counts once":             batchRedriven,
		"members are added once":                    batchAdded,
		"every way out counts":                      batchWaysOut,
		"members that will not come":                batchSkipped,
		"members that will not come, the wrong way": batchSkippedWrongly,
		"a batch is closed with one number":         batchClosed,
		"room is kept for the end of a batch":       batchRoom,
		"a batch that is gone keeps nobody":         batchGone,
		"many end at the same time":                 batchContended,
		"a batch waits as long as it takes":         batchLong,
		"a scan finds batches":                      batchScanned,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(setup(t, construct)) })
	}
}

func newBatch(members int) store.NewBatch {
	return store.NewBatch{ID: "news/2026-W49", Total: members, Fingerprint: "f", After: telling}
}

// batch makes a batch and all of its members.
func (f fixture) batch(members int) store.Batch {
	f.Helper()
	b, made, err := f.jobs.CreateBatch(f.Context(), newBatch(members))
	f.must(made, err)
	f.fill(b, 0, members)
	return b
}

// fill adds members.
func (f fixture) fill(b store.Batch, from, to int) {
	f.Helper()
	for ; from < to; from += min(100, to-from) {
		var all []store.NewJob
		for i := from; i < min(from+100, to); i++ {
			all = append(all, f.member(b, i))
		}
		if err := f.jobs.CreateAll(f.Context(), all); err != nil {
			f.Fatal(err)
		}
	}
}

func (f fixture) member(b store.Batch, index int) store.NewJob {
	f.Helper()
	follow, err := store.NewFollow(nil, b.Member(index))
	if err != nil {
		f.Fatal(err)
	}
	return store.NewJob{ID: job.Member(b.Seed, index), Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 1, Follow: follow}
}

// end lets a member end.
func (f fixture) end(b store.Batch, index int, to lifecycle.State) {
	f.Helper()
	outcome := lifecycle.Outcome{To: to}
	if to == lifecycle.Dead {
		outcome.Err = errors.New("broken")
	}
	f.finish(f.claim(job.Member(b.Seed, index)), outcome)
}

// wantBatch compares how a batch stands. The job after it is there if it has ended.
func (f fixture) wantBatch(b store.Batch, done, dead, cancelled, skipped int) store.Batch {
	f.Helper()
	now, err := f.jobs.Batch(f.Context(), b.ID)
	if err != nil {
		f.Fatal(err)
	}
	if now.Done != done || now.Dead != dead || now.Cancelled != cancelled || now.Skipped != skipped {
		f.Errorf("the batch has %d done, %d dead, %d cancelled, %d skipped; want %d, %d, %d, %d",
			now.Done, now.Dead, now.Cancelled, now.Skipped, done, dead, cancelled, skipped)
	}
	ended := done+dead+cancelled+skipped == b.Total
	if ended != !now.Finished.IsZero() || ended != (now.Pending() == 0) {
		f.Errorf("%d members are pending, and it finished at %v", now.Pending(), now.Finished)
	}
	rec, err := f.jobs.Get(f.Context(), b.Job)
	if ended && (err != nil || rec.Task != telling.Task || rec.Follows == nil || *rec.Follows != (job.Follows{Batch: b.ID})) {
		f.Errorf("the job after the batch is %+v, %v", rec, err)
	}
	if !ended && !errors.Is(err, store.ErrNotFound) {
		f.Errorf("the job after the batch is there before its time (%v)", err)
	}
	return now
}

func batchEnds(f fixture) {
	b := f.batch(5)
	if b.Shards != 1 {
		f.Fatalf("%d shards", b.Shards)
	}
	f.wantBatch(b, 0, 0, 0, 0)
	f.end(b, 3, lifecycle.Done)
	f.wantBatch(b, 1, 0, 0, 0)
	f.end(b, 0, lifecycle.Dead)
	f.end(b, 1, lifecycle.Cancelled)
	f.end(b, 4, lifecycle.Done)
	f.wantBatch(b, 2, 1, 1, 0)
	f.clock.Advance(time.Minute)
	f.end(b, 2, lifecycle.Done)
	if now := f.wantBatch(b, 3, 1, 1, 0); !now.Finished.Equal(f.clock.Now()) || now.Job != b.Job {
		f.Errorf("ended as %+v", now)
	}
}

func batchShards(f fixture) {
	const members = 201
	b := f.batch(members)
	if b.Shards != 4 {
		f.Fatalf("%d shards", b.Shards)
	}
	for i := range members - 1 {
		f.end(b, i, lifecycle.Done)
		if i%40 == 0 || i > members-5 {
			f.wantBatch(b, i+1, 0, 0, 0)
		}
	}
	f.end(b, members-1, lifecycle.Dead)
	f.wantBatch(b, members-1, 1, 0, 0)
}

func batchOne(f fixture) {
	b := f.batch(1)
	f.end(b, 0, lifecycle.Dead)
	f.wantBatch(b, 0, 1, 0, 0)
}

func batchNone(f fixture) {
	b, made, err := f.jobs.CreateBatch(f.Context(), newBatch(0))
	f.must(made, err)
	if now := f.wantBatch(b, 0, 0, 0, 0); now.Finished.IsZero() {
		f.Error("it has not ended")
	}
}

func batchSame(f fixture) {
	first := f.batch(3)
	again, made, err := f.jobs.CreateBatch(f.Context(), newBatch(3))
	f.mustNot(made, err)
	if again.Seed != first.Seed || again.Job != first.Job || again.Shards != first.Shards || !again.Created.Equal(first.Created) {
		f.Errorf("the same batch is %+v, was %+v", again, first)
	}
	other := newBatch(3)
	other.Fingerprint = "other"
	if _, _, err := f.jobs.CreateBatch(f.Context(), other); !errors.Is(err, store.ErrOtherRequest) {
		f.Errorf("another request: %v, want ErrOtherRequest", err)
	}
	if _, err := f.jobs.Batch(f.Context(), "no such"); !errors.Is(err, store.ErrNoBatch) {
		f.Errorf("Batch = %v, want ErrNoBatch", err)
	}
	for i := range 3 {
		f.end(first, i, lifecycle.Done)
	}
	f.clock.Advance(lifecycle.DeadRetention)
	if _, err := f.jobs.Batch(f.Context(), first.ID); !errors.Is(err, store.ErrNoBatch) {
		f.Errorf("after its time: %v, want ErrNoBatch", err)
	}
	anew, made, err := f.jobs.CreateBatch(f.Context(), newBatch(3))
	f.must(made, err)
	f.fill(anew, 0, 3)
	f.end(anew, 0, lifecycle.Done)
	f.wantBatch(anew, 1, 0, 0, 0)
}

func batchRedriven(f fixture) {
	b := f.batch(2)
	f.end(b, 0, lifecycle.Dead)
	id := job.Member(b.Seed, 0)
	for range 2 {
		f.must(f.jobs.Redrive(f.Context(), f.want(id, lifecycle.Dead)))
		f.end(b, 0, lifecycle.Dead)
	}
	f.wantBatch(b, 0, 1, 0, 0)
	f.end(b, 1, lifecycle.Done)
	f.wantBatch(b, 1, 1, 0, 0)
}

func batchAdded(f fixture) {
	b := f.batch(150)
	f.end(b, 7, lifecycle.Done)
	f.fill(b, 0, 150)
	f.want(job.Member(b.Seed, 7), lifecycle.Done)
	stranger := f.member(b, 8)
	stranger.Task = "photo.other"
	if err := f.jobs.CreateAll(f.Context(), []store.NewJob{stranger}); !errors.Is(err, store.ErrOtherRequest) {
		f.Errorf("another task at the same index: %v, want ErrOtherRequest", err)
	}
	if _, replaced, err := f.jobs.Replace(f.Context(), job.Member(b.Seed, 9), store.NewJob{Args: []byte(`{}`)}); replaced || err != nil {
		f.Errorf("a member was replaced (%v)", err)
	}
}

func batchWaysOut(f fixture) {
	b := f.batch(6)
	at := func(i int) job.ID { return job.Member(b.Seed, i) }
	if _, err := f.jobs.Cancel(f.Context(), at(0), ""); err != nil {
		f.Fatal(err)
	}
	if err := f.jobs.Undeliverable(f.Context(), f.get(at(1)), errors.New("refused")); err != nil {
		f.Fatal(err)
	}
	f.orphan(at(2), true)
	f.takeOver(at(2))
	f.must(f.jobs.Requeue(f.Context(), f.orphan(at(3), true)))
	claimed := f.claim(at(4))
	if _, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, effect("a")); err != nil {
		f.Fatal(err)
	}
	f.wantBatch(b, 1, 3, 1, 0)
	f.wantEffects("a", "1")
	claimed = f.claim(at(5))
	if _, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, effect("a")); err != nil {
		f.Fatal(err)
	}
	f.wantBatch(b, 2, 3, 1, 0)
	f.wantEffects("a", "2")
	if _, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, effect("a")); !errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("a second commit: %v, want ErrLeaseLost", err)
	}
}

// Each member of a batch may be its last: what a handler commits is refused for all of
// them, or none.
func batchRoom(f fixture) {
	b := f.batch(2)
	for i := range 2 {
		claimed := f.claim(job.Member(b.Seed, i))
		var most []store.Write
		for n := range store.MaxActions - 2 {
			most = append(most, effect(fmt.Sprint(n)))
		}
		_, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, most...)
		if !errors.Is(err, store.ErrInvalid) {
			f.Errorf("member %d with %d actions: %v, want ErrInvalid", i, len(most), err)
		}
		if _, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, most[1:]...); err != nil {
			f.Errorf("member %d with %d actions: %v", i, len(most)-1, err)
		}
	}
	f.wantBatch(b, 2, 0, 0, 0)
}

func batchGone(f fixture) {
	b := f.batch(2)
	row := store.Write{Op: store.Delete, Key: store.BatchKey(b.ID)}
	if _, err := f.driver.Write(f.Context(), row); err != nil {
		f.Fatal(err)
	}
	f.end(b, 0, lifecycle.Done)
	f.end(b, 1, lifecycle.Done)
	f.want(job.Member(b.Seed, 1), lifecycle.Done)
	if _, err := f.jobs.Get(f.Context(), b.Job); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("the job of a batch that is gone: %v", err)
	}
}

func batchContended(f fixture) {
	const members = 40
	b := f.batch(members)
	claimed := make(chan store.Record, members)
	for i := range members {
		claimed <- f.claim(job.Member(b.Seed, i))
	}
	close(claimed)
	var beside sync.WaitGroup
	for range 4 {
		beside.Go(func() {
			for rec := range claimed {
				if _, err := f.jobs.Finish(f.Context(), rec, lifecycle.Outcome{To: lifecycle.Done}); err != nil {
					f.Error(err)
				}
			}
		})
	}
	beside.Wait()
	f.wantBatch(b, members, 0, 0, 0)
}

func batchLong(f fixture) {
	b := f.batch(65) // two shards
	for i := range 65 {
		if i%2 == 0 {
			f.end(b, i, lifecycle.Done)
		}
	}
	f.clock.Advance(300 * 24 * time.Hour)
	for i := range 65 {
		if i%2 == 1 {
			f.end(b, i, lifecycle.Done)
		}
	}
	f.wantBatch(b, 65, 0, 0, 0)
}

func batchScanned(f fixture) {
	b := f.batch(3)
	f.end(b, 0, lifecycle.Done)
	var found []store.Batch
	jobs := 0
	for page := (store.Scanned{}); ; {
		var err error
		if page, err = f.jobs.ScanPage(f.Context(), store.Scan{Start: page.Next}); err != nil {
			f.Fatal(err)
		}
		found, jobs = append(found, page.Batches...), jobs+len(page.Jobs)
		if page.Next == nil {
			break
		}
	}
	if jobs != 3 || len(found) != 1 || found[0].ID != b.ID || found[0].Total != 3 || found[0].Job != b.Job {
		f.Errorf("%d jobs and the batches %+v", jobs, found)
	}
}
