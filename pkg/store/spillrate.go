package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A SpillRate is what an operator says of the release of a queue's spilled jobs, and how
// far that is.
type SpillRate struct {
	// Rate is how many are released in a second; zero leaves it to the sweep
	// (sizing.ReleaseRate).
	Rate job.Rate
	// Paused holds all of them back.
	Paused bool
	// Released is until when they have been released by that rate; zero: never.
	Released time.Time
}

// ratesKey is the partition key of all SpillRates; a queue's is under its name.
const ratesKey = "spill"

func rateKey(queue string) Item {
	return Item{PartitionKey: text(ratesKey), SortKey: text(queue)}
}

// SpillRates reads those of all queues of which something is known, by the queue's
// name.
func (j *Jobs) SpillRates(ctx context.Context) (map[string]SpillRate, error) {
	rates := map[string]SpillRate{}
	// Key: the rates'. All of them, page by page.
	condition := "#pk = :rates"
	for start := Item(nil); ; {
		page, err := j.driver.Query(ctx, Query{Condition: condition, Names: namesIn(condition), Start: start, Values: Item{":rates": text(ratesKey)}})
		if err != nil {
			return nil, fmt.Errorf("store: reading the rates of release: %w", err)
		}
		for _, item := range page.Items {
			r := SpillRate{Paused: flag(item["paused"]), Released: at(item["released_ms"])}
			if n, ok := item["rate"].(*types.AttributeValueMemberN); ok {
				rate, err := strconv.ParseFloat(n.Value, 64)
				if err != nil {
					return nil, fmt.Errorf("%w: the rate of queue %s: %w", ErrUnreadable, str(item[SortKey]), err)
				}
				r.Rate = job.Rate(rate)
			}
			rates[str(item[SortKey])] = r
		}
		if start = page.Next; start == nil {
			return rates, nil
		}
	}
}

// SetSpillRate says at which rate the spilled jobs of a queue are released from now on
// (zero leaves it to the sweep), and whether they are held back. ErrInvalid is wrapped
// where the rate is no number from zero on.
func (j *Jobs) SetSpillRate(ctx context.Context, queue string, rate job.Rate, paused bool) error {
	if !(rate >= 0) || math.IsInf(float64(rate), 0) {
		return fmt.Errorf("%w: the rate of queue %s is %v", ErrInvalid, queue, float64(rate))
	}
	set, remove, values := "SET #paused = :paused", " REMOVE #rate", Item{":paused": boolean(paused)}
	if rate > 0 {
		set, remove = set+", #rate = :rate", ""
		values[":rate"] = &types.AttributeValueMemberN{Value: strconv.FormatFloat(float64(rate), 'f', -1, 64)}
	}
	// Key: the queue's rate. Condition: none; the last operator's word holds.
	if _, err := j.driver.Write(ctx, update(rateKey(queue), set+remove, "", values)); err != nil {
		return fmt.Errorf("store: setting the rate of queue %s: %w", queue, err)
	}
	return nil
}

// BeginRelease lets one sweep release what a queue's rate allows until a time. It is
// false where another sweep does so.
func (j *Jobs) BeginRelease(ctx context.Context, queue string, seen SpillRate, until time.Time) (bool, error) {
	condition, values := "attribute_not_exists(#released_ms)", Item{":until": millis(until)}
	if !seen.Released.IsZero() {
		condition = "#released_ms = :seen"
		values[":seen"] = millis(seen.Released)
	}
	// Key: the queue's rate. Condition: as it was read. A lost race: another sweep
	// releases these jobs, or this one, its answer lost.
	_, err := j.driver.Write(ctx, update(rateKey(queue), "SET #released_ms = :until", condition, values))
	switch {
	case errors.Is(err, ErrCondition):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("store: beginning to release jobs of queue %s: %w", queue, err)
	}
	return true, nil
}
