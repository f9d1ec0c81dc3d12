// Package boltfile opens the file that a service of the local endpoint keeps its
// data in.
package boltfile

import (
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"
)

// busy is how long to wait for another process that has the file.
const busy = 5 * time.Second

// Open opens the file, making it and its buckets where they are not there. mmap is how
// much address space to take at first; zero leaves it to bbolt.
//
// The file is not synced: it survives the death of the process, since the pages are
// the kernel's once they are written, and not a power cut.
func Open(path string, mmap int, buckets ...[]byte) (*bolt.DB, error) {
	file, err := bolt.Open(path, 0o600, &bolt.Options{
		Timeout: busy, NoSync: true, NoGrowSync: true, NoFreelistSync: true,
		FreelistType: bolt.FreelistMapType, InitialMmapSize: mmap,
	})
	if err != nil {
		return nil, err
	}
	err = file.Update(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
