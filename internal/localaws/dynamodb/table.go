package dynamodb

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// A table is a table's definition. It is never changed: a new one replaces it.
type table struct {
	ID                 uint64
	Name               string
	Created            time.Time
	Attributes         []attributeDefinition
	Elements           []keyElement
	Key                ddb.KeySchema
	BillingMode        string
	Throughput         *throughput
	TableClass         string
	DeletionProtection bool
	Indexes            []*index
	Stream             *stream // open, or nil
	LatestStream       *stream // open or closed, or nil
	TTL                string  // the attribute, or empty
	Tags               map[string]string
}

// An index is a global secondary index.
type index struct {
	Definition indexDefinition
	Key        ddb.KeySchema
}

// A catalog is all tables by name. It is never changed.
type catalog map[string]*table

// The buckets of the file. Those of a table and a stream carry its id or ARN.
var (
	tablesBucket    = []byte("tables")
	streamsBucket   = []byte("streams")
	tokensBucket    = []byte("tokens")
	tokenAgesBucket = []byte("token-ages")
)

func (t *table) bucket(sort byte, name string) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{sort}, t.ID), name...)
}

func (t *table) itemsBucket() []byte         { return t.bucket('i', "") }
func (t *table) expiryBucket() []byte        { return t.bucket('t', "") }
func (t *table) indexBucket(x *index) []byte { return t.bucket('x', x.Definition.IndexName) }
func (s *stream) recordsBucket() []byte      { return []byte("s" + s.ARN) }

// load makes the common buckets and reads the catalog.
func (db *DB) load() error {
	tables := catalog{}
	err := db.file.View(func(tx *bolt.Tx) error {
		return tx.Bucket(tablesBucket).ForEach(func(name, data []byte) error {
			t := &table{}
			if err := json.Unmarshal(data, t); err != nil {
				return fmt.Errorf("the definition of table %s: %w", name, err)
			}
			tables[t.Name] = t
			return nil
		})
	})
	db.catalog.Store(&tables)
	return err
}

// find gives a table by name or ARN, or ResourceNotFoundException.
func (db *DB) find(name string) (*table, error) {
	if _, last, ok := strings.Cut(name, ":table/"); ok && strings.HasPrefix(name, "arn:") {
		name = last
	}
	if t, ok := (*db.catalog.Load())[name]; ok {
		return t, nil
	}
	return nil, errNoTable(name)
}

func errNoTable(name string) error {
	return awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Table: %s not found", name)
}

// save writes a definition; the catalog follows when the transaction is
// committed.
func (db *DB) save(tx *writeTx, t *table) error {
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("dynamodb: encoding the table %s: %w", t.Name, err)
	}
	tx.dirty = true
	tx.after = append(tx.after, func() {
		db.swapCatalog(func(c catalog) { c[t.Name] = t })
	})
	return tx.Bucket(tablesBucket).Put([]byte(t.Name), data)
}

// swapCatalog runs in the writer's goroutine alone.
func (db *DB) swapCatalog(change func(catalog)) {
	next := maps.Clone(*db.catalog.Load())
	change(next)
	db.catalog.Store(&next)
}

// index finds an index by name.
func (t *table) index(name string) (*index, error) {
	for _, x := range t.Indexes {
		if x.Definition.IndexName == name {
			return x, nil
		}
	}
	return nil, invalidf("The table does not have the specified index: %s", name)
}

// project gives what an index keeps of an item.
func (x *index) project(t *table, item ddb.Item) ddb.Item {
	if x.Definition.Projection.ProjectionType == "ALL" {
		return item
	}
	kept := ddb.Item{}
	for _, name := range slices.Concat(keyNames(t.Key), keyNames(x.Key), x.Definition.Projection.NonKeyAttributes) {
		if value, ok := item[name]; ok {
			kept[name] = value
		}
	}
	return kept
}

// projects tells whether an index keeps an attribute.
func (x *index) projects(t *table, name string) bool {
	return x.Definition.Projection.ProjectionType == "ALL" ||
		slices.Contains(slices.Concat(keyNames(t.Key), keyNames(x.Key), x.Definition.Projection.NonKeyAttributes), name)
}

// keyNames are the names of a key's attributes: one or two.
func keyNames(schema ddb.KeySchema) []string {
	if schema.Range.Name == "" {
		return []string{schema.Hash.Name}
	}
	return []string{schema.Hash.Name, schema.Range.Name}
}

func (db *DB) tableARN(name string) string {
	return fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/%s", db.config.Region, db.config.AccountID, name)
}
