package sns

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	bolt "go.etcd.io/bbolt"
)

// duplicateWindow is how long a FIFO topic remembers deduplication ids, in
// milliseconds.
const duplicateWindow = 5 * 60 * 1000

// A duplicate remembers a deduplication id and the message that had it first.
type duplicate struct {
	MessageID string `json:"id"`
	Sequence  string `json:"sequence"`
	Until     int64  `json:"until"`
}

// duplicates are a FIFO topic's deduplication ids, oldest first in order.
type duplicates struct {
	entries map[string]duplicate
	order   []string
}

func (d *duplicates) add(key string, first duplicate) {
	if d.entries == nil {
		d.entries = map[string]duplicate{}
	}
	d.entries[key] = first
	d.order = append(d.order, key)
}

// find gives the message that had an id first, if that is not too long ago.
func (d *duplicates) find(key string, now int64) (duplicate, bool) {
	first, found := d.entries[key]
	return first, found && first.Until > now
}

// overdue gives the keys of ids that are over, and forgets them.
func (d *duplicates) overdue(now int64) []string {
	var over []string
	for len(d.order) > 0 && d.entries[d.order[0]].Until <= now {
		over = append(over, d.order[0])
		delete(d.entries, d.order[0])
		d.order = d.order[1:]
	}
	return over
}

// duplicateKey names a message's deduplication id within the topic, or within the
// group if that is the topic's scope. No id has a zero byte in it.
func (t *topic) duplicateKey(m *message) string {
	if t.settings.groupScope {
		return m.Group + "\x00" + m.Dedup
	}
	return "\x00" + m.Dedup
}

func duplicateKey(topicARN, key string) []byte { return []byte(topicARN + "\x00" + key) }

// identify gives a message of a FIFO topic its deduplication id: SHA-256 of the
// body, unless the publisher gave one.
func (m *message) identify() {
	if m.Dedup == "" {
		sum := sha256.Sum256([]byte(m.Body))
		m.Dedup = hex.EncodeToString(sum[:])
	}
}

func (db *DB) indexDuplicate(key []byte, first duplicate) error {
	arn, id, _ := bytes.Cut(key, []byte{0})
	if t := db.topics[string(arn)]; t != nil {
		t.duplicates.add(string(id), first)
	}
	return nil
}

func forget(tx *bolt.Tx, t *topic, keys []string) error {
	for _, key := range keys {
		if err := tx.Bucket(duplicatesBucket).Delete(duplicateKey(t.ARN, key)); err != nil {
			return err
		}
	}
	return nil
}
