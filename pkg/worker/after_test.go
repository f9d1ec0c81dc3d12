package worker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// The tasks of a newsletter: one job fans out to readers, and one runs when all of
// theirs have ended.
var (
	letters = job.Queue{Name: "letters", PeakArrivals: 10, ServiceTime: time.Second, LongestWait: time.Hour}

	fanOut  = job.Define[note]("letter.fan-out", job.Policy{Queue: letters, MaxAttempts: 3})
	send    = job.Define[note]("letter.send", job.Policy{Queue: letters, MaxAttempts: 1})
	allSent = job.DefineResult[note, string]("letter.all-sent", job.Policy{Queue: letters})
)

func TestAFollowUpLearnsHowTheJobEnded(t *testing.T) {
	kit := nightshifttest.New(t, nightshifttest.Config{}, send, allSent)
	kit.Serve(
		worker.Handle(send, func(_ context.Context, j *job.Job[note]) error {
			if j.Follows != nil {
				t.Errorf("it follows %+v", j.Follows)
			}
			switch j.Args.Text {
			case "bad":
				return job.Fail(errors.New("no such address"))
			case "unwanted":
				return job.Discard("unsubscribed")
			}
			return nil
		}),
		worker.HandleResult(allSent, func(ctx context.Context, j *job.Job[note]) (string, error) {
			if _, err := worker.Batch(ctx, j); err == nil {
				t.Error("a job that follows no batch has one")
			}
			return fmt.Sprint(j.Follows.State, " ", j.Follows.Job == job.ID(j.Client)), nil
		}),
	)
	for text, want := range map[string]string{"good": "done", "bad": "dead", "unwanted": "cancelled"} {
		id := job.IDOf([16]byte([]byte(text + "................")[:16]))
		_, err := kit.Producer.Enqueue(t.Context(), send.With(note{Text: text}), job.WithID(id, ""), job.ByClient(string(id)),
			job.Then(allSent.With(note{})), job.Finally(allSent.With(note{})))
		if err != nil {
			t.Fatal(err)
		}
		kit.RunAll(t.Context())
		if got := nightshifttest.Result[string](kit, id.Follow(1)); got != want+" true" {
			t.Errorf("%s: the hook learnt %q", text, got)
		}
		if _, err := kit.Jobs.Get(t.Context(), id.Follow(0)); (err == nil) != (want == "done") {
			t.Errorf("%s: what runs when it is done: %v", text, err)
		}
	}
}

// A fan-out that adds some members, continues, and dies in between, ends with each of
// them added once.
func TestAFanOutGoesOnWhereItDied(t *testing.T) {
	const readers = 1234
	for name, commits := range map[string]bool{"by Add and Continue": false, "in the transactions that continue": true} {
		t.Run(name, func(t *testing.T) {
			kit := nightshifttest.New(t, nightshifttest.Config{Duplicates: true}, fanOut, send, allSent)
			sent := map[int]int{}
			kit.Serve(
				worker.Handle(fanOut, func(ctx context.Context, j *job.Job[note]) error { return fan(ctx, kit.Producer, j, readers, commits) }),
				worker.Handle(send, func(_ context.Context, j *job.Job[note]) error {
					var i int
					if _, err := fmt.Sscan(j.Args.Text, &i); err != nil {
						return err
					}
					if sent[i]++; i%100 == 7 {
						return job.Fail(errors.New("bounced"))
					}
					return nil
				}),
				worker.HandleResult(allSent, func(ctx context.Context, j *job.Job[note]) (string, error) {
					b, err := worker.Batch(ctx, j)
					if len(sent) != readers {
						t.Errorf("%d letters were sent before the job after them", len(sent))
					}
					return fmt.Sprint(b.Done, " done, ", b.Dead, " dead, ", b.Skipped, " skipped, ", b.Pending(), " pending"), err
				}),
			)
			if _, err := kit.Producer.Enqueue(t.Context(), fanOut.With(note{Text: "news/49"})); err != nil {
				t.Fatal(err)
			}
			kit.RunAll(t.Context())
			b, err := kit.Producer.Batch(t.Context(), "news/49")
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%d done, %d dead, %d skipped, 0 pending", readers-13, 13, producer.MaxMembers-readers)
			if got := nightshifttest.Result[string](kit, b.Job); got != want {
				t.Errorf("after the batch: %s, want %s", got, want)
			}
			for i, n := range sent {
				if n != 1 {
					t.Errorf("letter %d was sent %d times", i, n)
				}
			}
		})
	}
}

// fan adds a page of members in each run.
func fan(ctx context.Context, p *producer.Producer, j *job.Job[note], readers int, commits bool) error {
	from, _, err := job.Cursor[int](j)
	if err != nil {
		return err
	}
	b, err := p.NewBatch(ctx, j.Args.Text, producer.MaxMembers, allSent.With(note{}))
	if err != nil {
		return err
	}
	if from >= readers {
		return b.Close(ctx, readers)
	}
	size := 300
	if commits {
		size = store.MaxActions
	}
	page := make([]job.Request, min(size, readers-from))
	for i := range page {
		page[i] = send.With(note{Text: fmt.Sprint(from + i)})
	}
	if commits {
		writes, err := b.Writes(ctx, from, page)
		if err != nil {
			return err
		}
		return worker.CommitContinue(ctx, j, from+len(page), writes...)
	}
	if err := b.Add(ctx, from, page); err != nil {
		return err
	}
	return job.Continue(from + len(page))
}

func TestAJobThatIsCommittedIsFollowed(t *testing.T) {
	kit := nightshifttest.New(t, nightshifttest.Config{Tables: map[string][]string{"sent": {"to"}}}, send, allSent)
	kit.Serve(
		worker.Handle(send, func(ctx context.Context, j *job.Job[note]) error {
			return worker.Commit(ctx, j, store.Write{Op: store.Put, Table: "sent", Item: store.Item{"to": &types.AttributeValueMemberS{Value: j.Args.Text}}})
		}),
		worker.HandleResult(allSent, func(_ context.Context, j *job.Job[note]) (string, error) { return j.Follows.State, nil }),
	)
	id, err := kit.Producer.Enqueue(t.Context(), send.With(note{Text: "ada"}), job.Finally(allSent.With(note{})))
	if err != nil {
		t.Fatal(err)
	}
	kit.RunAll(t.Context())
	kit.WantState(id, lifecycle.Done)
	if rows := kit.Rows("sent"); len(rows) != 1 {
		t.Errorf("%d rows were committed", len(rows))
	}
	kit.WantState(id.Follow(0), lifecycle.Done)
}

func TestBatchNeedsTheHandlersContext(t *testing.T) {
	if _, err := worker.Batch(t.Context(), job.New(job.Job[note]{ID: "x"}, job.Internals{})); err == nil {
		t.Error("another context was taken")
	}
}
