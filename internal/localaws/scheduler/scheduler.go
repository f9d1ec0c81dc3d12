// Package scheduler is a local Amazon EventBridge Scheduler: schedules and their
// groups behind the REST protocol of the AWS SDKs, and the firing of them into SQS
// queues and Lambda functions.
//
// Expressions are read by pkg/schedule and fired by internal/runner/scheduler, whose
// documentation says what a kill leaves. It follows
// https://docs.aws.amazon.com/scheduler/latest/APIReference/ where that is definite.
// Known differences: occurrences fire within a second and at the beginning of a
// flexible time window; roles and keys are not looked at; other targets than queues
// and functions, and tags, are refused.
package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// Config sets a DB up.
type Config struct {
	// Path is the file in which schedules are kept. Required.
	Path string
	// Clock is the stack's clock; nil means the machine's.
	Clock *clock.Clock
	// Now is the clock in the place of Clock's; nil means Clock's.
	Now func() time.Time
	// Sleep waits in the place of Clock; nil means Clock does.
	Sleep func(context.Context, time.Duration) error
	// Region and AccountID stand in ARNs; "" means us-east-1 and 000000000000.
	Region, AccountID string
	// Send sends a message to a queue; group is "" but for FIFO queues. An error
	// that wraps ErrNoTarget is final. Required.
	Send func(ctx context.Context, queueARN, body, group string, attributes map[string]string) error
	// Invoke hands an event to a function asynchronously, and calls concluded when
	// it has come to its end. Nil means that there are no functions.
	Invoke func(ctx context.Context, functionARN string, payload []byte, concluded func()) error
	// Log takes what people should know; nil drops it.
	Log func(message string)
}

// ErrNoTarget means that a schedule's target isn't there.
var ErrNoTarget = errors.New("scheduler: there is no such target")

// A DB holds schedules. It is an http.Handler, safe for concurrent use.
type DB struct {
	cfg  Config
	bolt *bolt.DB

	ctx    context.Context // of what fires
	cancel context.CancelFunc
	firing sync.WaitGroup

	mu      sync.Mutex        // over changes, and what is below
	running map[string]firing // by the schedule's key
	fires   bool
	deleted map[string]string // tokens of deletions, by key
}

// Open opens the file, making it if it isn't there. Nothing fires before Fire.
func Open(cfg Config) (*DB, error) {
	if cfg.Path == "" || cfg.Send == nil {
		return nil, errors.New("scheduler: configuration: Path or Send is missing")
	}
	if cfg.Now == nil {
		cfg.Now = cfg.Clock.Now
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	if cfg.AccountID == "" {
		cfg.AccountID = "000000000000"
	}
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	db := &DB{cfg: cfg, running: map[string]firing{}, deleted: map[string]string{}}
	db.ctx, db.cancel = context.WithCancel(context.Background())
	if err := db.open(); err != nil {
		return nil, fmt.Errorf("scheduler: opening %s: %w", cfg.Path, err)
	}
	return db, nil
}

// Fire lets schedules fire, those that were kept and those that will be made.
func (db *DB) Fire() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.fires = true
	all, err := db.schedules()
	if err != nil {
		return fmt.Errorf("scheduler: reading schedules: %w", err)
	}
	for _, s := range all {
		db.start(s)
	}
	return nil
}

// Close stops the firing and closes the file.
func (db *DB) Close() error {
	db.cancel()
	db.firing.Wait()
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("scheduler: closing %s: %w", db.cfg.Path, err)
	}
	return nil
}

func (db *DB) arn(group, name string) string {
	return fmt.Sprintf("arn:aws:scheduler:%s:%s:schedule/%s/%s", db.cfg.Region, db.cfg.AccountID, group, name)
}

func (db *DB) groupARN(name string) string {
	return fmt.Sprintf("arn:aws:scheduler:%s:%s:schedule-group/%s", db.cfg.Region, db.cfg.AccountID, name)
}

func (db *DB) epoch() float64 { return float64(db.cfg.Now().UnixMilli()) / 1000 }
