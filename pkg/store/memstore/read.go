package memstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// DefaultPage is how many rows a page holds where the caller sets no limit: few,
// so that tests meet paging.
const DefaultPage = 25

var dueSchema = ddb.KeySchema{
	Hash:  ddb.KeyAttribute{Name: store.DueSlot, Kind: ddb.KindS},
	Range: ddb.KeyAttribute{Name: store.DueAt, Kind: ddb.KindN},
}

var tableSchema = ddb.KeySchema{
	Hash:  ddb.KeyAttribute{Name: store.PartitionKey, Kind: ddb.KindS},
	Range: ddb.KeyAttribute{Name: store.SortKey, Kind: ddb.KindS},
}

// Query reads a page of one partition of the table or of the due index.
func (d *Driver) Query(ctx context.Context, q store.Query) (store.Page, error) {
	return d.query(ctx, jobsTable, q)
}

func (d *Driver) query(ctx context.Context, name string, q store.Query) (store.Page, error) {
	if err := ctx.Err(); err != nil {
		return store.Page{}, err
	}
	schema := tableSchema
	switch q.Index {
	case "":
	case store.DueIndex:
		schema = dueSchema
	default:
		return store.Page{}, fmt.Errorf("memstore: no index %q", q.Index)
	}
	values, err := sdk.ItemFromSDK(q.Values)
	if err != nil {
		return store.Page{}, err
	}
	condition, err := ddb.ParseKeyCondition(q.Condition, schema, q.Names, values)
	if err != nil {
		return store.Page{}, err
	}
	from, to := condition.Interval(nil)
	read := pageOf{table: name, schema: schema, keysOnly: q.Index != "", descending: q.Descending, limit: q.Limit, start: q.Start}
	return d.page(read, func(key string) bool {
		return key >= string(from) && (len(to) == 0 || key < string(to))
	})
}

// Scan reads a page of a segment of the table.
func (d *Driver) Scan(ctx context.Context, s store.Scan) (store.Page, error) {
	return d.scan(ctx, jobsTable, s)
}

func (d *Driver) scan(ctx context.Context, name string, s store.Scan) (store.Page, error) {
	if err := ctx.Err(); err != nil {
		return store.Page{}, err
	}
	read := pageOf{table: name, schema: tableSchema, limit: s.Limit, start: s.Start}
	return d.page(read, func(key string) bool {
		return s.Segments < 2 || segmentOf(key, s.Segments) == s.Segment
	})
}

func segmentOf(key string, segments int) int {
	sum := 0
	for i := range len(key) {
		sum = (sum*31 + int(key[i])) % (1 << 30)
	}
	return sum % segments
}

// pageOf tells which page of which table is read, and in what order.
type pageOf struct {
	table                string
	schema               ddb.KeySchema
	keysOnly, descending bool
	limit                int
	start                store.Item
}

// beyond tells whether a key comes after another in the order of the page.
func (p pageOf) beyond(key, other string) bool {
	return other == "" || p.descending && key < other || !p.descending && key > other
}

// page gives the rows whose key in the schema is wanted, in the key's order,
// after start.
func (d *Driver) page(p pageOf, wanted func(string) bool) (store.Page, error) {
	after, err := p.after()
	if err != nil {
		return store.Page{}, err
	}
	limit := p.limit
	if limit == 0 {
		limit = DefaultPage
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var keys []string
	rows := map[string]ddb.Item{}
	for _, row := range d.tables[p.table].rows {
		if key, ok := indexKey(p.schema, row); ok && wanted(key) && p.beyond(key, after) {
			keys = append(keys, key)
			rows[key] = row
		}
	}
	slices.Sort(keys)
	if p.descending {
		slices.Reverse(keys)
	}
	var page store.Page
	for i, key := range keys {
		if i == limit {
			page.Next = page.Items[i-1]
			if !p.keysOnly {
				page.Next = keyOf(page.Next)
			}
			break
		}
		item := sdk.ItemToSDK(rows[key])
		if p.keysOnly {
			item = keyOf(item)
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}

// after is the key that the page comes after; empty for the first page.
func (p pageOf) after() (string, error) {
	if p.start == nil {
		return "", nil
	}
	item, err := sdk.ItemFromSDK(p.start)
	if err != nil {
		return "", err
	}
	key, ok := indexKey(p.schema, item)
	if !ok {
		return "", errors.New("memstore: the start of a page has no key of the index")
	}
	return key, nil
}

// keyOf keeps the attributes that the due index projects: all keys.
func keyOf(item store.Item) store.Item {
	kept := store.Item{}
	for _, name := range []string{store.PartitionKey, store.SortKey, store.DueSlot, store.DueAt} {
		if value, ok := item[name]; ok {
			kept[name] = value
		}
	}
	return kept
}

// indexKey encodes a row's place in an index; ok is false where the index does
// not have the row. The primary key follows, so that places are distinct.
func indexKey(schema ddb.KeySchema, row ddb.Item) (string, bool) {
	var key []byte
	for _, attribute := range []ddb.KeyAttribute{schema.Hash, schema.Range, tableSchema.Hash, tableSchema.Range} {
		value, ok := row[attribute.Name]
		if !ok || value.Kind() != attribute.Kind {
			return "", false
		}
		key = ddb.AppendKey(key, value)
	}
	return string(key), true
}
