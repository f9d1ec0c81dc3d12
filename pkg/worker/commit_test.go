package worker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// tally is a handler's own write: it counts how often it was made.
func tally(name string) store.Write {
	return store.Write{
		Op: store.Update, Key: tallyKey(name), Update: "ADD #count :one",
		Names: map[string]string{"#count": "count"}, Values: store.Item{":one": &types.AttributeValueMemberN{Value: "1"}},
	}
}

func tallyKey(name string) store.Item {
	return store.Item{
		store.PartitionKey: &types.AttributeValueMemberS{Value: "tally#" + name},
		store.SortKey:      &types.AttributeValueMemberS{Value: "tally"},
	}
}

func (w *world) tallied(name string) string {
	w.t.Helper()
	row, err := w.faults.Inner.Get(w.t.Context(), tallyKey(name))
	if err != nil {
		w.t.Fatal(err)
	}
	if n, ok := row["count"].(*types.AttributeValueMemberN); ok {
		return n.Value
	}
	return "0"
}

func TestACommittedEffectHappensOnce(t *testing.T) {
	q := notes(nil)
	runs := 0
	w := newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
		runs++
		if err := worker.Commit(ctx, j, tally("a"), tally("b")); err != nil {
			return err
		}
		if err := worker.Commit(ctx, j, tally("a")); err == nil {
			t.Error("a run was ended twice")
		}
		return errors.New("too late to matter")
	}))
	id := w.enqueue("x", nil)
	for range 2 { // the message comes twice
		if failed := w.deliver(message(id)); len(failed) > 0 {
			t.Errorf("failed %v", failed)
		}
	}
	if rec := w.get(id); rec.State != lifecycle.Done || rec.Attempt != 1 || rec.Error != nil || runs != 1 {
		t.Errorf("%d runs, %+v", runs, rec)
	}
	if a, b := w.tallied("a"), w.tallied("b"); a != "1" || b != "1" {
		t.Errorf("the effects happened %s and %s times", a, b)
	}
}

// Whatever happens to the calls of a commit, the effect is there once when the job
// is done, and not at all before.
func TestACommitUnderEveryFault(t *testing.T) {
	for _, kind := range fault.Kinds() {
		for call := range 6 {
			t.Run(fmt.Sprintf("%v at call %d", kind, call), func(t *testing.T) {
				q := notes(func(q *job.Queue) { q.Batch = 1 })
				w := newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
					return worker.Commit(ctx, j, tally("a"))
				}))
				id := w.enqueue("x", nil)
				w.faults.At = fault.Once(call, kind)
				for tries := 0; w.get(id).State != lifecycle.Done; tries++ {
					if got := w.tallied("a"); got != "0" {
						t.Fatalf("the effect happened %s times, and the job is not done", got)
					}
					if tries == 3 {
						t.Fatalf("the job is %s", w.get(id).State)
					}
					w.due(id)
					w.deliver(message(id))
				}
				if got := w.tallied("a"); got != "1" {
					t.Errorf("the effect happened %s times", got)
				}
			})
		}
	}
}

// due lets a job's wait be over.
func (w *world) due(id job.ID) {
	w.t.Helper()
	rec := w.get(id)
	if wait := time.Until(rec.NotBefore); rec.State == lifecycle.Queued && wait > 0 {
		_, err := w.faults.Inner.Write(w.t.Context(), store.Write{
			Op: store.Update, Key: store.KeyOf(id), Update: "REMOVE #at", Names: map[string]string{"#at": "not_before_ms"},
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestACommitsOwnConditionIsTheHandlersToJudge(t *testing.T) {
	q := notes(nil)
	w := newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
		never := tally("b")
		never.Condition = "attribute_exists(#count)"
		err := worker.Commit(ctx, j, tally("a"), never)
		var refused *store.ConditionError
		if !errors.As(err, &refused) || refused.Index != 1 || refused.Old != nil {
			t.Errorf("Commit = %v", err)
		}
		return job.Discard("there is nothing to count")
	}))
	id := w.enqueue("x", nil)
	w.deliver(message(id))
	if rec := w.get(id); rec.State != lifecycle.Cancelled || w.tallied("a") != "0" {
		t.Errorf("%s, and the effect happened %s times", rec.State, w.tallied("a"))
	}
}

func TestACommitOfAFormerOwnerHasNoEffect(t *testing.T) {
	q := notes(nil)
	var w *world
	w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
		_, err := w.faults.Inner.Write(ctx, store.Write{
			Op: store.Update, Key: store.KeyOf(j.ID), Update: "SET #token = :other",
			Names: map[string]string{"#token": "token"}, Values: store.Item{":other": &types.AttributeValueMemberS{Value: "successor"}},
		})
		if err != nil {
			return err
		}
		err = worker.Commit(ctx, j, tally("a"))
		if !errors.Is(err, worker.ErrLeaseLost) || ctx.Err() == nil {
			t.Errorf("Commit = %v; the context: %v", err, ctx.Err())
		}
		return err
	}))
	id := w.enqueue("x", nil)
	if failed := w.deliver(message(id)); len(failed) != 1 {
		t.Errorf("the message of a lost lease was acknowledged: %v", failed)
	}
	if w.tallied("a") != "0" || w.get(id).Token != "successor" {
		t.Errorf("a former owner wrote: %s, %+v", w.tallied("a"), w.get(id))
	}
}

func TestEachPartOfLongWorkTakesEffectOnce(t *testing.T) {
	q := notes(nil)
	w := newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
		page, _, err := job.Cursor[int](j)
		if err != nil {
			return err
		}
		if page == 3 {
			return worker.Commit(ctx, j, tally("end"))
		}
		return worker.CommitContinue(ctx, j, page+1, tally(fmt.Sprint("page", page)))
	}))
	id := w.enqueue("x", nil)
	m := message(id)
	for w.get(id).State != lifecycle.Done {
		if failed := w.deliver(m); len(failed) == 1 && w.hiddenFor(m) != 0 {
			t.Fatalf("a job that goes on waits %v", w.hiddenFor(m))
		}
	}
	for _, name := range []string{"page0", "page1", "page2", "end"} {
		if got := w.tallied(name); got != "1" {
			t.Errorf("%s happened %s times", name, got)
		}
	}
	if rec := w.get(id); rec.Attempt != 1 {
		t.Errorf("%d attempts", rec.Attempt)
	}
}

func TestNoPartTakesEffectOnceACancellationWasAskedFor(t *testing.T) {
	q := notes(nil)
	var w *world
	w = newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
		if _, err := w.jobs.Cancel(ctx, j.ID, ""); err != nil {
			return err
		}
		err := worker.CommitContinue(ctx, j, 1, tally("page"))
		if !errors.Is(err, worker.ErrCancelled) || !errors.Is(context.Cause(ctx), worker.ErrCancelled) {
			t.Errorf("CommitContinue = %v; the context: %v", err, context.Cause(ctx))
		}
		return err
	}))
	id := w.enqueue("x", nil)
	w.deliver(message(id))
	if rec := w.get(id); rec.State != lifecycle.Cancelled || w.tallied("page") != "0" {
		t.Errorf("%s; the part happened %s times", rec.State, w.tallied("page"))
	}
}

func TestACommitOutsideItsRunIsRefused(t *testing.T) {
	q := notes(nil)
	var kept *job.Job[note]
	var ctxKept context.Context
	w := newWorld(t, q, worker.Handle(task(q), func(ctx context.Context, j *job.Job[note]) error {
		kept, ctxKept = j, ctx
		if err := worker.CommitContinue(ctx, j, nil); err == nil {
			t.Error("a continuation without a cursor was taken")
		}
		return worker.CommitResult(ctx, j, map[string]int{"words": 2})
	}))
	id := w.enqueue("x", nil)
	w.deliver(message(id))
	if rec := w.get(id); string(rec.Result) != `{"words":2}` {
		t.Errorf("result %s", rec.Result)
	}
	for name, ctx := range map[string]context.Context{"no handler's context": t.Context(), "after the end": ctxKept} {
		if err := worker.Commit(ctx, kept); err == nil {
			t.Errorf("%s: Commit was taken", name)
		}
	}
}
