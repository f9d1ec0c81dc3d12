package sqs

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

// Buckets: queues by name; state and content of messages by seq; tokens of FIFO
// deduplication; move tasks by handle.
var (
	queuesBucket     = []byte("queues")
	statesBucket     = []byte("states")
	contentsBucket   = []byte("contents")
	duplicatesBucket = []byte("duplicates")
	movesBucket      = []byte("moves")
)

// load opens the file and builds the index from it.
func (db *DB) load() error {
	b, err := boltfile.Open(db.cfg.Path, 64<<20, queuesBucket, statesBucket, contentsBucket, duplicatesBucket, movesBucket)
	if err != nil {
		return err
	}
	db.bolt = b
	if err := b.View(db.index); err != nil {
		_ = b.Close() // the error that matters is the first one
		return err
	}
	for _, t := range db.moves {
		db.movers.Go(func() { db.runMove(t) })
	}
	return nil
}

func (db *DB) index(tx *bolt.Tx) error {
	now := db.now()
	err := tx.Bucket(queuesBucket).ForEach(func(key, value []byte) error {
		var r record
		if err := json.Unmarshal(value, &r); err != nil {
			return fmt.Errorf("queue %s: %w", key, err)
		}
		s, err := parseSettings(r.Attributes)
		if err != nil {
			return fmt.Errorf("queue %s: %w", key, err)
		}
		db.queues[r.Name] = newQueue(r, s, db.arnOf(r.Name), db.cfg.Ready)
		return nil
	})
	if err != nil {
		return err
	}
	err = tx.Bucket(statesBucket).ForEach(func(key, value []byte) error {
		m := &message{seq: binary.BigEndian.Uint64(key)}
		if err := json.Unmarshal(value, &m.state); err != nil {
			return fmt.Errorf("message %x: %w", key, err)
		}
		q := db.queues[m.Queue]
		if q == nil {
			return fmt.Errorf("message %x is in the queue %q, which does not exist", key, m.Queue)
		}
		q.add(m, now)
		return nil
	})
	if err != nil {
		return err
	}
	db.seq = tx.Bucket(statesBucket).Sequence()
	if err := db.indexDuplicates(tx); err != nil {
		return err
	}
	return db.indexMoves(tx)
}

// write runs one transaction. The caller holds the mutex, and changes the index
// only after success.
func (db *DB) write(f func(tx *bolt.Tx) error) error {
	if err := db.bolt.Update(f); err != nil {
		return fmt.Errorf("sqs: writing: %w", err)
	}
	return nil
}

// nextSeq gives the place of a new message in the order of arrival.
func nextSeq(tx *bolt.Tx) (uint64, error) { return tx.Bucket(statesBucket).NextSequence() }

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func putJSON(tx *bolt.Tx, bucket, key []byte, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, encoded)
}

func putState(tx *bolt.Tx, seq uint64, s state) error {
	return putJSON(tx, statesBucket, seqKey(seq), s)
}

func putContent(tx *bolt.Tx, seq uint64, c content) error {
	return putJSON(tx, contentsBucket, seqKey(seq), c)
}

func getContent(tx *bolt.Tx, seq uint64) (c content, err error) {
	encoded := tx.Bucket(contentsBucket).Get(seqKey(seq))
	if encoded == nil {
		return c, fmt.Errorf("message %d has no content", seq)
	}
	return c, json.Unmarshal(encoded, &c)
}

func deleteMessage(tx *bolt.Tx, seq uint64) error {
	if err := tx.Bucket(statesBucket).Delete(seqKey(seq)); err != nil {
		return err
	}
	return tx.Bucket(contentsBucket).Delete(seqKey(seq))
}
