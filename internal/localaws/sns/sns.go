// Package sns is a local Amazon SNS: standard and FIFO topics whose subscribers are
// SQS queues, behind the wire protocol of the AWS SDKs, kept in one file that
// survives the death of the process (not the loss of power).
//
// It follows the SNS Developer Guide and API Reference
// (https://docs.aws.amazon.com/sns/latest/api/) where they are definite. A publish
// writes what is to be delivered before it delivers and before it answers, so that
// what was answered reaches every queue; after a crash, a queue may get it twice.
//
// Known differences: changes of a filter policy hold at once, not within 15 minutes;
// access policies are kept and returned only, so a queue whose policy doesn't let SNS
// send gets its messages here and not in AWS; nothing is signed: envelopes carry a
// signature that no one can verify; there is no archive and no subscriber but SQS.
package sns

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Config sets a DB up.
type Config struct {
	// Path is the file in which topics, subscriptions and what is to be delivered
	// are kept. Required.
	Path string
	// Send puts messages into the queue with an ARN, in their order, and gives an
	// error, or nil, for each in its place; one that wraps ErrRefused is for good.
	// It is called with one call at a time. Required.
	Send func(ctx context.Context, queueARN string, messages []Outgoing) []error
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Region stands in ARNs; "" means us-east-1.
	Region string
	// AccountID stands in ARNs; "" means 000000000000.
	AccountID string
	// RetryEvery is the wait between attempts to deliver what a queue didn't take
	// for now; zero means a second.
	RetryEvery time.Duration
	// Log takes what happens to messages that no queue takes; nil drops it.
	Log func(message string)
}

// ErrRefused means that a queue refuses a message, or is not there: to deliver it
// again is of no use.
var ErrRefused = errors.New("sns: the queue refuses the message")

// A DB holds topics. It is an http.Handler, safe for concurrent use.
type DB struct {
	cfg  Config
	bolt *bolt.DB

	mu            sync.Mutex // over everything below
	topics        map[string]*topic
	subscriptions map[string]*subscription
	waiting       []*pending // to be delivered, in the order of their publication
	closed        bool

	done    chan struct{} // closed by Close
	retrier sync.WaitGroup
}

// Open opens the file, making it if it isn't there, and delivers what a process that
// died owed.
func Open(cfg Config) (*DB, error) {
	if cfg.Path == "" || cfg.Send == nil {
		return nil, errors.New("sns: configuration: Path and Send are required")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	if cfg.AccountID == "" {
		cfg.AccountID = "000000000000"
	}
	if cfg.RetryEvery == 0 {
		cfg.RetryEvery = time.Second
	}
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	db := &DB{cfg: cfg, topics: map[string]*topic{}, subscriptions: map[string]*subscription{}, done: make(chan struct{})}
	if err := db.load(); err != nil {
		return nil, fmt.Errorf("sns: opening %s: %w", cfg.Path, err)
	}
	db.retrier.Go(db.retry)
	return db, nil
}

// Close ends deliveries and closes the file. What is not delivered yet is delivered
// after the next Open.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil
	}
	db.closed = true
	close(db.done)
	db.mu.Unlock()
	db.retrier.Wait()
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("sns: closing %s: %w", db.cfg.Path, err)
	}
	return nil
}

var errClosed = errors.New("sns: the store is closed")

// operations by AWS's names. Each is called with the mutex held.
var operations = map[string]func(*DB, call) (any, error){
	"CreateTopic": (*DB).createTopic, "DeleteTopic": (*DB).deleteTopic, "ListTopics": (*DB).listTopics,
	"GetTopicAttributes": (*DB).getTopicAttributes, "SetTopicAttributes": (*DB).setTopicAttributes,
	"Subscribe": (*DB).subscribe, "Unsubscribe": (*DB).unsubscribe,
	"ListSubscriptions": (*DB).listSubscriptions, "ListSubscriptionsByTopic": (*DB).listSubscriptionsByTopic,
	"GetSubscriptionAttributes": (*DB).getSubscriptionAttributes, "SetSubscriptionAttributes": (*DB).setSubscriptionAttributes,
	"Publish": (*DB).publish, "PublishBatch": (*DB).publishBatch,
	"TagResource": (*DB).tagResource, "UntagResource": (*DB).untagResource, "ListTagsForResource": (*DB).listTags,
}

// A call is one request.
type call struct {
	form
	trace string // of the X-Ray header
}

// Serves tells whether there is an operation of that name.
func Serves(operation string) bool { return operations[operation] != nil }

// ServeHTTP answers one call.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, err := readForm(w, r)
	if err != nil {
		Write(w, err)
		return
	}
	name := f.get("Action")
	run, ok := operations[name]
	if !ok {
		Write(w, &Error{Code: "InvalidAction", Message: fmt.Sprintf("SNS: the local endpoint does not support the operation %q.", name)})
		return
	}
	result, err := db.run(run, call{form: f, trace: r.Header.Get("X-Amzn-Trace-Id")})
	if err != nil {
		Write(w, err)
		return
	}
	answer(w, name, result)
}

func (db *DB) run(operation func(*DB, call) (any, error), c call) (any, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, errClosed
	}
	return operation(db, c)
}
