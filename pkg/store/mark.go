package store

import (
	"context"
	"errors"
	"fmt"
)

// Mark reads what a paced task of the table noted about how far it got; empty
// where it noted nothing yet. Marks are rows of the jobs table with the
// partition key "sweep".
func (j *Jobs) Mark(ctx context.Context, name string) (string, error) {
	item, err := j.driver.Get(ctx, markKey(name))
	if err != nil {
		return "", fmt.Errorf("store: reading the mark %s: %w", name, err)
	}
	return str(item["mark"]), nil
}

// SetMark moves a mark from the value that was read to another. It does nothing
// (false) where somebody else has moved it since.
func (j *Jobs) SetMark(ctx context.Context, name, from, to string) (bool, error) {
	condition, values := "attribute_not_exists(#mark)", Item(nil)
	if from != "" {
		condition, values = "#mark = :from", Item{":from": text(from)}
	}
	row := markKey(name)
	row["mark"] = text(to)
	// Key: the mark's. Condition: as it was read. A lost race: another run of
	// the same task, which does the same work.
	_, err := j.driver.Write(ctx, Write{
		Op: Put, Item: row, Condition: condition, Names: namesIn(condition), Values: values,
	})
	switch {
	case errors.Is(err, ErrCondition):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("store: moving the mark %s: %w", name, err)
	}
	return true, nil
}

// Marks reads all marks whose name begins with a prefix of at least one
// character, by their whole names.
func (j *Jobs) Marks(ctx context.Context, prefix string) (map[string]string, error) {
	// Key: the marks'. All that begin so, page by page.
	condition := "#pk = :marks AND begins_with(#sk, :prefix)"
	marks := map[string]string{}
	for start := Item(nil); ; {
		page, err := j.driver.Query(ctx, Query{
			Condition: condition, Names: namesIn(condition), Start: start,
			Values: Item{":marks": text(marksKey), ":prefix": text(prefix)},
		})
		if err != nil {
			return nil, fmt.Errorf("store: reading the marks %s…: %w", prefix, err)
		}
		for _, item := range page.Items {
			marks[str(item[SortKey])] = str(item["mark"])
		}
		if start = page.Next; start == nil {
			return marks, nil
		}
	}
}

// marksKey is the partition key of all marks.
const marksKey = "sweep"

func markKey(name string) Item {
	return Item{PartitionKey: text(marksKey), SortKey: text(name)}
}
