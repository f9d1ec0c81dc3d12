package boltfile_test

import (
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

func TestOpenMakesAndKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.db")
	for range 2 {
		file, err := boltfile.Open(path, 0, []byte("one"), []byte("two"))
		if err != nil {
			t.Fatal(err)
		}
		err = file.Update(func(tx *bolt.Tx) error {
			if tx.Bucket([]byte("two")) == nil {
				t.Error("a bucket is missing")
			}
			kept := tx.Bucket([]byte("one")).Get([]byte("key"))
			if kept != nil && string(kept) != "value" {
				t.Errorf("kept %q", kept)
			}
			return tx.Bucket([]byte("one")).Put([]byte("key"), []byte("value"))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	again, err := boltfile.Open(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	err = again.View(func(tx *bolt.Tx) error {
		if got := string(tx.Bucket([]byte("one")).Get([]byte("key"))); got != "value" {
			t.Errorf("read %q", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestABucketWithoutANameClosesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.db")
	if _, err := boltfile.Open(path, 0, nil); err == nil {
		t.Fatal("a bucket without a name was made")
	}
	file, err := boltfile.Open(path, 0)
	if err != nil {
		t.Fatal("the file is still in use:", err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
