package deadletter_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// What timed out on one day starts anew, five letters a second.
func ExampleQueue_Redrive() {
	ctx := context.Background()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	timedOut := deadJob(ctx, jobs, job.IDOf([16]byte{1}))

	dead, err := deadletter.New(deadletter.Config{
		Jobs: jobs, SQS: timedOut, Address: queue.Address{URL: source, Letters: letters},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	summary, err := dead.Redrive(ctx, deadletter.Options{
		Filter: deadletter.Filter{Task: "photo.resize", Code: "timeout"},
		Rate:   5,
		Each: func(r deadletter.Result) {
			fmt.Println(r.Status, r.Letter.Job, r.Letter.Reason)
		},
	})
	fmt.Println(summary.By[deadletter.Redriven], "of", summary.Seen, err)
	// Output:
	// redriven 04000000000000000000000000 too slow
	// 1 of 1 <nil>
}

// deadJob makes a queue that holds the letter of a dead job. In a real one the
// relay put it there; queue.New gives what reads it.
func deadJob(ctx context.Context, jobs *store.Jobs, id job.ID) *sqsDouble {
	if _, _, err := jobs.Create(ctx, store.NewJob{ID: id, Task: "photo.resize", Queue: "photos", MaxAttempts: 1}); err != nil {
		panic(err)
	}
	claim, err := jobs.Claim(ctx, id, store.Lease{Token: "t", Until: time.Now().Add(time.Minute)})
	if err != nil {
		panic(err)
	}
	rec, err := jobs.Finish(ctx, claim.Record, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("too slow")})
	if err != nil {
		panic(err)
	}
	body, err := queue.Message{ID: id, N: rec.N, Letter: &queue.Letter{Task: rec.Task, Code: "timeout", Reason: "too slow", DiedAt: rec.Finished}}.Encode()
	if err != nil {
		panic(err)
	}
	return &sqsDouble{sent: map[string][]queue.Outgoing{}, messages: []*held{{Incoming: queue.Incoming{ID: "m", Body: body}}}}
}
