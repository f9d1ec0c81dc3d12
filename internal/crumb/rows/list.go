package rows

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Range is a stretch of one partition, in the order of its places.
type Range struct {
	Partition string
	// Prefix is what the places begin with; empty: all of them.
	Prefix string
	// Descending begins at the end: the newest, where places are times.
	Descending bool
	// Limit is the most rows that are given at once; zero means 100.
	Limit int
	// After is the Next of the page before; empty for the first.
	After string
}

// defaultLimit is how many rows a page has where nobody says it.
const defaultLimit = 100

// ErrCursor: a cursor that no page gave out. It comes from a client, as a rule.
var ErrCursor = errors.New("rows: not a cursor of this list")

// A Page is a part of a list.
type Page[T any] struct {
	Rows []T
	// Next continues; empty where there is no more. It is safe in URLs.
	Next string
}

// List reads a page of a partition, consistently.
func List[T any](ctx context.Context, t *Table, r Range) (Page[T], error) {
	query, err := r.query()
	if err != nil {
		return Page[T]{}, err
	}
	found, err := t.driver.Query(ctx, query)
	if err != nil {
		return Page[T]{}, fmt.Errorf("rows: listing %s: %w", r.Partition, err)
	}
	page := Page[T]{Rows: make([]T, 0, len(found.Items))}
	for _, item := range found.Items {
		row, err := decode[T](item)
		if err != nil {
			return Page[T]{}, fmt.Errorf("rows: listing %s: %w", r.Partition, err)
		}
		page.Rows = append(page.Rows, row)
	}
	if place, ok := found.Next[store.SortKey].(*types.AttributeValueMemberS); ok {
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(place.Value))
	}
	return page, nil
}

// All reads a range to its end, from After on, in pages of Limit rows. An error ends
// it.
func All[T any](ctx context.Context, t *Table, r Range) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			page, err := List[T](ctx, t, r)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, row := range page.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if r.After = page.Next; r.After == "" {
				return
			}
		}
	}
}

// query is the range in DynamoDB's words. Key: the partition, and places with the
// prefix.
func (r Range) query() (store.Query, error) {
	q := store.Query{
		Condition: "#pk = :pk", Descending: r.Descending, Limit: r.Limit,
		Names:  map[string]string{"#pk": store.PartitionKey},
		Values: store.Item{":pk": text(r.Partition)},
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	if r.Prefix != "" {
		q.Condition += " AND begins_with(#sk, :prefix)"
		q.Names["#sk"] = store.SortKey
		q.Values[":prefix"] = text(r.Prefix)
	}
	if r.After != "" {
		place, err := base64.RawURLEncoding.DecodeString(r.After)
		if err != nil || !r.has(string(place)) {
			return store.Query{}, fmt.Errorf("%w: %.100q", ErrCursor, r.After)
		}
		q.Start = Key{Partition: r.Partition, Sort: string(place)}.item()
	}
	return q, nil
}

// longestSort is the most bytes that a place has.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const longestSort = 1024

// has tells whether a place may be one of the range's: DynamoDB refuses to begin at any
// other.
func (r Range) has(place string) bool {
	return place != "" && len(place) <= longestSort && utf8.ValidString(place) && strings.HasPrefix(place, r.Prefix)
}
