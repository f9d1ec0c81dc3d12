// Package rowstest gives tests the site's table in memory.
package rowstest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// Name is the table's name, for nightshifttest.Config.Tables and Given.Tables.
const Name = "site"

// Tables are the tables of a kit on which the site's code runs.
func Tables() map[string][]string {
	return map[string][]string{Name: {store.PartitionKey, store.SortKey}}
}

// New makes an empty table without a kit.
func New(t testing.TB) *rows.Table {
	t.Helper()
	driver := memstore.New(memstore.Config{Tables: Tables()})
	jobs, err := store.New(store.Config{Driver: driver})
	if err != nil {
		t.Fatal(err)
	}
	site, err := driver.Table(Name)
	if err != nil {
		t.Fatal(err)
	}
	return made(t, site, jobs)
}

// Of gives the table of a kit that was made with Tables.
func Of(t testing.TB, kit *nightshifttest.Kit) *rows.Table {
	t.Helper()
	return made(t, kit.Table(Name), kit.Jobs)
}

// Interrupted gives the table of a kit as Of does, and calls between after each read of
// a row: what others do between two reads.
func Interrupted(t testing.TB, kit *nightshifttest.Kit, between func()) *rows.Table {
	t.Helper()
	return made(t, interrupted{kit.Table(Name), between}, kit.Jobs)
}

type interrupted struct {
	store.Driver
	between func()
}

func (d interrupted) Get(ctx context.Context, key store.Item) (store.Item, error) {
	row, err := d.Driver.Get(ctx, key)
	d.between()
	return row, err
}

func made(t testing.TB, driver store.Driver, jobs *store.Jobs) *rows.Table {
	t.Helper()
	table, err := rows.New(driver, Name, jobs)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Partition gives a row's partition.
func Partition(row store.Item) string {
	key, _ := row[store.PartitionKey].(*types.AttributeValueMemberS)
	if key == nil {
		return ""
	}
	return key.Value
}
