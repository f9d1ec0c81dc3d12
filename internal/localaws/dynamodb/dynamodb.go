// Package dynamodb is DynamoDB and DynamoDB Streams on one machine: the wire
// protocol of the real service over one bbolt file.
//
// One write transaction holds an item, its index entries, its stream record
// and the client token of its request, so that what AWS promises about
// transactions and about the order of a stream comes from the store. Many
// callers share one transaction, each with its own failure. The file survives
// the death of the process at any moment, not the loss of power.
//
// Differences from AWS that matter: reads are always strongly consistent, also
// on indexes; a table is ready at once; a stream has one shard, which is never
// split; items past their time to live go within seconds; nothing is throttled.
// What is not supported is refused by name.
package dynamodb

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
	"github.com/nightshift-go/nightshift/internal/localaws/boltfile"
)

// InMemory as Config.Path keeps the data in a temporary folder, which Close
// removes.
const InMemory = ":memory:"

// Config says where and how a DB runs.
type Config struct {
	// Path is the data file, made if it does not exist, or InMemory. Required.
	Path string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Machine is the clock by which iterators of streams expire, which are for those
	// who read without a pause; nil means Now.
	Machine func() time.Time
	// Written is called when a stream record has been written, before its writer is
	// answered and before Changed tells; nil is not.
	Written func()
	// Region and AccountID stand in ARNs. Empty means us-east-1 and
	// 000000000000.
	Region, AccountID string
	// SweepEvery is the time between two looks for expired items, records and
	// client tokens; zero means one second, less than zero never.
	SweepEvery time.Duration
	// Log takes what goes wrong in the background; nil means slog.Default.
	Log *slog.Logger
}

// A DB is the service. All its methods are safe for concurrent use.
type DB struct {
	config  Config
	file    *bolt.DB
	scratch string // the folder to remove on Close, if any
	catalog atomic.Pointer[catalog]
	writer  *writer
	changes *broadcast
	stop    chan struct{}
	swept   sync.WaitGroup
	closed  sync.Once
}

// Open opens the data file and starts the sweeper.
func Open(config Config) (*DB, error) {
	if config.Path == "" {
		return nil, errors.New("dynamodb: opening: Config.Path is empty")
	}
	config = config.withDefaults()
	db := &DB{config: config, changes: newBroadcast(), stop: make(chan struct{})}
	path := config.Path
	if path == InMemory {
		var err error
		if db.scratch, err = os.MkdirTemp("", "nightshift-dynamodb-"); err != nil {
			return nil, fmt.Errorf("dynamodb: opening: %w", err)
		}
		path = filepath.Join(db.scratch, "dynamodb.db")
	}
	if err := db.open(path); err != nil {
		return nil, errors.Join(fmt.Errorf("dynamodb: opening %s: %w", path, err), db.removeScratch())
	}
	db.writer = startWriter(db.file)
	if config.SweepEvery > 0 {
		db.swept.Go(db.sweepUntilStopped)
	}
	return db, nil
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Machine == nil {
		c.Machine = c.Now
	}
	if c.Region == "" {
		c.Region = "us-east-1"
	}
	if c.AccountID == "" {
		c.AccountID = "000000000000"
	}
	if c.SweepEvery == 0 {
		c.SweepEvery = time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

func (db *DB) open(path string) error {
	// Address space, not memory: growing waits for readers.
	file, err := boltfile.Open(path, 1<<28, tablesBucket, streamsBucket, tokensBucket, tokenAgesBucket)
	if err != nil {
		return err
	}
	db.file = file
	if err := db.load(); err != nil {
		return errors.Join(err, file.Close())
	}
	return nil
}

// Close stops the sweeper, lets running writes end and closes the file.
// Calls after it fail. Closing again does nothing.
func (db *DB) Close() error {
	var err error
	db.closed.Do(func() {
		close(db.stop)
		db.swept.Wait()
		db.writer.close()
		err = errors.Join(db.file.Close(), db.removeScratch())
	})
	return err
}

func (db *DB) removeScratch() error {
	if db.scratch == "" {
		return nil
	}
	return os.RemoveAll(db.scratch)
}

// Changed gives a channel that closes when the next stream record is written.
// Take it before reading a stream to its end: then no record is missed between
// the reading and the waiting.
func (db *DB) Changed() <-chan struct{} { return db.changes.wait() }

// tell tells of a record.
func (db *DB) tell() {
	if db.config.Written != nil {
		db.config.Written()
	}
	db.changes.wake()
}

// Services are DynamoDB and DynamoDB Streams, to be mounted on one port.
func (db *DB) Services() []*awsjson.Service {
	const namespace = "com.amazonaws.dynamodb.v20120810"
	return []*awsjson.Service{
		{Name: "DynamoDB", Prefix: "DynamoDB_20120810", Namespace: namespace, Version: "1.0", Operations: db.tableOperations()},
		{Name: "DynamoDBStreams", Prefix: "DynamoDBStreams_20120810", Namespace: namespace, Version: "1.0", Operations: db.streamOperations()},
	}
}

func (db *DB) tableOperations() map[string]awsjson.Operation {
	return map[string]awsjson.Operation{
		"CreateTable":        operation(db.createTable),
		"DescribeTable":      operation(db.describeTable),
		"ListTables":         operation(db.listTables),
		"DeleteTable":        operation(db.deleteTable),
		"UpdateTable":        operation(db.updateTable),
		"UpdateTimeToLive":   operation(db.updateTimeToLive),
		"DescribeTimeToLive": operation(db.describeTimeToLive),
		"TagResource":        operation(db.tagResource),
		"UntagResource":      operation(db.untagResource),
		"ListTagsOfResource": operation(db.listTagsOfResource),
		"PutItem":            operation(db.putItem),
		"GetItem":            operation(db.getItem),
		"UpdateItem":         operation(db.updateItem),
		"DeleteItem":         operation(db.deleteItem),
		"BatchWriteItem":     operation(db.batchWriteItem),
		"BatchGetItem":       operation(db.batchGetItem),
		"TransactWriteItems": operation(db.transactWriteItems),
		"TransactGetItems":   operation(db.transactGetItems),
		"Query":              operation(db.query),
		"Scan":               operation(db.scan),
	}
}

func (db *DB) streamOperations() map[string]awsjson.Operation {
	return map[string]awsjson.Operation{
		"ListStreams":      operation(db.listStreams),
		"DescribeStream":   operation(db.describeStream),
		"GetShardIterator": operation(db.getShardIterator),
		"GetRecords":       operation(db.getRecords),
	}
}
