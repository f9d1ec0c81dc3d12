package scheduler

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

// Buckets: schedules by group and name; groups by name; how far schedules are, by
// group, name and revision.
var (
	schedulesBucket = []byte("schedules")
	groupsBucket    = []byte("groups")
	statesBucket    = []byte("states")
)

func (db *DB) open() error {
	b, err := boltfile.Open(db.cfg.Path, 0, schedulesBucket, groupsBucket, statesBucket)
	if err != nil {
		return err
	}
	db.bolt = b
	err = b.Update(func(tx *bolt.Tx) error {
		if tx.Bucket(groupsBucket).Get([]byte(defaultGroup)) != nil {
			return nil
		}
		return putJSON(tx, groupsBucket, defaultGroup, db.newGroup(defaultGroup))
	})
	if err != nil {
		return errors.Join(err, b.Close())
	}
	return nil
}

func putJSON(tx *bolt.Tx, bucket []byte, key string, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put([]byte(key), encoded)
}

func keyOf(group, name string) string { return group + "/" + name }

// find gives a schedule; ok is false where there is none.
func find[T record | group](tx *bolt.Tx, bucket []byte, key string) (found T, ok bool, err error) {
	encoded := tx.Bucket(bucket).Get([]byte(key))
	if encoded == nil {
		return found, false, nil
	}
	if err := json.Unmarshal(encoded, &found); err != nil {
		return found, false, fmt.Errorf("reading %s: %w", key, err)
	}
	return found, true, nil
}

// all gives what a bucket holds, in the order of keys.
func all[T record | group](tx *bolt.Tx, bucket []byte) (found []T, err error) {
	err = tx.Bucket(bucket).ForEach(func(key, encoded []byte) error {
		var one T
		if err := json.Unmarshal(encoded, &one); err != nil {
			return fmt.Errorf("reading %s: %w", key, err)
		}
		found = append(found, one)
		return nil
	})
	return found, err
}

func (db *DB) schedules() (found []record, err error) {
	err = db.bolt.View(func(tx *bolt.Tx) error {
		found, err = all[record](tx, schedulesBucket)
		return err
	})
	return found, err
}

// remove deletes a schedule and how far it is.
func remove(tx *bolt.Tx, key string) error {
	if err := tx.Bucket(schedulesBucket).Delete([]byte(key)); err != nil {
		return err
	}
	cursor := tx.Bucket(statesBucket).Cursor()
	prefix := key + "#"
	for k, _ := cursor.Seek([]byte(prefix)); strings.HasPrefix(string(k), prefix); k, _ = cursor.Seek([]byte(prefix)) {
		if err := cursor.Delete(); err != nil {
			return err
		}
	}
	return nil
}

// states keeps how far one revision of a schedule is, as long as that is the
// present one.
type states struct {
	db       *DB
	key      string
	revision int
}

func (s states) name() []byte { return []byte(s.key + "#" + strconv.Itoa(s.revision)) }

// Load is engine.States'.
func (s states) Load(_, _ string) (state string, err error) {
	err = s.db.bolt.View(func(tx *bolt.Tx) error {
		state = string(tx.Bucket(statesBucket).Get(s.name()))
		return nil
	})
	return state, err
}

// Save is engine.States'.
func (s states) Save(_, _, state string) error {
	return s.db.bolt.Update(func(tx *bolt.Tx) error {
		current, ok, err := find[record](tx, schedulesBucket, s.key)
		if err != nil || !ok || current.Revision != s.revision {
			return err
		}
		return tx.Bucket(statesBucket).Put(s.name(), []byte(state))
	})
}
