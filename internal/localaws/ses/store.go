package ses

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

// Buckets: mails and their sources by the order of sending; places of mails by
// message id; everything else by its name.
var (
	mailsBucket      = []byte("mails")
	sourcesBucket    = []byte("sources")
	idsBucket        = []byte("ids")
	identitiesBucket = []byte("identities")
	templatesBucket  = []byte("templates")
	suppressedBucket = []byte("suppressed")
	setsBucket       = []byte("sets")
	listsBucket      = []byte("lists")
	contactsBucket   = []byte("contacts")
)

func (db *DB) load() error {
	var err error
	db.bolt, err = boltfile.Open(db.cfg.Path, 0, mailsBucket, sourcesBucket, idsBucket, identitiesBucket, templatesBucket,
		suppressedBucket, setsBucket, destinationsBucket, listsBucket, contactsBucket)
	return err
}

func (db *DB) put(bucket []byte, name string, value any) error {
	err := db.bolt.Update(func(tx *bolt.Tx) error { return putJSON(tx, bucket, []byte(name), value) })
	if err != nil {
		return fmt.Errorf("ses: writing %s: %w", name, err)
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

func decodeStored(encoded []byte, into any) error {
	if err := json.Unmarshal(encoded, into); err != nil {
		return fmt.Errorf("ses: what is kept cannot be read: %w", err)
	}
	return nil
}

// get reads a value; false where there is none.
func (db *DB) get(bucket []byte, name string, into any) (found bool, err error) {
	err = db.bolt.View(func(tx *bolt.Tx) error {
		encoded := tx.Bucket(bucket).Get([]byte(name))
		if found = encoded != nil; !found {
			return nil
		}
		return json.Unmarshal(encoded, into)
	})
	if err != nil {
		return false, fmt.Errorf("ses: reading %s: %w", name, err)
	}
	return found, nil
}

// delete takes a value away, and tells whether it was there.
func (db *DB) delete(bucket []byte, name string) (found bool, err error) {
	err = db.bolt.Update(func(tx *bolt.Tx) error {
		found = tx.Bucket(bucket).Get([]byte(name)) != nil
		return tx.Bucket(bucket).Delete([]byte(name))
	})
	if err != nil {
		return false, fmt.Errorf("ses: deleting %s: %w", name, err)
	}
	return found, nil
}

// names lists a bucket in order.
func (db *DB) names(bucket []byte) (names []string, err error) {
	err = db.bolt.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(name, _ []byte) error {
			names = append(names, string(name))
			return nil
		})
	})
	return names, err
}

// keep writes mails down, drops the oldest beyond what is kept, and tells of them.
func (db *DB) keep(mails []*mail) error {
	err := db.bolt.Update(func(tx *bolt.Tx) error {
		bucket := tx.Bucket(mailsBucket)
		for _, m := range mails {
			seq, err := bucket.NextSequence()
			if err != nil {
				return err
			}
			key := binary.BigEndian.AppendUint64(nil, seq)
			err = errors.Join(putJSON(tx, mailsBucket, key, m), tx.Bucket(sourcesBucket).Put(key, m.source), tx.Bucket(idsBucket).Put([]byte(m.ID), key))
			for _, address := range m.bounced {
				err = errors.Join(err, putJSON(tx, suppressedBucket, []byte(address), suppressed{address, "BOUNCE", m.At}))
			}
			if err != nil {
				return err
			}
			if err := drop(tx, seq, uint64(db.cfg.Keep)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ses: keeping mail: %w", err)
	}
	return db.tell(mails)
}

// drop takes away what lies before the last so many mails.
func drop(tx *bolt.Tx, last, keep uint64) error {
	if last <= keep {
		return nil
	}
	key := binary.BigEndian.AppendUint64(nil, last-keep)
	var old mail
	encoded := tx.Bucket(mailsBucket).Get(key)
	if encoded == nil {
		return nil
	}
	if err := json.Unmarshal(encoded, &old); err != nil {
		return err
	}
	return errors.Join(tx.Bucket(mailsBucket).Delete(key), tx.Bucket(sourcesBucket).Delete(key), tx.Bucket(idsBucket).Delete([]byte(old.ID)))
}

// latest reads mails, newest first, until see is no more interested.
func (db *DB) latest(see func(mail) bool) error {
	return db.bolt.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(mailsBucket).Cursor()
		for key, encoded := c.Last(); key != nil; key, encoded = c.Prev() {
			var m mail
			if err := json.Unmarshal(encoded, &m); err != nil {
				return fmt.Errorf("ses: mail %x: %w", key, err)
			}
			if !see(m) {
				return nil
			}
		}
		return nil
	})
}

// find reads one mail and its source; false where there is none.
func (db *DB) find(id string) (m mail, found bool, err error) {
	err = db.bolt.View(func(tx *bolt.Tx) error {
		key := tx.Bucket(idsBucket).Get([]byte(id))
		if found = key != nil; !found {
			return nil
		}
		m.source = bytes.Clone(tx.Bucket(sourcesBucket).Get(key))
		return json.Unmarshal(tx.Bucket(mailsBucket).Get(key), &m)
	})
	return m, found, err
}
