package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

// aChunk is how many jobs are asked for at once, lanes how many callers ask for
// what is in no group.
const (
	aChunk = 10
	lanes  = 6
)

// movedTo is how soon a scheduled job is due that is moved.
const movedTo = 3 * time.Second

// send asks for all jobs of a plan, evenly over a time, and for what is to be done
// to them. Each is asked for until it is accepted. Jobs of a group are asked for in
// order, each after the one before was accepted.
func send(ctx context.Context, k *stack, p *plan, over time.Duration) error {
	begun := time.Now()
	at := map[*planned]time.Time{}
	spread := make([][]*planned, lanes)
	for i, j := range p.jobs {
		at[j] = begun.Add(over * time.Duration(i) / time.Duration(len(p.jobs)))
		if j.Group == "" {
			spread[i/aChunk%lanes] = append(spread[i/aChunk%lanes], j)
		}
	}
	for _, group := range p.groups {
		spread = append(spread, group)
	}
	var all sync.WaitGroup
	errs := make(chan error, len(spread))
	for _, lane := range spread {
		all.Go(func() {
			for len(lane) > 0 {
				chunk := lane[:min(aChunk, len(lane))]
				lane = lane[len(chunk):]
				if err := sendChunk(ctx, k, chunk, at[chunk[len(chunk)-1]]); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

func sendChunk(ctx context.Context, k *stack, chunk []*planned, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
	}
	for rest := chunk; len(rest) > 0; {
		var errand work.Errand
		for _, j := range rest {
			errand.Enqueue = append(errand.Enqueue, j.Request)
		}
		answer, err := ask(ctx, k, errand)
		if err != nil {
			return fmt.Errorf("enqueueing: %w", err)
		}
		for _, j := range rest[:answer.Accepted] {
			j.accepted = true
		}
		rest = rest[answer.Accepted:]
	}
	if err := cancel(ctx, k, chunk); err != nil {
		return err
	}
	return move(ctx, k, chunk)
}

func cancel(ctx context.Context, k *stack, chunk []*planned) error {
	var rest []*planned
	for _, j := range chunk {
		if j.cancel {
			rest = append(rest, j)
		}
	}
	for len(rest) > 0 {
		var ids []job.ID
		for _, j := range rest {
			ids = append(ids, j.rowID())
		}
		answer, err := ask(ctx, k, work.Errand{Cancel: ids})
		if err != nil {
			return fmt.Errorf("cancelling: %w", err)
		}
		for i, state := range answer.Cancelled {
			rest[i].cancelled = state
		}
		rest = rest[len(answer.Cancelled):]
	}
	return nil
}

func move(ctx context.Context, k *stack, chunk []*planned) error {
	var rest []work.Move
	for _, j := range chunk {
		if j.move {
			rest = append(rest, work.Move{ID: j.rowID(), To: time.Now().Add(movedTo)})
		}
	}
	for len(rest) > 0 {
		answer, err := ask(ctx, k, work.Errand{Move: rest})
		if err != nil {
			return fmt.Errorf("moving: %w", err)
		}
		rest = rest[answer.Moved:]
	}
	return nil
}

// ask runs the front function until it answers. What it could not do is for the
// caller to ask for again.
func ask(ctx context.Context, k *stack, errand work.Errand) (answer work.Answer, err error) {
	event, err := json.Marshal(errand)
	if err != nil {
		return answer, err
	}
	for {
		result, err := k.Invoke(ctx, "front", event)
		if ctx.Err() != nil {
			return answer, ctx.Err()
		}
		if err == nil && result.FunctionError == "" {
			if err := json.Unmarshal(result.Payload, &answer); err != nil {
				return answer, fmt.Errorf("the front function's answer: %w", err)
			}
			if answer.Error != "" {
				k.storm.note("the front function could not do all that it was asked for")
			}
			return answer, nil
		}
		k.storm.note("the front function died or ran out of time")
		select {
		case <-ctx.Done():
			return answer, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
