package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ErrFull is wrapped where a job would exceed what is counted exactly, or was only to
// take another's place and there is none that it could.
var ErrFull = errors.New("store: there is no room for the job")

// A Bound is how many jobs of a queue there may be at once, counted exactly: by rows
// of their own (shards), in the transactions that make the jobs. The limit is shared
// out over the shards, so that they never exceed it together, and so that no row has
// to bear all of the queue's arrivals.
type Bound struct{ Limit, Shards int }

// share is how many jobs a shard counts at most.
func (b Bound) share(shard int) int {
	share := b.Limit / b.Shards
	if shard < b.Limit%b.Shards {
		share++
	}
	return share
}

// Together is how many jobs can be made in one transaction at most: they are counted in
// one shard.
func (b Bound) Together() int { return b.share(0) }

// A Count is what jobs are counted for. It is the name of the attribute of a job's row
// that says where it is.
type Count string

// What jobs are counted for.
const (
	// CountHard counts the jobs of a queue that is Hard, from their making until
	// they have ended (and a little longer: see Release).
	CountHard Count = "hard"
	// CountSpilled counts the jobs that are spilled.
	CountSpilled Count = "spill"
)

// A Place is where a job is counted, or was.
type Place struct {
	// Shard is the counter's, and Share the most that it counts.
	Shard, Share int
	// Held tells that the job is counted there: no longer since Released, and not
	// yet where it is spilled.
	Held     bool
	Released time.Time
}

func (p *Place) value() types.AttributeValue {
	m := Item{"shard": number(p.Shard), "share": number(p.Share)}
	if p.Held {
		m["held"] = yes
	}
	return &types.AttributeValueMemberM{Value: m}
}

func placeOf(v types.AttributeValue) *Place {
	m := document(v)
	if m == nil {
		return nil
	}
	return &Place{Shard: int(num(m["shard"])), Share: int(num(m["share"])), Held: flag(m["held"]), Released: at(m["released_ms"])}
}

// place gives the record's of a count; nil where it has none.
func (rec *Record) place(count Count) *Place {
	if count == CountHard {
		return rec.Hard
	}
	return rec.Spill
}

// free tells whether a job's place is to be given back: it has ended, or is spilled no
// more.
func (rec *Record) free(count Count) bool {
	p := rec.place(count)
	if p == nil || !p.Held {
		return false
	}
	if count == CountHard {
		return rec.State.Final()
	}
	return !rec.Spilled
}

// counterPrefix begins the partition key of counters.
const counterPrefix = "counter#"

// counterKey is the key of a shard's row. Sixteen shards are read together.
func counterKey(count Count, queue string, shard int) Item {
	return Item{PartitionKey: counterPartition(count, queue, shard), SortKey: text(fmt.Sprintf("counter#%03d", shard))}
}

func counterPartition(count Count, queue string, shard int) types.AttributeValue {
	return text(fmt.Sprintf("%s%s#%s#%02d", counterPrefix, count, queue, shard/shardsTogether))
}

// A Counter is one shard of a count, as its row has it.
type Counter struct {
	Count Count
	Queue string
	Shard int
	// Used is how many jobs are counted.
	Used int
	// Pass, Base and Seen belong to the recount: see Recount.
	Pass       time.Time
	Base, Seen int
}

// counterIn reads a counter's row.
func counterIn(item Item) (Counter, error) {
	parts := strings.Split(strings.TrimPrefix(str(item[PartitionKey]), counterPrefix), "#")
	c := Counter{Used: int(num(item["used"])), Pass: at(item["pass_ms"]), Base: int(num(item["base"])), Seen: int(num(item["seen"]))}
	if len(parts) != 3 {
		return c, fmt.Errorf("%w: the counter %q", ErrUnreadable, str(item[PartitionKey]))
	}
	c.Count, c.Queue = Count(parts[0]), parts[1]
	if _, err := fmt.Sscanf(str(item[SortKey]), "counter#%d", &c.Shard); err != nil {
		return c, fmt.Errorf("%w: the counter %q %q", ErrUnreadable, str(item[PartitionKey]), str(item[SortKey]))
	}
	return c, nil
}

// isCounter tells whether a row is a counter's.
func isCounter(item Item) bool { return strings.HasPrefix(str(item[PartitionKey]), counterPrefix) }

// Counters reads the shards of a count that were used so far, consistently, and those
// beyond that a version of the program used which counted over more: up to the first
// sixteen that were never used. It is one read for each sixteen, and one more.
func (j *Jobs) Counters(ctx context.Context, count Count, queue string, shards int) ([]Counter, error) {
	all, err := j.counters(ctx, count, queue, shards)
	for first := shards + shardsTogether - 1; err == nil; first += shardsTogether {
		var some []Counter
		if some, err = j.countersFrom(ctx, count, queue, first); len(some) == 0 {
			break
		}
		all = append(all, some...)
	}
	return all, err
}

// counters reads so many shards.
func (j *Jobs) counters(ctx context.Context, count Count, queue string, shards int) (all []Counter, err error) {
	for first := 0; err == nil && first < shards; first += shardsTogether {
		var some []Counter
		some, err = j.countersFrom(ctx, count, queue, first)
		all = append(all, some...)
	}
	return all, err
}

// countersFrom reads the counters that lie beside that of a shard.
func (j *Jobs) countersFrom(ctx context.Context, count Count, queue string, shard int) (all []Counter, err error) {
	// Key: that of sixteen counters. All of them, page by page.
	condition := "#pk = :counters"
	query := Query{Condition: condition, Names: namesIn(condition), Values: Item{":counters": counterPartition(count, queue, shard)}}
	for {
		page, err := j.driver.Query(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("store: counting queue %s: %w", queue, err)
		}
		for _, item := range page.Items {
			c, err := counterIn(item)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		if query.Start = page.Next; query.Start == nil {
			return all, nil
		}
	}
}
