package streamsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
	"github.com/nightshift-go/nightshift/internal/runner/partial"
)

// maxEvent is the most that the records of one event may take, in bytes.
const maxEvent = lambdaruntime.MaxPayload - 64<<10

// deal sees a page of records through, in order; with a parallelization factor
// in order for each item. An error means that ctx ended before.
func (s *Source) deal(ctx context.Context, shard string, records []record) error {
	lanes := make([][]record, s.config.ParallelizationFactor)
	for _, r := range records {
		lane := 0
		if len(lanes) > 1 {
			h := fnv.New32a()
			_, _ = h.Write([]byte(r.key)) // a hash's Write never fails
			lane = int(h.Sum32() % uint32(len(lanes)))
		}
		lanes[lane] = append(lanes[lane], r)
	}
	advance := func(string) error { return nil } // lanes overtake one another
	if len(lanes) == 1 {
		advance = func(sequence string) error { return s.checkpoints.Save(s.config.UUID, shard, sequence) }
	}
	errs := make([]error, len(lanes))
	var wait sync.WaitGroup
	for i, lane := range lanes {
		wait.Go(func() { errs[i] = s.lane(ctx, shard, lane, advance) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

func (s *Source) lane(ctx context.Context, shard string, records []record, advance func(sequence string) error) error {
	for len(records) > 0 {
		n := s.fitting(records)
		if err := s.see(ctx, shard, records[:n], advance); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// fitting tells how many records make the next batch; at least one.
func (s *Source) fitting(records []record) int {
	size := 0
	for i, r := range records {
		size += len(r.event) + 1
		if i > 0 && (size > maxEvent || i == s.config.BatchSize) {
			return i
		}
	}
	return len(records)
}

// A batch is records that are tried together.
type batch struct {
	records []record
	retries int // spent; what splits share
	invoked int // how often the function saw them
	last    lambdaruntime.Result
}

// see tries a batch, split where that is asked for, until each record has
// succeeded or has been discarded.
func (s *Source) see(ctx context.Context, shard string, records []record, advance func(string) error) error {
	todo := []batch{{records: records}}
	for len(todo) > 0 {
		b := todo[0]
		if old := s.expired(b.records); old > 0 {
			if err := s.discard(ctx, shard, conditionAge, batch{records: b.records[:old], invoked: b.invoked, last: b.last}); err != nil {
				return err
			}
			if err := advance(b.records[old-1].sequence); err != nil {
				return err
			}
			if todo[0].records = b.records[old:]; len(todo[0].records) == 0 {
				todo = todo[1:]
			}
			continue
		}
		succeeded, err := s.invoke(ctx, &b)
		if err != nil {
			return err
		}
		if succeeded > 0 {
			if err := advance(b.records[succeeded-1].sequence); err != nil {
				return err
			}
		}
		if succeeded == len(b.records) {
			todo = todo[1:]
			continue
		}
		rest, wait, err := s.again(ctx, shard, b, succeeded, advance)
		if err != nil {
			return err
		}
		todo = append(rest, todo[1:]...)
		if wait > 0 {
			if err := s.config.Sleep(ctx, wait); err != nil {
				return err
			}
		}
	}
	return nil
}

// again says what becomes of a batch of which only the first records succeeded:
// cut at the first failure, halved, tried again after a wait, or discarded.
// Splitting spends no retry.
func (s *Source) again(ctx context.Context, shard string, b batch, succeeded int, advance func(string) error) ([]batch, time.Duration, error) {
	failed := b
	failed.records = b.records[succeeded:]
	if s.config.BisectOnError {
		if succeeded > 0 {
			return []batch{failed}, 0, nil
		}
		if n := len(failed.records); n > 1 && b.last.FunctionError != "" {
			first, second := failed, failed
			first.records, second.records = failed.records[:n/2], failed.records[n/2:]
			return []batch{first, second}, 0, nil
		}
	}
	if limit := s.config.MaximumRetryAttempts; limit != nil && *limit >= 0 && failed.retries >= *limit {
		if err := s.discard(ctx, shard, conditionRetries, failed); err != nil {
			return nil, 0, err
		}
		return nil, 0, advance(failed.records[len(failed.records)-1].sequence)
	}
	failed.retries++
	return []batch{failed}, s.retryWait(failed.retries), nil
}

// retryWait is the wait before the nth retry. Lambda documents no numbers.
func (s *Source) retryWait(n int) time.Duration {
	return min(s.config.RetryBase<<min(n-1, 20), 60*s.config.RetryBase)
}

// expired tells how many of the first records are older than they may be.
func (s *Source) expired(records []record) int {
	for i, r := range records {
		if s.config.Now().Sub(r.created) <= s.config.MaximumRecordAge {
			return i
		}
	}
	return len(records)
}

// invoke runs the function for a batch and tells how many of its first records
// succeeded. Throttles are waited out and spend nothing; an error means that
// ctx ended, the function was closed, or records grew too old meanwhile.
func (s *Source) invoke(ctx context.Context, b *batch) (succeeded int, err error) {
	payload, err := event(b.records)
	if err != nil {
		return 0, err
	}
	for throttles := 1; ; throttles++ {
		result, err := s.invoker.Invoke(ctx, payload)
		switch {
		case err == nil:
			b.invoked++
			b.last = result
			return s.succeeded(b.records, result), nil
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case errors.Is(err, lambdaruntime.ErrClosed):
			return 0, err
		case !errors.Is(err, lambdaruntime.ErrThrottled):
			s.config.Log("invoking: " + err.Error())
		}
		if err := s.config.Sleep(ctx, s.retryWait(throttles)); err != nil {
			return 0, err
		}
	}
}

// succeeded counts the records before the checkpoint that the answer gives: the
// lowest sequence number reported.
func (s *Source) succeeded(records []record, result lambdaruntime.Result) int {
	switch {
	case result.FunctionError != "":
		return 0
	case !s.config.ReportBatchItemFailures:
		return len(records)
	}
	ids := map[string]bool{}
	for _, r := range records {
		ids[r.sequence] = true
	}
	failed, err := partial.Failures(result.Payload, ids)
	if err != nil {
		s.config.Log(fmt.Sprintf("the whole batch failed, because the answer is malformed: %v", err))
		return 0
	}
	first := slices.IndexFunc(records, func(r record) bool { return failed[r.sequence] })
	if first < 0 {
		return len(records)
	}
	return first
}

// event makes the event of some records.
func event(records []record) ([]byte, error) {
	raw := make([]json.RawMessage, len(records))
	for i, r := range records {
		raw[i] = r.event
	}
	payload, err := json.Marshal(map[string]any{"Records": raw})
	if err != nil {
		return nil, fmt.Errorf("streamsource: encoding an event: %w", err)
	}
	return payload, nil
}
