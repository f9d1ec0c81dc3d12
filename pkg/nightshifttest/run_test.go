package nightshifttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type codedError string

func (e codedError) Error() string     { return "no such mailbox" }
func (e codedError) ErrorCode() string { return string(e) }

func TestVerdictsOfOneRun(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		given nightshifttest.Given
		want  nightshifttest.Ran[job.NoResult]
	}{
		"done":         {nil, nightshifttest.Given{}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Done, Spent: true}},
		"permanent":    {job.Fail(codedError("unknown")), nightshifttest.Given{}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Dead, Spent: true, Code: "unknown"}},
		"retry":        {job.RetryAfter(5*time.Minute, errAway), nightshifttest.Given{Attempt: 2}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Queued, Spent: true, Wait: 5 * time.Minute, Code: "failed"}},
		"last attempt": {errAway, nightshifttest.Given{Attempt: job.DefaultMaxAttempts}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Dead, Spent: true, Code: "failed"}},
		"snooze":       {job.Snooze(time.Hour), nightshifttest.Given{}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Scheduled, Wait: time.Hour}},
		"continue":     {job.Continue(7), nightshifttest.Given{Cursor: 6}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Queued, Cursor: []byte("7")}},
		"discard":      {job.Discard("unsubscribed"), nightshifttest.Given{}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Cancelled, Spent: true, Code: "failed"}},
		"planned":      {nil, nightshifttest.Given{Options: []job.Option{job.In(24 * time.Hour)}}, nightshifttest.Ran[job.NoResult]{State: lifecycle.Done, Spent: true}},
	} {
		t.Run(name, func(t *testing.T) {
			ran := nightshifttest.Run(t, index, Mail{To: "ada"}, func(_ context.Context, j *job.Job[Mail]) error {
				if want := max(c.given.Attempt, 1); j.Attempt != want || j.Args.To != "ada" {
					t.Errorf("the job is %+v, want attempt %d", j, want)
				}
				if n, ok, err := job.Cursor[int](j); err != nil || ok != (c.given.Cursor != nil) || ok && n != c.given.Cursor {
					t.Errorf("the cursor is %v %v %v", n, ok, err)
				}
				return c.err
			}, c.given)
			if ran.Err != c.err || ran.State != c.want.State || ran.Wait != c.want.Wait || ran.Spent != c.want.Spent || ran.Code != c.want.Code || string(ran.Cursor) != string(c.want.Cursor) {
				t.Errorf("ran is %+v, want %+v", ran, c.want)
			}
		})
	}
}

func TestAResultAndItsProgress(t *testing.T) {
	large := strings.Repeat("x", 20_000) // in an object
	ran := nightshifttest.RunResult(t, sendMail, Mail{To: "ada"}, func(ctx context.Context, j *job.Job[Mail]) (Sent, error) {
		return Sent{Receipt: large}, worker.Progress(ctx, j, map[string]int{"percent": 50})
	})
	if ran.Result.Receipt != large || ran.Err != nil || string(ran.Progress) != `{"percent":50}` || !json.Valid(ran.Kept) || len(ran.Kept) < len(large) {
		t.Errorf("ran is %+v", ran)
	}
}

func TestACancellationOnTheWay(t *testing.T) {
	ran := nightshifttest.Run(t, index, Mail{}, func(ctx context.Context, j *job.Job[Mail]) error {
		return worker.Progress(ctx, j, 1)
	}, nightshifttest.Given{CancelRequested: true})
	if !errors.Is(ran.Err, worker.ErrCancelled) || ran.State != lifecycle.Cancelled {
		t.Errorf("ran is %+v", ran)
	}
}

func TestWhatWasCommitted(t *testing.T) {
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	handler := func(ctx context.Context, j *job.Job[Mail]) error {
		return worker.Commit(ctx, j, store.Write{
			Op: store.Put, Table: "sent", Item: store.Item{"to": text(j.Args.To)},
			Condition: "attribute_not_exists(#to)", Names: map[string]string{"#to": "to"},
		})
	}
	given := nightshifttest.Given{Tables: map[string][]string{"sent": {"to"}}}
	ran := nightshifttest.Run(t, index, Mail{To: "ada"}, handler, given)
	if ran.State != lifecycle.Done || len(ran.Committed) != 1 || ran.Committed[0].Table != "sent" {
		t.Errorf("ran is %+v", ran)
	}
	given.Rows = map[string][]store.Item{"sent": {{"to": text("ada")}}}
	ran = nightshifttest.Run(t, index, Mail{To: "ada"}, handler, given)
	if ran.State != lifecycle.Queued || len(ran.Committed) != 0 || !errors.Is(ran.Err, store.ErrCondition) {
		t.Errorf("where the row was there, ran is %+v", ran)
	}

	k := nightshifttest.New(t, nightshifttest.Config{Tables: given.Tables, Duplicates: true}, index)
	k.Serve(worker.Handle(index, handler))
	id := enqueue(t, k, index.With(Mail{To: "bob"}))
	k.RunAll(t.Context())
	if rec := k.Record(id); rec.State != lifecycle.Done || rec.Attempt != 1 {
		t.Errorf("a committed run was repeated: %+v", rec)
	}
	if rows := k.Rows("sent"); len(rows) != 1 {
		t.Errorf("the table holds %v", rows)
	}
}

func TestRunsThatCanNotBeTold(t *testing.T) {
	run := func(t testing.TB, handler func(context.Context, *job.Job[Mail]) error) {
		nightshifttest.Run(t, index, Mail{To: "ada"}, handler)
	}
	wantFailure(t, func(t testing.TB) {
		run(t, func(context.Context, *job.Job[Mail]) error { panic("no mailbox") })
	}, "the handler did not return (panic: panic: no mailbox)")
	wantFailure(t, func(t testing.TB) {
		nightshifttest.Run(t, counting, Count{}, func(context.Context, *job.Job[Count]) error { return nil })
	}, "name the job's group")
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		wantFailure(t, func(t testing.TB) {
			run(t, func(context.Context, *job.Job[Mail]) error { <-goOn; return nil })
		}, "ignored the end of its context")
		close(goOn)
	})
}

// The first message's job succeeds, the second's does not.
func TestAnEventFixture(t *testing.T) {
	k := nightshifttest.New(t, nightshifttest.Config{}, index)
	w := k.Serve(worker.Handle(index, func(_ context.Context, j *job.Job[Mail]) error {
		if j.Args.To == "bob" {
			return errAway
		}
		return nil
	}))
	enqueue(t, k, index.With(Mail{To: "ada"}), job.WithID("01hz7vq3k8m5n9p2r4s6t8w0xy", ""))
	enqueue(t, k, index.With(Mail{To: "bob"}), job.WithID("01hz7vq3k8m5n9p2r4s6t8w0xz", ""))
	failed := nightshifttest.Invoke(t, w, "testdata/mails.json")
	if !slices.Equal(failed, []string{"2e1424d4-f796-459a-8184-9c92662be6da"}) {
		t.Errorf("failed are %v", failed)
	}
	k.WantState("01hz7vq3k8m5n9p2r4s6t8w0xy", lifecycle.Done)

	wantFailure(t, func(t testing.TB) { nightshifttest.Invoke(t, w, "testdata/other.json") }, "the invocation with testdata/other.json failed", "no Records")
	wantFailure(t, func(t testing.TB) { nightshifttest.Invoke(t, w, "testdata/none.json") }, "reading the event")
	wantFailure(t, func(t testing.TB) { nightshifttest.Invoke(t, silent{}, "testdata/mails.json") }, "no batch response")
}

type silent struct{}

func (silent) Invoke(context.Context, []byte) ([]byte, error) { return []byte("ok"), nil }
