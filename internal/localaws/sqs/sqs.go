// Package sqs is a local Amazon SQS: standard and FIFO queues behind the wire
// protocol of the AWS SDKs, kept in one file that survives the death of the
// process (not the loss of power).
//
// It follows the SQS Developer Guide and API Reference
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/) where
// they are definite. Known differences: no duplicates and no reordering on
// standard queues, exact counts, no access policies (they are kept and returned
// only), no encryption, and a queue may be purged, or made again after its
// deletion, without AWS's wait of a minute.
package sqs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// Config sets a DB up.
type Config struct {
	// Path is the file in which queues and messages are kept. Required.
	Path string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// AfterFunc calls a function in a goroutine of its own after a time by that
	// clock, until it is stopped; nil means time.AfterFunc. Waiting calls wait by
	// the machine's clock.
	AfterFunc func(time.Duration, func()) (stop func() bool)
	// Ready is told, by a queue's ARN, when the first message can be received from
	// it, and when none can any more. It is called with the DB's mutex held. Without
	// it messages appear when somebody looks.
	Ready func(queueARN string, any bool)
	// BaseURL gives the address that queue URLs begin with. Nil means the
	// address by which each client reached the endpoint.
	BaseURL func() string
	// Region stands in queue ARNs; "" means us-east-1.
	Region string
	// AccountID stands in queue ARNs and URLs; "" means 000000000000.
	AccountID string
}

// A DB holds queues. It is safe for concurrent use.
type DB struct {
	cfg  Config
	bolt *bolt.DB

	mu     sync.Mutex // over everything below, and all queues
	queues map[string]*queue
	seq    uint64
	closed bool
	moves  map[string]*moveTask // running, by the ARN of the queue they empty
	movers sync.WaitGroup
	done   chan struct{} // closed by Close
}

var accountPattern = regexp.MustCompile(`^\d{12}$`)

// Open opens the file, making it if it isn't there.
func Open(cfg Config) (*DB, error) {
	var errs []error
	if cfg.Path == "" {
		errs = append(errs, errors.New("the path is missing"))
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.AfterFunc == nil {
		cfg.AfterFunc = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	if cfg.AccountID == "" {
		cfg.AccountID = "000000000000"
	}
	if !accountPattern.MatchString(cfg.AccountID) {
		errs = append(errs, fmt.Errorf("AccountID %q is not twelve digits", cfg.AccountID))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("sqs: configuration: %w", err)
	}
	db := &DB{cfg: cfg, queues: map[string]*queue{}, moves: map[string]*moveTask{}, done: make(chan struct{})}
	if err := db.load(); err != nil {
		return nil, fmt.Errorf("sqs: opening %s: %w", cfg.Path, err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, q := range db.queues {
		db.arm(q)
	}
	return db, nil
}

// Close ends waiting calls and closes the file.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	close(db.done)
	for _, q := range db.queues {
		q.wake(len(q.waiters))
		db.arm(q)
	}
	db.mu.Unlock()
	db.movers.Wait()
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("sqs: closing %s: %w", db.cfg.Path, err)
	}
	return nil
}

// Service gives the operations, by AWS's names.
func (db *DB) Service() *awsjson.Service {
	return &awsjson.Service{
		Name: "SQS", Prefix: "AmazonSQS", Namespace: "com.amazonaws.sqs", Version: "1.0",
		Operations: map[string]awsjson.Operation{
			"CreateQueue":                  awsjson.Handle(db.createQueue),
			"GetQueueUrl":                  awsjson.Handle(db.getQueueURL),
			"ListQueues":                   awsjson.Handle(db.listQueues),
			"DeleteQueue":                  awsjson.Handle(db.deleteQueue),
			"PurgeQueue":                   awsjson.Handle(db.purgeQueue),
			"GetQueueAttributes":           awsjson.Handle(db.getQueueAttributes),
			"SetQueueAttributes":           awsjson.Handle(db.setQueueAttributes),
			"TagQueue":                     awsjson.Handle(db.tagQueue),
			"UntagQueue":                   awsjson.Handle(db.untagQueue),
			"ListQueueTags":                awsjson.Handle(db.listQueueTags),
			"SendMessage":                  awsjson.Handle(db.sendMessage),
			"SendMessageBatch":             awsjson.Handle(db.sendMessageBatch),
			"ReceiveMessage":               awsjson.Handle(db.receiveMessage),
			"DeleteMessage":                awsjson.Handle(db.deleteMessage),
			"DeleteMessageBatch":           awsjson.Handle(db.deleteMessageBatch),
			"ChangeMessageVisibility":      awsjson.Handle(db.changeVisibility),
			"ChangeMessageVisibilityBatch": awsjson.Handle(db.changeVisibilityBatch),
			"ListDeadLetterSourceQueues":   awsjson.Handle(db.listDeadLetterSourceQueues),
			"StartMessageMoveTask":         awsjson.Handle(db.startMove),
			"ListMessageMoveTasks":         awsjson.Handle(db.listMoves),
			"CancelMessageMoveTask":        awsjson.Handle(db.cancelMove),
		},
	}
}

func (db *DB) now() int64 { return db.cfg.Now().UnixMilli() }

func (db *DB) arnOf(name string) string {
	return "arn:aws:sqs:" + db.cfg.Region + ":" + db.cfg.AccountID + ":" + name
}

func (db *DB) urlOf(ctx context.Context, name string) string {
	base := awsjson.BaseURL(ctx)
	if db.cfg.BaseURL != nil {
		base = db.cfg.BaseURL()
	}
	return strings.TrimSuffix(base, "/") + "/" + db.cfg.AccountID + "/" + name
}

// byURL finds the queue that a URL names, whatever its host, and brings its
// index up to now. The caller holds the mutex.
func (db *DB) byURL(queueURL string) (*queue, error) {
	if queueURL == "" {
		return nil, missingParameter("QueueUrl")
	}
	parts := strings.Split(strings.TrimSuffix(queueURL, "/"), "/")
	if len(parts) < 2 {
		return nil, &awsjson.Error{Code: "InvalidAddress", QueryCode: "InvalidAddress", Status: 404, Message: fmt.Sprintf("The address %s is not valid for this endpoint.", queueURL)}
	}
	if parts[len(parts)-2] != db.cfg.AccountID {
		return nil, noSuchQueue()
	}
	return db.byName(parts[len(parts)-1])
}

func (db *DB) byName(name string) (*queue, error) {
	if db.closed {
		return nil, errClosed
	}
	q := db.queues[name]
	if q == nil {
		return nil, noSuchQueue()
	}
	return q, db.tidy(q)
}

// byARN finds a queue, nil if there is none.
func (db *DB) byARN(arn string) *queue {
	name, ok := strings.CutPrefix(arn, db.arnOf(""))
	if !ok {
		return nil
	}
	return db.queues[name]
}

// tidy drops the messages that are past the retention period and makes visible
// what has become so.
func (db *DB) tidy(q *queue) error {
	now := db.now()
	var old []*message
	limit := now - int64(q.settings.retention)*1000
	for q.ages.len() > 0 && q.ages.first().Enqueued <= limit {
		old = append(old, q.ages.pop())
	}
	if len(old) > 0 {
		if err := db.drop(q, old); err != nil {
			for _, m := range old {
				q.ages.push(m)
			}
			return err
		}
	}
	q.settle(now)
	return nil
}

// drop deletes messages from the store and from the queue's index.
func (db *DB) drop(q *queue, messages []*message) error {
	err := db.write(func(tx *bolt.Tx) error {
		for _, m := range messages {
			if err := deleteMessage(tx, m.seq); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range messages {
		q.remove(m)
	}
	db.arm(q)
	return nil
}
