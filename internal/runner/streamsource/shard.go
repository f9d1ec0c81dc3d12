package streamsource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// discovery is the wait between looks for new shards.
const discovery = 10 * time.Second

// maxPage is the most records that GetRecords gives.
const maxPage = 1000

// Run reads until ctx ends. Each shard has a reader of its own, which begins
// when its parent has been read to its end.
func (s *Source) Run(ctx context.Context) {
	var readers sync.WaitGroup
	defer readers.Wait()
	started, ended := map[string]bool{}, map[string]bool{}
	var mu sync.Mutex
	for {
		shards, err := s.shards(ctx)
		if err != nil && ctx.Err() == nil {
			s.config.Log("looking for shards: " + err.Error())
		}
		known := map[string]bool{}
		for _, shard := range shards {
			known[aws.ToString(shard.ShardId)] = true
		}
		for _, shard := range shards {
			id, parent := aws.ToString(shard.ShardId), aws.ToString(shard.ParentShardId)
			mu.Lock()
			waits := known[parent] && !ended[parent]
			mu.Unlock()
			if started[id] || waits {
				continue
			}
			started[id] = true
			readers.Go(func() {
				if s.readShard(ctx, id) {
					mu.Lock()
					ended[id] = true
					mu.Unlock()
				}
			})
		}
		wait := discovery
		if len(shards) == 0 {
			wait = s.config.PollInterval
		}
		if s.rest(ctx, wait, nil) != nil {
			return
		}
	}
}

func (s *Source) shards(ctx context.Context) ([]types.Shard, error) {
	var all []types.Shard
	var last *string
	for {
		out, err := s.client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &s.config.StreamARN, ExclusiveStartShardId: last})
		if err != nil {
			return nil, err
		}
		all = append(all, out.StreamDescription.Shards...)
		if last = out.StreamDescription.LastEvaluatedShardId; last == nil {
			return all, nil
		}
	}
}

// readShard reads a shard to its end (true) or until ctx ends.
func (s *Source) readShard(ctx context.Context, shard string) bool {
	var iterator *string
	for failures := 0; ctx.Err() == nil; {
		var err error
		if iterator == nil {
			iterator, err = s.iterator(ctx, shard)
		}
		if err == nil {
			var end bool
			if iterator, end, err = s.readPage(ctx, shard, iterator); end {
				return true
			}
		}
		if err == nil {
			failures = 0
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		s.config.Log(fmt.Sprintf("reading shard %s: %v", shard, err))
		iterator = nil // the checkpoint knows where to go on
		failures++
		if s.config.Sleep(ctx, s.retryWait(failures)) != nil {
			return false
		}
	}
	return false
}

// iterator begins after the checkpoint. Where the stream has dropped that
// record, it begins with the oldest that is left.
func (s *Source) iterator(ctx context.Context, shard string) (*string, error) {
	sequence, err := s.checkpoints.Load(s.config.UUID, shard)
	if err != nil {
		return nil, err
	}
	input := &dynamodbstreams.GetShardIteratorInput{StreamArn: &s.config.StreamARN, ShardId: &shard, ShardIteratorType: types.ShardIteratorType(s.config.StartingPosition)}
	if sequence != "" {
		input.ShardIteratorType, input.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &sequence
	}
	out, err := s.client.GetShardIterator(ctx, input)
	var trimmed *types.TrimmedDataAccessException
	if errors.As(err, &trimmed) {
		s.config.Log(fmt.Sprintf("shard %s: records after %s are gone; going on with the oldest", shard, sequence))
		input.ShardIteratorType, input.SequenceNumber = types.ShardIteratorTypeTrimHorizon, nil
		out, err = s.client.GetShardIterator(ctx, input)
	}
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

// A page is what is read at once.
type page struct {
	wanted []record
	size   int
	// last is the sequence number of the last record, wanted or not; "" without one.
	last string
	next *string // iterator; nil at the shard's end
}

// readPage reads what is there, with a window until it ends or the batches are
// full, deals with it and saves the checkpoint.
func (s *Source) readPage(ctx context.Context, shard string, iterator *string) (next *string, end bool, err error) {
	p := page{next: iterator}
	var deadline time.Time
	for {
		changed := s.changed() // of before the reading
		found, err := s.fill(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		now := s.config.Now()
		if deadline.IsZero() && len(p.wanted) > 0 {
			deadline = now.Add(s.config.Window)
		}
		waiting := len(p.wanted) > 0 && now.Before(deadline)
		if p.next == nil || s.full(&p) || !waiting {
			if p.last == "" && p.next != nil {
				return p.next, false, s.rest(ctx, s.config.PollInterval, changed)
			}
			break
		}
		if found == 0 {
			if err := s.window(ctx, deadline.Sub(now), changed); err != nil {
				return nil, false, err
			}
		}
	}
	if p.last == "" {
		return nil, true, nil
	}
	if err := s.deal(ctx, shard, p.wanted); err != nil {
		return nil, false, err
	}
	return p.next, p.next == nil, s.checkpoints.Save(s.config.UUID, shard, p.last)
}

func (s *Source) full(p *page) bool {
	return len(p.wanted) >= s.config.BatchSize*s.config.ParallelizationFactor || p.size >= maxEvent
}

// fill reads once, and tells how many records there were.
func (s *Source) fill(ctx context.Context, p *page) (found int, err error) {
	defer s.config.Clock.Hold()()
	s.reading()()
	limit := min(s.config.BatchSize*s.config.ParallelizationFactor, maxPage)
	out, err := s.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: p.next, Limit: aws.Int32(int32(limit))})
	if err != nil {
		return 0, err
	}
	p.next = out.NextShardIterator
	for _, r := range out.Records {
		one, err := s.record(r)
		if err != nil {
			return 0, err
		}
		p.last = one.sequence
		if s.config.Filter.Match(one.event) {
			p.wanted = append(p.wanted, one)
			p.size += len(one.event)
		}
	}
	return len(out.Records), nil
}
