package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A Photo is what the jobs of these examples are about.
type Photo struct {
	Key string `json:"key"`
}

var (
	pictures = job.Queue{Name: "photos", PeakArrivals: job.PerSecond(5), ServiceTime: time.Second, LongestWait: time.Minute}

	shrink = job.Define[Photo]("photo.shrink", job.Policy{Queue: pictures})
	show   = job.Define[Photo]("photo.show", job.Policy{Queue: pictures})
	tell   = job.Define[Photo]("photo.tell", job.Policy{Queue: pictures})
)

// Photos are shrunk, then shown; whatever becomes of the shrinking, their owner is
// told.
func Example_followUps() {
	ctx := context.Background()
	kit := nightshifttest.New(printer{}, nightshifttest.Config{}, shrink, show, tell)
	kit.Serve(
		worker.Handle(shrink, func(_ context.Context, j *job.Job[Photo]) error {
			if j.Args.Key == "torn.jpg" {
				return job.Fail(errors.New("the end is missing"))
			}
			return nil
		}),
		worker.Handle(show, func(_ context.Context, j *job.Job[Photo]) error {
			fmt.Println("shown:", j.Args.Key)
			return nil
		}),
		worker.Handle(tell, func(_ context.Context, j *job.Job[Photo]) error {
			fmt.Println("told:", j.Args.Key, "is", j.Follows.State)
			return nil
		}),
	)
	for _, key := range []string{"soup.jpg", "torn.jpg"} {
		photo := Photo{Key: key}
		id, err := kit.Producer.Enqueue(ctx, shrink.With(photo), job.Then(show.With(photo)), job.Finally(tell.With(photo)))
		if err != nil {
			fmt.Println(err)
			return
		}
		kit.RunAll(ctx)
		fmt.Println("shrinking it is", kit.State(id))
	}
	// Output:
	// shown: soup.jpg
	// told: soup.jpg is done
	// shrinking it is done
	// told: torn.jpg is dead
	// shrinking it is dead
}

// A printer stands for a test's *testing.T.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Context() context.Context          { return context.Background() }
func (printer) Output() io.Writer                 { return io.Discard }
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
