package dynamodb

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// A change is an item before and after; nil is no item.
type change struct {
	table     *table
	key       []byte
	old, next ddb.Item
	expired   bool // made by the sweeper for the item's time to live
}

// read gives the item stored under a key, or nil.
func (t *table) read(tx *bolt.Tx, key []byte) (ddb.Item, error) {
	bucket := tx.Bucket(t.itemsBucket())
	if bucket == nil {
		return nil, errNoTable(t.Name)
	}
	data := bucket.Get(key)
	if data == nil {
		return nil, nil
	}
	item, err := ddb.DecodeItem(data)
	if err != nil {
		return nil, fmt.Errorf("dynamodb: table %s: %w", t.Name, err)
	}
	return item, nil
}

// apply writes a change: the item, its index entries, its expiry and its
// stream record. A change that changes nothing writes nothing.
func (db *DB) apply(tx *writeTx, c change) error {
	if c.old == nil && c.next == nil || c.old != nil && c.next != nil && ddb.EqualItems(c.old, c.next) {
		return nil
	}
	tx.dirty = true
	if err := put(tx, c.table.itemsBucket(), c.key, c.next); err != nil {
		return err
	}
	for _, x := range c.table.Indexes {
		if err := c.applyIndex(tx, x); err != nil {
			return err
		}
	}
	if err := c.applyExpiry(tx); err != nil {
		return err
	}
	if c.table.Stream == nil {
		return nil
	}
	return db.record(tx, c)
}

// put stores an item, or removes what is stored where it is nil.
func put(tx *writeTx, bucket, key []byte, item ddb.Item) error {
	if item == nil {
		return tx.Bucket(bucket).Delete(key)
	}
	return tx.Bucket(bucket).Put(key, ddb.AppendItem(nil, item))
}

// entry gives an item's entry in an index: its key, nil for none, and what is
// projected.
func (x *index) entry(t *table, item ddb.Item) ([]byte, ddb.Item) {
	if item == nil {
		return nil, nil
	}
	key := x.entryKey(t, item)
	if key == nil {
		return nil, nil
	}
	return key, x.project(t, item)
}

func (c change) applyIndex(tx *writeTx, x *index) error {
	oldKey, oldEntry := x.entry(c.table, c.old)
	nextKey, nextEntry := x.entry(c.table, c.next)
	bucket := c.table.indexBucket(x)
	if oldKey != nil && !bytes.Equal(oldKey, nextKey) {
		if err := put(tx, bucket, oldKey, nil); err != nil {
			return err
		}
	}
	if nextKey == nil || bytes.Equal(oldKey, nextKey) && ddb.EqualItems(oldEntry, nextEntry) {
		return nil
	}
	return put(tx, bucket, nextKey, nextEntry)
}
