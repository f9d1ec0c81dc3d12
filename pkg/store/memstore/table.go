package memstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Table is one of Config.Tables as a driver of its own: what a program reads
// and writes besides the jobs table, in the same transactions. It may be used by
// many goroutines.
type Table struct {
	driver *Driver
	name   string
}

// Table gives one of Config.Tables, whose keys have to be named as those of the
// jobs table are ("pk", "sk"); only then it can be read.
func (d *Driver) Table(name string) (*Table, error) {
	t, ok := d.tables[name]
	if !ok {
		return nil, fmt.Errorf("memstore: no table %q", name)
	}
	if want := []string{store.PartitionKey, store.SortKey}; !slices.Equal(t.keys, want) {
		return nil, fmt.Errorf("memstore: the table %q has the keys %v: only those with %v can be read", name, t.keys, want)
	}
	return &Table{driver: d, name: name}, nil
}

// Get reads one row.
func (t *Table) Get(ctx context.Context, key store.Item) (store.Item, error) {
	return t.driver.get(ctx, t.name, key)
}

// Write makes one conditional write; one without a table is to this one.
func (t *Table) Write(ctx context.Context, w store.Write) (store.Item, error) {
	return t.driver.Write(ctx, t.here(w))
}

// Transact makes all of the writes or none; those without a table are to this
// one.
func (t *Table) Transact(ctx context.Context, token string, writes []store.Write) error {
	here := make([]store.Write, len(writes))
	for i, w := range writes {
		here[i] = t.here(w)
	}
	return t.driver.Transact(ctx, token, here)
}

// Query reads a page of one partition.
func (t *Table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	return t.driver.query(ctx, t.name, q)
}

// Scan reads a page of a segment of the table.
func (t *Table) Scan(ctx context.Context, s store.Scan) (store.Page, error) {
	return t.driver.scan(ctx, t.name, s)
}

func (t *Table) here(w store.Write) store.Write {
	if w.Table == "" {
		w.Table = t.name
	}
	return w
}
