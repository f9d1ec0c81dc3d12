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
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

type jobOf = job.Job[work.Arguments]

// handlers are the tasks' functions.
type handlers struct {
	jobs    *store.Jobs
	effects string // the table
}

func (h *handlers) pass(ctx context.Context, j *jobOf) error { return h.commit(ctx, j, 1, nil) }

func (h *handlers) flaky(ctx context.Context, j *jobOf) error {
	if j.Attempt <= j.Args.Fails {
		return fmt.Errorf("attempt %d of %d that fail", j.Attempt, j.Args.Fails)
	}
	return h.commit(ctx, j, 1, nil)
}

// snooze waits until the job is of an age.
func (h *handlers) snooze(ctx context.Context, j *jobOf) error {
	ready := j.CreatedAt.Add(time.Duration(j.Args.Wait) * time.Millisecond)
	if wait := time.Until(ready); wait > 0 {
		return job.Snooze(wait)
	}
	return h.commit(ctx, j, 1, nil)
}

// walk takes one step in each run.
func (h *handlers) walk(ctx context.Context, j *jobOf) error {
	step, _, err := job.Cursor[int](j)
	if err != nil {
		return job.Fail(err)
	}
	if step < j.Args.Steps {
		return job.Continue(step + 1)
	}
	return h.commit(ctx, j, step+1, nil)
}

// sum has a result, which is kept by the same write as the effect.
func (h *handlers) sum(ctx context.Context, j *jobOf) (work.Result, error) {
	result := work.Result{Sum: work.Base + j.Args.Seq}
	return result, h.commit(ctx, j, 1, result)
}

func (h *handlers) long(ctx context.Context, j *jobOf) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(j.Args.Wait) * time.Millisecond):
	}
	return h.commit(ctx, j, 1, nil)
}

// line is one of a group, in order; some of them are poison.
func (h *handlers) line(ctx context.Context, j *jobOf) error {
	switch {
	case j.Args.How != "":
		return h.fatal(ctx, j)
	case j.Attempt <= j.Args.Fails:
		return fmt.Errorf("attempt %d of %d that fail", j.Attempt, j.Args.Fails)
	}
	return h.commit(ctx, j, 1, nil)
}

func (h *handlers) fatal(context.Context, *jobOf) error { return job.Fail(poison{}) }

// poison is why Fatal jobs fail.
type poison struct{}

func (poison) Error() string     { return work.Reason }
func (poison) ErrorCode() string { return work.Code }

// die takes the process with it.
func (h *handlers) die(_ context.Context, j *jobOf) error {
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

// commit ends the job and writes its effect, in one transaction.
func (h *handlers) commit(ctx context.Context, j *jobOf, steps int, result any) error {
	actions := []store.Write{h.counted(string(j.ID), steps)}
	if _, group, grouped := j.ID.Group(); grouped {
		actions = append(actions, h.listed(group, j.Args.Seq))
	}
	claimed := store.Record{ID: j.ID, Row: lifecycle.Row{State: lifecycle.Running, Token: job.Token(j)}}
	_, err := h.jobs.Commit(ctx, claimed, lifecycle.Outcome{To: lifecycle.Done, Result: result}, actions...)
	return err
}

// counted raises a job's count.
//
// Key: the job's id. No condition: what it guards against is to be seen.
func (h *handlers) counted(id string, steps int) store.Write {
	return store.Write{
		Op: store.Update, Table: h.effects, Key: store.Item{work.Key: &types.AttributeValueMemberS{Value: id}},
		Update: "ADD #count :one SET #steps = :steps",
		Names:  map[string]string{"#count": work.Count, "#steps": work.Steps},
		Values: store.Item{":one": number(1), ":steps": number(steps)},
	}
}

// listed notes a job as the last that ended of its group.
//
// Key: the group's. No condition, as in counted.
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
