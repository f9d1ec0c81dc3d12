package dynamodb

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// maxPageBytes is how much a Query or Scan reads at most before it stops with
// a LastEvaluatedKey, counted before the filter.
const maxPageBytes = 1 << 20

// Members that Query and Scan share.
type readOptions struct {
	TableName              string
	IndexName              string
	FilterExpression       *string
	ProjectionExpression   *string
	Select                 string
	Limit                  *int
	ExclusiveStartKey      ddb.Item
	ConsistentRead         bool
	ReturnConsumedCapacity string
}

type readOutput struct {
	Items            []ddb.Item `json:",omitzero"` // never nil but for Select COUNT
	Count            int
	ScannedCount     int
	LastEvaluatedKey ddb.Item          `json:",omitempty"`
	ConsumedCapacity *consumedCapacity `json:",omitempty"`
}

// A page is one answer to a Query or Scan in the making.
type page struct {
	table      *table
	index      *index // nil: the table itself
	filter     *ddb.Condition
	projection *ddb.Projection
	limit      int // 0: none
	countOnly  bool
	from, to   []byte // half-open interval of storage keys; nil to: to the end
	after      []byte // begin behind this key, if not nil
	backward   bool
	meter      *meter

	out  readOutput
	size int
}

// newPage checks what Query and Scan have in common.
func (db *DB) newPage(o *readOptions) (*page, error) {
	p := &page{out: readOutput{Items: []ddb.Item{}}}
	var err error
	if p.meter, err = newMeter(o.ReturnConsumedCapacity, consistency(o.ConsistentRead)); err != nil {
		return nil, err
	}
	if p.table, err = db.find(o.TableName); err != nil {
		return nil, err
	}
	if o.IndexName != "" {
		if p.index, err = p.table.index(o.IndexName); err != nil {
			return nil, err
		}
		if o.ConsistentRead {
			return nil, invalidf("Consistent reads are not supported on global secondary indexes")
		}
	}
	if o.Limit != nil {
		if p.limit = *o.Limit; p.limit < 1 {
			return nil, invalidf("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1", p.limit)
		}
	}
	return p, nil
}

// parse parses filter and projection and checks Select against them.
func (p *page) parse(s *ddb.Scope, o *readOptions) (err error) {
	if p.filter, err = optional(o.FilterExpression, s.Filter); err != nil {
		return err
	}
	p.projection, err = optional(o.ProjectionExpression, s.Projection)
	return err
}

// choose checks Select.
func (p *page) choose(o *readOptions) error {
	if err := oneOf("select", o.Select, "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"); err != nil {
		return err
	}
	switch {
	case p.projection != nil && o.Select != "" && o.Select != "SPECIFIC_ATTRIBUTES":
		return invalidf("Cannot specify the ProjectionExpression when choosing to get %s", o.Select)
	case p.projection == nil && o.Select == "SPECIFIC_ATTRIBUTES":
		return invalidf("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	case p.index == nil && o.Select == "ALL_PROJECTED_ATTRIBUTES":
		return invalidf("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	case p.index != nil && o.Select == "ALL_ATTRIBUTES" && p.index.Definition.Projection.ProjectionType != "ALL":
		return invalidf("One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL", o.IndexName)
	}
	if p.index != nil && p.projection != nil {
		for _, name := range p.projection.Attributes() {
			if !p.index.projects(p.table, name) {
				return invalidf("One or more parameter values were invalid: Global secondary index %s does not project [%s]", o.IndexName, name)
			}
		}
	}
	p.countOnly = o.Select == "COUNT"
	return nil
}

// key is the schema of what is read.
func (p *page) key() ddb.KeySchema {
	if p.index != nil {
		return p.index.Key
	}
	return p.table.Key
}

// storageKey is the key in the bucket that is read.
func (p *page) storageKey(item ddb.Item) []byte {
	if p.index != nil {
		return p.index.entryKey(p.table, item)
	}
	return storageKey(p.table.Key, item)
}

// lastKey is an item's LastEvaluatedKey: the table's key, and the index's.
func (p *page) lastKey(item ddb.Item) ddb.Item {
	key := ddb.Item{}
	for _, name := range keyNames(p.table.Key) {
		key[name] = item[name]
	}
	for _, name := range keyNames(p.key()) {
		key[name] = item[name]
	}
	return key
}

// startAfter checks an ExclusiveStartKey, which need not exist any more.
func (p *page) startAfter(key ddb.Item, outside string) error {
	if key == nil {
		return nil
	}
	expected := p.lastKey(key)
	if len(expected) != len(key) {
		return invalidf("The provided starting key is invalid")
	}
	for _, schema := range []ddb.KeySchema{p.table.Key, p.key()} {
		for _, attribute := range []ddb.KeyAttribute{schema.Hash, schema.Range}[:len(keyNames(schema))] {
			if key[attribute.Name].Kind() != attribute.Kind {
				return invalidf("The provided starting key is invalid: The provided key element does not match the schema")
			}
		}
	}
	p.after = p.storageKey(key)
	if bytes.Compare(p.after, p.from) < 0 || p.to != nil && bytes.Compare(p.after, p.to) >= 0 {
		return invalidf("%s", outside)
	}
	return nil
}

// read fills the page.
func (p *page) read(tx *bolt.Tx) error {
	name := p.table.itemsBucket()
	if p.index != nil {
		name = p.table.indexBucket(p.index)
	}
	bucket := tx.Bucket(name)
	if bucket == nil {
		return errNoTable(p.table.Name)
	}
	var last ddb.Item
	cursor := bucket.Cursor()
	for key, data := p.first(cursor); p.within(key); key, data = p.next(cursor) {
		item, err := ddb.DecodeItem(data)
		if err != nil {
			return fmt.Errorf("dynamodb: table %s: %w", p.table.Name, err)
		}
		size := item.Size()
		if last != nil && p.size+size > maxPageBytes {
			p.out.LastEvaluatedKey = p.lastKey(last)
			break
		}
		if err := p.take(item, size); err != nil {
			return err
		}
		if p.out.ScannedCount == p.limit {
			p.out.LastEvaluatedKey = p.lastKey(item)
			break
		}
		last = item
	}
	p.finish()
	return nil
}

func (p *page) take(item ddb.Item, size int) error {
	p.size += size
	p.out.ScannedCount++
	holds, err := p.filter.Eval(item)
	if err != nil || !holds {
		return err
	}
	p.out.Count++
	if !p.countOnly {
		p.out.Items = append(p.out.Items, p.projection.Apply(item))
	}
	return nil
}

func (p *page) finish() {
	if p.countOnly {
		p.out.Items = nil
	}
	index := ""
	if p.index != nil {
		index = p.index.Definition.IndexName
	}
	p.meter.read(p.table, index, p.size)
	p.out.ConsumedCapacity = p.meter.one()
}

// first finds the first key to read, next the one after it.
func (p *page) first(c *bolt.Cursor) (key, data []byte) {
	switch {
	case !p.backward && p.after == nil:
		return c.Seek(p.from)
	case !p.backward:
		key, data = c.Seek(p.after)
		if bytes.Equal(key, p.after) {
			return c.Next()
		}
		return key, data
	}
	end := p.to
	if p.after != nil {
		end = p.after
	}
	if end == nil {
		return c.Last()
	}
	if key, _ = c.Seek(end); key == nil {
		return c.Last()
	}
	return c.Prev()
}

func (p *page) next(c *bolt.Cursor) (key, data []byte) {
	if p.backward {
		return c.Prev()
	}
	return c.Next()
}

func (p *page) within(key []byte) bool {
	if key == nil {
		return false
	}
	if p.backward {
		return bytes.Compare(key, p.from) >= 0
	}
	return p.to == nil || bytes.Compare(key, p.to) < 0
}
