package store

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// refusedSlot is the due index's partition of events that topics refused, so that
// they can be listed.
func refusedSlot(shard int) types.AttributeValue { return text(fmt.Sprintf("refused#%02d", shard)) }

// RefusedEvents gives the events that their topics refused, from the due index, which
// lags a little.
func (j *Jobs) RefusedEvents(ctx context.Context) ([]Event, error) {
	var refused []Event
	for shard := range DueShards {
		keys, err := j.refusedKeys(ctx, shard)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			e, err := j.refusedEvent(ctx, key)
			if err != nil {
				return nil, err
			}
			if e != nil {
				refused = append(refused, *e)
			}
		}
	}
	return refused, nil
}

// refusedKeys reads a shard of the index.
func (j *Jobs) refusedKeys(ctx context.Context, shard int) (keys []Item, err error) {
	condition := "#due_slot = :slot"
	query := Query{
		Index: DueIndex, Condition: condition, Names: namesIn(condition), Values: Item{":slot": refusedSlot(shard)},
	}
	for {
		page, err := j.driver.Query(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("store: listing refused events: %w", err)
		}
		keys = append(keys, page.Items...)
		if query.Start = page.Next; query.Start == nil {
			return keys, nil
		}
	}
}

// refusedEvent reads the event that the index names; nil where it is no longer
// refused.
func (j *Jobs) refusedEvent(ctx context.Context, key Item) (*Event, error) {
	item, err := j.driver.Get(ctx, Item{PartitionKey: key[PartitionKey], SortKey: key[SortKey]})
	if err != nil {
		return nil, fmt.Errorf("store: reading a refused event: %w", err)
	}
	if item == nil {
		return nil, nil
	}
	e, err := DecodeEvent(item)
	if err != nil || e.Refused == nil {
		return nil, err
	}
	return &e, nil
}
