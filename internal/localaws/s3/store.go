package s3

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

// Buckets of the index: S3 buckets by name; objects by bucket, zero byte, key;
// multipart uploads by id; their parts by id, zero byte, number; what somebody has to
// be told of by number.
var (
	bucketsBucket = []byte("buckets")
	objectsBucket = []byte("objects")
	uploadsBucket = []byte("uploads")
	partsBucket   = []byte("parts")
	noticesBucket = []byte("notices")
)

// bucketRecord is what the index keeps of a bucket.
type bucketRecord struct {
	Created       int64          `json:"created"` // milliseconds since 1970
	CORS          []corsRule     `json:"cors,omitempty"`
	Notifications []notification `json:"notifications,omitempty"`
}

// object is what the index keeps of an object, or of a part of one.
type object struct {
	Blob     string            `json:"blob"`
	Size     int64             `json:"size"`
	ETag     string            `json:"etag"`               // without quotes
	Modified int64             `json:"modified"`           // milliseconds since 1970
	Headers  map[string]string `json:"headers,omitempty"`  // Content-Type and its like
	Metadata map[string]string `json:"metadata,omitempty"` // x-amz-meta- headers, without the prefix
	Checksum checksum          `json:"checksum,omitzero"`
}

func (o object) modified() time.Time { return time.UnixMilli(o.Modified).UTC() }

func (db *DB) load() error {
	if err := os.MkdirAll(db.blobs(), 0o700); err != nil {
		return err
	}
	index, err := boltfile.Open(filepath.Join(db.cfg.Dir, "index.db"), 0, bucketsBucket, objectsBucket, uploadsBucket, partsBucket, noticesBucket)
	if err != nil {
		return err
	}
	db.index = index
	used := map[string]bool{}
	err = index.View(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{objectsBucket, partsBucket} {
			err := tx.Bucket(name).ForEach(func(key, value []byte) error {
				var o object
				if err := json.Unmarshal(value, &o); err != nil {
					return fmt.Errorf("entry %q: %w", key, err)
				}
				used[o.Blob] = true
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = db.sweep(used)
	}
	if err != nil {
		_ = index.Close() // the error that matters is the first one
	}
	return err
}

// sweep removes blobs that no entry names: of calls that a dead process had
// begun.
func (db *DB) sweep(used map[string]bool) error {
	return filepath.WalkDir(db.blobs(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || used[entry.Name()] {
			return err
		}
		return os.Remove(path)
	})
}

func (db *DB) blobs() string { return filepath.Join(db.cfg.Dir, "blobs") }

func (db *DB) blobPath(name string) string { return filepath.Join(db.blobs(), name[:2], name) }

// newBlob makes a file for a body. A blob is never written again once an entry
// names it.
func (db *DB) newBlob() (string, *os.File, error) {
	name := newID()
	path := db.blobPath(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	return name, f, err
}

func objectKey(bucket, key string) []byte { return []byte(bucket + "\x00" + key) }

func getJSON(tx *bolt.Tx, bucket, key []byte, value any) (bool, error) {
	encoded := tx.Bucket(bucket).Get(key)
	if encoded == nil {
		return false, nil
	}
	return true, json.Unmarshal(encoded, value)
}

func putJSON(tx *bolt.Tx, bucket, key []byte, value any) error {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, encoded)
}

// bucketOf reads a bucket's record within a transaction.
func bucketOf(tx *bolt.Tx, name string) (bucketRecord, error) {
	var b bucketRecord
	found, err := getJSON(tx, bucketsBucket, []byte(name), &b)
	if err == nil && !found {
		return b, noSuchBucket()
	}
	return b, err
}

// objectOf reads an object's entry within a transaction; nil means none.
func objectOf(tx *bolt.Tx, bucket, key string) (*object, error) {
	o := new(object)
	found, err := getJSON(tx, objectsBucket, objectKey(bucket, key), o)
	if err != nil || !found {
		return nil, err
	}
	return o, nil
}

// open gives an object and its body.
func (db *DB) open(bucket, key string) (*object, *os.File, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var o *object
	err := db.index.View(func(tx *bolt.Tx) error {
		if _, err := bucketOf(tx, bucket); err != nil {
			return err
		}
		var err error
		o, err = objectOf(tx, bucket, key)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if o == nil {
		return nil, nil, noSuchKey()
	}
	f, err := os.Open(db.blobPath(o.Blob))
	return o, f, err
}

// change runs a transaction that gives the blobs which no entry names any more,
// and removes those after it.
func (db *DB) change(f func(tx *bolt.Tx) (old []string, err error)) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	var old []string
	err := db.index.Update(func(tx *bolt.Tx) (err error) {
		old, err = f(tx)
		return err
	})
	if err != nil {
		return err
	}
	db.messenger.stir()
	var errs []error
	for _, blob := range old {
		errs = append(errs, removeBlob(db.blobPath(blob)))
	}
	return errors.Join(errs...)
}

// commit makes an object of a blob, if the conditions hold; otherwise the blob
// is removed. event is what its bucket tells of it.
func (db *DB) commit(c *call, event string, o object) error {
	err := db.change(func(tx *bolt.Tx) ([]string, error) {
		old, err := replace(tx, c.bucket, c.key, o, conditionsOf(c.r.Header, ""))
		if err != nil {
			return nil, err
		}
		return old, db.happened(tx, c, event, c.key, &o)
	})
	if err != nil {
		return errors.Join(err, removeBlob(db.blobPath(o.Blob)))
	}
	return nil
}

// replace writes an object's entry and gives the blob of the one before.
func replace(tx *bolt.Tx, bucket, key string, o object, conditions conditions) ([]string, error) {
	if _, err := bucketOf(tx, bucket); err != nil {
		return nil, err
	}
	before, err := objectOf(tx, bucket, key)
	if err != nil {
		return nil, err
	}
	if err := conditions.forWrite(before); err != nil {
		return nil, err
	}
	var old []string
	if before != nil {
		old = []string{before.Blob}
	}
	return old, putJSON(tx, objectsBucket, objectKey(bucket, key), o)
}
