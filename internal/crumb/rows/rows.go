// Package rows reads and writes the site's own table: recipes, readers, ratings,
// feeds, whatever is not a job.
//
// All rows lie in one table, keyed by a partition and a place in it; each package
// of the site says beside its types which keys they have. A value is a Go struct
// with `dynamodbav` tags. Writes are gathered as Changes, which are applied
// alone, or handed to outbox.Transact or worker.Commit to be one transaction with
// a job or an event.
package rows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// Setting names the environment variable that holds the name of the site's table.
const Setting = "CRUMB_TABLE"

// Expires is the attribute by which rows expire: in Unix seconds, by DynamoDB's
// time to live. A row may be there for two days after that: who reads it has to
// look.
const Expires = "ttl"

// A Key names one row.
type Key struct {
	// Partition is what rows are read together by: "recipe#17".
	Partition string
	// Sort is the row's place among them.
	Sort string
}

func (k Key) item() store.Item {
	return store.Item{store.PartitionKey: text(k.Partition), store.SortKey: text(k.Sort)}
}

// Place writes a time as a place: in UTC, and as many digits each, so that rows are in
// the order of their times.
func Place(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// A Table is the site's table. It may be used by many goroutines.
type Table struct {
	driver   store.Driver
	name     string
	transact func(ctx context.Context, writes ...store.Write) error
}

// New makes a Table of a driver, the name by which transactions know it, and the
// jobs that share those transactions.
func New(driver store.Driver, name string, jobs *store.Jobs) (*Table, error) {
	if driver == nil || name == "" || jobs == nil {
		return nil, errors.New("rows: New needs a driver, the table's name and the jobs")
	}
	return &Table{driver: driver, name: name, transact: jobs.Transact}, nil
}

// Get reads one row, consistently; ok is false where there is none.
func Get[T any](ctx context.Context, t *Table, key Key) (row T, ok bool, err error) {
	item, err := t.driver.Get(ctx, key.item())
	if err != nil {
		return row, false, fmt.Errorf("rows: reading %v: %w", key, err)
	}
	if item == nil {
		return row, false, nil
	}
	if row, err = decode[T](item); err != nil {
		return row, false, fmt.Errorf("rows: reading %v: %w", key, err)
	}
	return row, true, nil
}

// decode makes a row of an item.
func decode[T any](item store.Item) (row T, err error) {
	return row, attributevalue.UnmarshalMap(item, &row)
}
