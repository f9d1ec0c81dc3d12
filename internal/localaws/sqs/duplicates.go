package sqs

import (
	"bytes"
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// duplicateWindow is how long a FIFO queue remembers deduplication ids, in
// milliseconds.
const duplicateWindow = 5 * 60 * 1000

// A duplicate remembers one deduplication id and the message that had it first.
type duplicate struct {
	key       string
	MessageID string `json:"id"`
	Seq       uint64 `json:"seq"`
	Until     int64  `json:"until"`
}

// duplicates are a FIFO queue's deduplication ids, oldest first in order.
type duplicates struct {
	entries map[string]duplicate
	order   []duplicate
}

func (d *duplicates) add(tokens ...duplicate) {
	if d.entries == nil {
		d.entries = map[string]duplicate{}
	}
	for _, t := range tokens {
		d.entries[t.key] = t
		d.order = append(d.order, t)
	}
}

// find looks among the queue's ids and those of the batch that is being written.
func (d *duplicates) find(key string, fresh []duplicate, now int64) (duplicate, bool) {
	for _, t := range fresh {
		if t.key == key {
			return t, true
		}
	}
	t, found := d.entries[key]
	return t, found && t.Until > now
}

// expire forgets what is over. Should the transaction fail, the ids stay in the
// store until the next start, where they count as over too.
func (d *duplicates) expire(tx *bolt.Tx, queue string, now int64) error {
	for len(d.order) > 0 && d.order[0].Until <= now {
		t := d.order[0]
		d.order = d.order[1:]
		if d.entries[t.key].Until > now {
			continue // used again since
		}
		delete(d.entries, t.key)
		stored := tx.Bucket(duplicatesBucket).Get(duplicateKey(queue, t.key))
		var s duplicate
		if stored != nil && json.Unmarshal(stored, &s) == nil && s.Until > now {
			continue // being used again in this transaction
		}
		if err := tx.Bucket(duplicatesBucket).Delete(duplicateKey(queue, t.key)); err != nil {
			return err
		}
	}
	return nil
}

// duplicateKey names a deduplication id within the queue, or within the group
// if that is the queue's scope. No id contains a zero byte.
func (q *queue) duplicateKey(group, id string) string {
	if q.settings.groupScope {
		return group + "\x00" + id
	}
	return "\x00" + id
}

func duplicateKey(queue, key string) []byte { return []byte(queue + "\x00" + key) }

func (db *DB) indexDuplicates(tx *bolt.Tx) error {
	now := db.now()
	return tx.Bucket(duplicatesBucket).ForEach(func(key, value []byte) error {
		name, id, _ := bytes.Cut(key, []byte{0})
		q := db.queues[string(name)]
		t := duplicate{key: string(id)}
		if err := json.Unmarshal(value, &t); err != nil {
			return fmt.Errorf("deduplication id %q: %w", key, err)
		}
		if q != nil && t.Until > now {
			q.duplicates.add(t)
		}
		return nil
	})
}
