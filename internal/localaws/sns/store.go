package sns

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

// Buckets: topics and subscriptions by ARN; what is to be delivered by the order of
// its publication; deduplication ids of FIFO topics.
var (
	topicsBucket        = []byte("topics")
	subscriptionsBucket = []byte("subscriptions")
	pendingBucket       = []byte("pending")
	duplicatesBucket    = []byte("duplicates")
)

func (db *DB) load() error {
	b, err := boltfile.Open(db.cfg.Path, 0, topicsBucket, subscriptionsBucket, pendingBucket, duplicatesBucket)
	if err != nil {
		return err
	}
	db.bolt = b
	if err := b.View(db.index); err != nil {
		_ = b.Close() // the error that matters is the first one
		return err
	}
	return nil
}

func (db *DB) index(tx *bolt.Tx) error {
	err := each(tx, topicsBucket, func(_ []byte, r topicRecord) error {
		s, err := parseTopic(r.Attributes)
		db.topics[r.ARN] = &topic{topicRecord: r, settings: s}
		return err
	})
	if err != nil {
		return err
	}
	err = each(tx, subscriptionsBucket, func(_ []byte, r subscriptionRecord) error {
		t := db.topics[r.Topic]
		if t == nil {
			return fmt.Errorf("its topic %s is not there", r.Topic)
		}
		s, err := parseSubscription(r.Attributes, t.settings.fifo)
		db.attach(t, &subscription{r, s})
		return err
	})
	if err != nil {
		return err
	}
	err = each(tx, pendingBucket, func(key []byte, p pending) error {
		p.seq = binary.BigEndian.Uint64(key)
		db.waiting = append(db.waiting, &p)
		return nil
	})
	if err != nil {
		return err
	}
	return each(tx, duplicatesBucket, db.indexDuplicate)
}

// each reads a bucket in the order of its keys.
func each[T any](tx *bolt.Tx, bucket []byte, f func(key []byte, value T) error) error {
	return tx.Bucket(bucket).ForEach(func(key, encoded []byte) error {
		var value T
		err := json.Unmarshal(encoded, &value)
		if err == nil {
			err = f(key, value)
		}
		if err != nil {
			return fmt.Errorf("%s %q: %w", bucket, key, err)
		}
		return nil
	})
}

// write runs one transaction. The caller holds the mutex, and changes what is in
// memory only after success.
func (db *DB) write(f func(tx *bolt.Tx) error) error {
	if err := db.bolt.Update(f); err != nil {
		return fmt.Errorf("sns: writing: %w", err)
	}
	return nil
}

func putJSON(tx *bolt.Tx, bucket, key []byte, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, encoded)
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }
