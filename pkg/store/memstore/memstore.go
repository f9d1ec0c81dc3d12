// Package memstore is a store driver that keeps rows in memory and evaluates the
// same expressions that DynamoDB would. It is a test double that knows the rules:
// conditions, transactions, item sizes, the due index and the table's stream.
package memstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Config describes the tables. The zero value has the jobs table alone.
type Config struct {
	// Tables are further tables that transactions write to: their key
	// attributes by table name. Table reads those whose keys are a job table's.
	Tables map[string][]string
	// Streamless keeps no record of changes: for tests of very many rows.
	Streamless bool
}

// A Change is a record of the jobs table's stream: Old and New are nil where the
// row did not, or does not, exist.
type Change struct{ Old, New store.Item }

// Driver keeps rows in memory. It may be used by many goroutines.
type Driver struct {
	mu      sync.Mutex
	tables  map[string]*table
	tokens  map[string]bool
	changes []Change
	wake    chan struct{}
	silent  bool
}

// table holds rows by their encoded key.
type table struct {
	keys []string
	rows map[string]ddb.Item
}

const jobsTable = ""

// New makes an empty Driver.
func New(config Config) *Driver {
	d := &Driver{tables: map[string]*table{}, tokens: map[string]bool{}, wake: make(chan struct{}), silent: config.Streamless}
	d.tables[jobsTable] = &table{keys: []string{store.PartitionKey, store.SortKey}, rows: map[string]ddb.Item{}}
	for name, keys := range config.Tables {
		d.tables[name] = &table{keys: keys, rows: map[string]ddb.Item{}}
	}
	return d
}

// Changes gives the stream's records from position from on, and a channel that is
// closed when there are more.
func (d *Driver) Changes(from int) ([]Change, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Change(nil), d.changes[min(from, len(d.changes)):]...), d.wake
}

// Rows gives every row of the jobs table, in no order.
func (d *Driver) Rows() []store.Item { return d.RowsIn(jobsTable) }

// RowsIn gives every row of a table, in no order: "" is the jobs table, others are
// of Config.Tables. A table that is in neither has no rows.
func (d *Driver) RowsIn(name string) []store.Item {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tables[name]
	if !ok {
		return nil
	}
	var rows []store.Item
	for _, row := range t.rows {
		rows = append(rows, sdk.ItemToSDK(row))
	}
	return rows
}

// Get reads one row.
func (d *Driver) Get(ctx context.Context, key store.Item) (store.Item, error) {
	return d.get(ctx, jobsTable, key)
}

func (d *Driver) get(ctx context.Context, name string, key store.Item) (store.Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wanted, err := sdk.ItemFromSDK(key)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tables[name]
	encoded, err := t.encode(wanted)
	if err != nil {
		return nil, err
	}
	row, ok := t.rows[encoded]
	if !ok {
		return nil, nil
	}
	return sdk.ItemToSDK(row), nil
}

// Write makes one conditional write.
func (d *Driver) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.Op == store.Check {
		return nil, errors.New("memstore: a condition check stands in a transaction only")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	planned, err := d.plan(w, 0)
	if err != nil {
		return nil, err
	}
	d.apply(planned)
	if w.Op != store.Update {
		return nil, nil
	}
	return sdk.ItemToSDK(planned.after), nil
}

// Transact makes all of the writes or none.
func (d *Driver) Transact(ctx context.Context, token string, writes []store.Write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(writes) == 0 || len(writes) > 100 {
		return fmt.Errorf("memstore: %w: a transaction of %d writes: it has 1 to 100", store.ErrInvalid, len(writes))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tokens[token] {
		return nil
	}
	plans := make([]plan, len(writes))
	touched := map[string]bool{}
	var failures []error
	for i, w := range writes {
		var err error
		if plans[i], err = d.plan(w, i); err != nil {
			failures = append(failures, err)
			continue
		}
		place := w.Table + "\x00" + plans[i].key
		if touched[place] {
			return fmt.Errorf("memstore: %w: a transaction writes one row twice", store.ErrInvalid)
		}
		touched[place] = true
	}
	if len(failures) > 0 {
		return errors.Join(failures...)
	}
	for _, p := range plans {
		d.apply(p)
	}
	d.tokens[token] = true
	return nil
}

// plan is a write whose condition held.
type plan struct {
	table         *table
	key           string
	before, after ddb.Item
	jobs, check   bool
}

func (d *Driver) plan(w store.Write, index int) (plan, error) {
	t, ok := d.tables[w.Table]
	if !ok {
		return plan{}, fmt.Errorf("memstore: no table %q", w.Table)
	}
	c, err := compile(w)
	if err != nil {
		return plan{}, err
	}
	key, err := t.encode(c.key)
	if err != nil {
		return plan{}, err
	}
	p := plan{table: t, key: key, before: t.rows[key], jobs: w.Table == jobsTable, check: w.Op == store.Check}
	holds, err := c.condition.Eval(p.before)
	if err != nil {
		return plan{}, err
	}
	if !holds {
		failed := &store.ConditionError{Index: index}
		if p.before != nil {
			failed.Old = sdk.ItemToSDK(p.before)
		}
		return plan{}, failed
	}
	p.after, err = c.after(w.Op, p.before)
	if err == nil && p.after.Size() > ddb.MaxItemSize {
		err = fmt.Errorf("memstore: %w: %d bytes", store.ErrTooLarge, p.after.Size())
	}
	return p, err
}

func (d *Driver) apply(p plan) {
	if p.check || ddb.EqualItems(p.before, p.after) {
		return
	}
	if p.after == nil {
		delete(p.table.rows, p.key)
	} else {
		p.table.rows[p.key] = p.after
	}
	if p.jobs && !d.silent {
		d.changes = append(d.changes, change(p))
		close(d.wake)
		d.wake = make(chan struct{})
	}
}

func change(p plan) Change {
	var c Change
	if p.before != nil {
		c.Old = sdk.ItemToSDK(p.before)
	}
	if p.after != nil {
		c.New = sdk.ItemToSDK(p.after)
	}
	return c
}

// compiled is a write with its expressions parsed.
type compiled struct {
	key, item ddb.Item
	condition *ddb.Condition
	update    *ddb.Update
}

func compile(w store.Write) (c compiled, err error) {
	values, err := sdk.ItemFromSDK(w.Values)
	if err != nil {
		return c, err
	}
	scope, err := ddb.NewScope(w.Names, values)
	if err != nil {
		return c, err
	}
	if c.key, err = sdk.ItemFromSDK(w.Key); err != nil {
		return c, err
	}
	if w.Op == store.Put {
		if c.item, err = sdk.ItemFromSDK(w.Item); err != nil {
			return c, err
		}
		c.key = c.item
	}
	if w.Condition != "" {
		if c.condition, err = scope.Condition(w.Condition); err != nil {
			return c, err
		}
	}
	if w.Op == store.Update {
		if c.update, err = scope.Update(w.Update); err != nil {
			return c, err
		}
	}
	return c, scope.Unused()
}

// after gives the row after the write; nil where there is none.
func (c compiled) after(op store.Op, before ddb.Item) (ddb.Item, error) {
	switch op {
	case store.Put:
		return c.item, nil
	case store.Delete:
		return nil, nil
	case store.Check:
		return before, nil
	}
	if before == nil {
		before = maps.Clone(c.key)
	}
	return c.update.Apply(before)
}

// encode gives a row's key as a string that sorts as DynamoDB sorts.
func (t *table) encode(item ddb.Item) (string, error) {
	var encoded []byte
	for _, name := range t.keys {
		value, ok := item[name]
		if !ok {
			return "", fmt.Errorf("memstore: the key attribute %q is missing", name)
		}
		encoded = ddb.AppendKey(encoded, value)
	}
	return string(encoded), nil
}
