package producer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// An Issue of the newsletter goes to readers.
type (
	Issue  struct{ Week string }
	Letter struct{ Week, To string }
)

var (
	issues = job.Queue{Name: "newsletter", PeakArrivals: job.PerSecond(20), ServiceTime: time.Second, LongestWait: time.Hour}

	sendIssue  = job.Define[Issue]("issue.send", job.Policy{Queue: issues})
	sendLetter = job.Define[Letter]("letter.send", job.Policy{Queue: issues})
	issueSent  = job.Define[Issue]("issue.sent", job.Policy{Queue: issues})
)

// readers gives a page of those who get the letter: a query, in a site.
func readers(from int) (page []string) {
	all := []string{"ada@example.org", "bob@example.org", "nobody", "dan@example.org", "eve@example.org"}
	return all[from:min(from+2, len(all))]
}

// fanOut enqueues a job for each reader. It may die anywhere: whatever it did before,
// doing it again changes nothing.
func fanOut(ctx context.Context, jobs *producer.Producer, j *job.Job[Issue]) error {
	b, err := jobs.NewBatch(ctx, "issue/"+j.Args.Week, producer.MaxMembers, issueSent.With(j.Args))
	if err != nil {
		return err
	}
	if n, closed := b.Closed(); closed {
		return b.Close(ctx, n) // the run before this one died in it
	}
	from, _, err := job.Cursor[int](j)
	if err != nil {
		return err
	}
	page := readers(from)
	if len(page) == 0 {
		return b.Close(ctx, from) // no more will come
	}
	letters := make([]job.Request, len(page))
	for i, to := range page {
		letters[i] = sendLetter.With(Letter{Week: j.Args.Week, To: to})
	}
	if err := b.Add(ctx, from, letters); err != nil {
		return err
	}
	return job.Continue(from + len(page))
}

// An issue is sent to readers page by page, and when each letter is sent or lost for
// good, somebody hears of it.
func ExampleProducer_NewBatch() {
	ctx := context.Background()
	kit := nightshifttest.New(printer{}, nightshifttest.Config{}, sendIssue, sendLetter, issueSent)
	kit.Serve(
		worker.Handle(sendIssue, func(ctx context.Context, j *job.Job[Issue]) error { return fanOut(ctx, kit.Producer, j) }),
		worker.Handle(sendLetter, func(_ context.Context, j *job.Job[Letter]) error {
			if j.Args.To == "nobody" {
				return job.Fail(errors.New("no such address"))
			}
			return nil
		}),
		worker.Handle(issueSent, func(ctx context.Context, j *job.Job[Issue]) error {
			b, err := worker.Batch(ctx, j)
			fmt.Printf("%s: %d sent, %d lost\n", b.ID, b.Done, b.Dead)
			return err
		}),
	)
	if _, err := kit.Producer.Enqueue(ctx, sendIssue.With(Issue{Week: "2026-W49"})); err != nil {
		fmt.Println(err)
		return
	}
	kit.RunAll(ctx)
	// Output: issue/2026-W49: 4 sent, 1 lost
}

// A printer stands for a test's *testing.T.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Context() context.Context          { return context.Background() }
func (printer) Output() io.Writer                 { return io.Discard }
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
