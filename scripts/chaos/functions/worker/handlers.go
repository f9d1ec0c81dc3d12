package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

type jobOf = job.Job[work.Arguments]

// handlers are the tasks' functions.
type handlers struct {
	effects string // the table
	begun   string // the folder of crowds
}

// pass takes a while, if it is told to.
func (h *handlers) pass(ctx context.Context, j *jobOf) error {
	first, err := h.joined(ctx, j)
	if err != nil {
		return err
	}
	if first {
		<-ctx.Done() // the process ends before
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(j.Args.Wait) * time.Millisecond):
	}
	return worker.Commit(ctx, j, h.counted(j)...)
}

func (h *handlers) flaky(ctx context.Context, j *jobOf) error {
	if j.Attempt <= j.Args.Fails {
		return fmt.Errorf("attempt %d of %d that fail", j.Attempt, j.Args.Fails)
	}
	return worker.Commit(ctx, j, h.counted(j)...)
}

// snooze waits until the job is of an age.
func (h *handlers) snooze(ctx context.Context, j *jobOf) error {
	ready := j.CreatedAt.Add(time.Duration(j.Args.Wait) * time.Millisecond)
	if wait := time.Until(ready); wait > 0 {
		return job.Snooze(wait)
	}
	return worker.Commit(ctx, j, h.counted(j)...)
}

// walk takes one step in each run. A step has its effect in the write that saves
// how far the job got.
func (h *handlers) walk(ctx context.Context, j *jobOf) error {
	step, _, err := job.Cursor[int](j)
	if err != nil {
		return job.Fail(err)
	}
	if step < j.Args.Steps {
		return worker.CommitContinue(ctx, j, step+1, h.stepped(j))
	}
	return worker.Commit(ctx, j, h.counted(j)...)
}

// sum has a result, which is kept by the same write as the effect.
func (h *handlers) sum(ctx context.Context, j *jobOf) (work.Result, error) {
	result := work.Result{Sum: work.Base + j.Args.Seq}
	return result, worker.CommitResult(ctx, j, result, h.counted(j)...)
}

// line is one of a group, in order; some of them are poison.
func (h *handlers) line(ctx context.Context, j *jobOf) error {
	switch {
	case j.Args.How != "":
		return h.fatal(ctx, j)
	case j.Attempt <= j.Args.Fails:
		return fmt.Errorf("attempt %d of %d that fail", j.Attempt, j.Args.Fails)
	}
	return worker.Commit(ctx, j, h.counted(j)...)
}

func (h *handlers) fatal(context.Context, *jobOf) error { return job.Fail(poison{}) }

// poison is why Fatal jobs fail.
type poison struct{}

func (poison) Error() string     { return work.Reason }
func (poison) ErrorCode() string { return work.Code }

// die takes the process with it.
func (h *handlers) die(ctx context.Context, j *jobOf) error {
	if _, err := h.joined(ctx, j); err != nil {
		return err
	}
	switch j.Args.How {
	case "exit":
		os.Exit(1)
	case "memory":
		eat()
	case "kill":
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			return err
		}
	}
	return errors.New("it lives")
}

// counted raises a job's count and its steps, and notes a job of a group as the last
// that ended.
func (h *handlers) counted(j *jobOf) []store.Write {
	writes := []store.Write{h.raise(string(j.ID), "ADD #count :one, #steps :one", work.Count, work.Steps)}
	if _, group, grouped := j.ID.Group(); grouped {
		writes = append(writes, h.listed(group, j.Args.Seq))
	}
	return writes
}

func (h *handlers) stepped(j *jobOf) store.Write {
	return h.raise(string(j.ID), "ADD #steps :one", work.Steps)
}

// raise adds one to attributes of a job's row.
//
// Key: the job's id. No condition: what it guards against is to be seen.
func (h *handlers) raise(id, update string, names ...string) store.Write {
	w := store.Write{
		Op: store.Update, Table: h.effects, Key: store.Item{work.Key: &types.AttributeValueMemberS{Value: id}},
		Update: update, Names: map[string]string{}, Values: store.Item{":one": number(1)},
	}
	for _, name := range names {
		w.Names["#"+name] = name
	}
	return w
}

// listed notes a job as the last that ended of its group.
//
// Key: the group's. No condition, as in raise.
func (h *handlers) listed(group string, seq int) store.Write {
	return store.Write{
		Op: store.Update, Table: h.effects, Key: store.Item{work.Key: &types.AttributeValueMemberS{Value: work.GroupKey(group)}},
		Update: "SET #order = list_append(if_not_exists(#order, :none), :seq)",
		Names:  map[string]string{"#order": work.Order},
		Values: store.Item{
			":none": &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
			":seq":  &types.AttributeValueMemberL{Value: []types.AttributeValue{number(seq)}},
		},
	}
}

func number(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}
