package dynamodb

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// sweepGroup is how much the sweeper removes in one transaction, so that other
// writers never wait long.
const sweepGroup = 100

func (db *DB) sweepUntilStopped() {
	ticker := time.NewTicker(db.config.SweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-db.stop:
			return
		case <-ticker.C:
			if err := db.Sweep(); err != nil {
				db.config.Log.Error("dynamodb: sweeping failed", "error", err)
			}
		}
	}
}

// Sweep deletes now what the sweeper deletes from time to time: items whose
// time to live is over, stream records and closed streams older than a day,
// and old client tokens.
func (db *DB) Sweep() error {
	var failures []error
	for _, t := range *db.catalog.Load() {
		if t.TTL != "" {
			failures = append(failures, db.repeat(func(tx *writeTx) (bool, error) { return db.expire(tx, t.Name) }))
		}
	}
	arns, err := db.streamARNs()
	failures = append(failures, err)
	for _, arn := range arns {
		failures = append(failures, db.repeat(func(tx *writeTx) (bool, error) { return db.trim(tx, arn) }))
	}
	failures = append(failures, db.repeat(func(tx *writeTx) (bool, error) {
		return forgetTokens(tx, db.config.Now(), sweepGroup)
	}))
	return errors.Join(failures...)
}

// repeat runs a step in transactions of its own until nothing more is there.
func (db *DB) repeat(step func(*writeTx) (more bool, err error)) error {
	for more := true; more; {
		err := db.writer.do(func(tx *writeTx) (err error) {
			more, err = step(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// expire deletes a group of a table's items that are past their time to live.
func (db *DB) expire(tx *writeTx, name string) (more bool, err error) {
	t, ok := (*db.catalog.Load())[name]
	if !ok || t.TTL == "" {
		return false, nil
	}
	now := db.config.Now()
	var keys [][]byte
	cursor := tx.Bucket(t.expiryBucket()).Cursor()
	oldest := binary.BigEndian.AppendUint64(nil, uint64(max(0, now.Add(-maxExpiryAge).Unix())))
	for at, _ := cursor.Seek(oldest); at != nil && int64(binary.BigEndian.Uint64(at)) <= now.Unix(); at, _ = cursor.Next() {
		if len(keys) == sweepGroup {
			more = true
			break
		}
		keys = append(keys, append([]byte(nil), at[8:]...))
	}
	for _, key := range keys {
		old, err := t.read(tx.Tx, key)
		if err != nil {
			return false, err
		}
		if err := db.apply(tx, change{table: t, key: key, old: old, expired: true}); err != nil {
			return false, err
		}
	}
	return more, nil
}

func (db *DB) streamARNs() (arns []string, err error) {
	err = db.file.View(func(tx *bolt.Tx) error {
		return tx.Bucket(streamsBucket).ForEach(func(arn, _ []byte) error {
			arns = append(arns, string(arn))
			return nil
		})
	})
	return arns, err
}

// trim removes a group of records that are older than a day, and at the end a
// stream that was closed longer ago than that.
func (db *DB) trim(tx *writeTx, arn string) (more bool, err error) {
	data := tx.Bucket(streamsBucket).Get([]byte(arn))
	if data == nil {
		return false, nil
	}
	var s stream
	if err := json.Unmarshal(data, &s); err != nil {
		return false, fmt.Errorf("dynamodb: the stream %s: %w", arn, err)
	}
	horizon := db.config.Now().Add(-recordLife)
	if !s.Closed.IsZero() && s.Closed.Before(horizon) {
		tx.dirty = true
		return false, errors.Join(tx.DeleteBucket(s.recordsBucket()), tx.Bucket(streamsBucket).Delete([]byte(arn)))
	}
	cursor := tx.Bucket(s.recordsBucket()).Cursor()
	for n := 0; ; n++ {
		key, data := cursor.First()
		if key == nil || !recordTime(data).Before(horizon) {
			return false, nil
		}
		if n == sweepGroup {
			return true, nil
		}
		tx.dirty = true
		if err := cursor.Delete(); err != nil {
			return false, err
		}
	}
}
