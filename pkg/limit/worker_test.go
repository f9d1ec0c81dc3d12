package limit_test

import (
	"context"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// As a queue's workers have it: forty jobs of one customer and one of another. The
// customer's go at the pace of the limit, in one attempt each; the other's is done at
// once, and all of them are handed out few more times than there are jobs.
func TestAHotKeyLeavesTheWorkersToOthers(t *testing.T) {
	const jobs = 40
	task := job.Define[account]("bank.sync", job.Policy{MaxAttempts: 2, Queue: job.Queue{
		Name: "bank", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Hour, Batch: 10,
	}})
	kit := nightshifttest.New(t, nightshifttest.Config{}, task)
	bucket := newBucket(t, limit.BucketConfig{Driver: memory(), Rate: 1, Now: kit.Now})
	delivered := 0
	limited := limit.Handler(bucket, customerOf, func(context.Context, *job.Job[account]) error { return nil })
	kit.Serve(worker.Handle(task, func(ctx context.Context, j *job.Job[account]) error {
		delivered++
		return limited(ctx, j)
	}))
	var hot []job.ID
	enqueue := func(customer string) job.ID {
		id, err := kit.Producer.Enqueue(t.Context(), task.With(account{customer}))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for range jobs {
		hot = append(hot, enqueue("ann"))
	}
	other := enqueue("ben")
	kit.Drain(t.Context())
	kit.WantState(other, "done")
	began := kit.Now()
	kit.RunAll(t.Context())
	for i, id := range hot {
		if rec := kit.Record(id); rec.State != "done" || rec.Attempt != 1 {
			t.Errorf("job %d is %s after %d attempts", i, rec.State, rec.Attempt)
		}
	}
	took := kit.Now().Sub(began)
	t.Logf("%d deliveries of %d jobs in %v", delivered, jobs+1, took)
	if delivered > 3*(jobs+1) || took < (jobs-1)*time.Second || took > 2*jobs*time.Second {
		t.Errorf("%d deliveries of %d jobs, in %v", delivered, jobs+1, took)
	}
}
