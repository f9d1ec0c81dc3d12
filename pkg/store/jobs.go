package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// ErrNotFound is returned where no such job exists, or no longer.
var ErrNotFound = errors.New("store: no such job")

// A Config tells how Jobs keeps jobs. The zero value of each field but Driver
// means its default.
type Config struct {
	// Driver reads and writes the rows.
	Driver Driver
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Random draws ids and tokens; default crypto/rand.Reader.
	Random io.Reader
	// Jitter spreads the waits between tries of a transaction, in [0, 1);
	// default math/rand/v2.
	Jitter func() float64
	// Pause waits for a time or until the context ends, with its error;
	// default a timer.
	Pause func(ctx context.Context, d time.Duration) error
}

// Jobs is the table of jobs. It may be used by many goroutines.
type Jobs struct {
	driver Driver
	now    func() time.Time
	random io.Reader
	jitter func() float64
	pause  func(ctx context.Context, d time.Duration) error
}

// New makes Jobs.
func New(config Config) (*Jobs, error) {
	if config.Driver == nil {
		return nil, errors.New("store: no driver: use dynamo.New or memstore.New")
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Random == nil {
		config.Random = rand.Reader
	}
	if config.Jitter == nil {
		config.Jitter = mathrand.Float64
	}
	if config.Pause == nil {
		config.Pause = pause
	}
	return &Jobs{
		driver: config.Driver, now: config.Now, random: config.Random,
		jitter: config.Jitter, pause: config.Pause,
	}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// NewID draws an id for a job.
func (j *Jobs) NewID() (job.ID, error) { return job.NewID(j.random) }

// NewToken draws a token for a lease. It is made before the claim is sent.
func (j *Jobs) NewToken() (string, error) {
	id, err := job.NewID(j.random)
	return string(id), err
}

// Get reads a job, consistently: what was written before is seen. A job whose
// time to live has passed counts as gone.
func (j *Jobs) Get(ctx context.Context, id job.ID) (Record, error) {
	item, err := j.driver.Get(ctx, KeyOf(id))
	if err != nil {
		return Record{}, fmt.Errorf("store: reading job %s: %w", id, err)
	}
	return j.present(id, item)
}

// present decodes a row that may be absent or expired.
func (j *Jobs) present(id job.ID, item Item) (Record, error) {
	if item == nil {
		return Record{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	rec, err := Decode(item)
	if err != nil {
		return Record{}, err
	}
	if rec.Gone(j.now()) {
		return Record{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return rec, nil
}

// write makes one conditional write of a job's row. Where the condition failed,
// lost is true and the record is the row as it was (with State None where there
// was none); else it is the row as it is now.
func (j *Jobs) write(ctx context.Context, doing string, id job.ID, w Write) (rec Record, lost bool, err error) {
	item, err := j.driver.Write(ctx, w)
	if err != nil {
		var failed *ConditionError
		if !errors.As(err, &failed) {
			return Record{}, false, fmt.Errorf("store: %s job %s: %w", doing, id, err)
		}
		lost, item = true, failed.Old
	}
	if item == nil {
		return Record{ID: id}, lost, nil
	}
	rec, err = Decode(item)
	rec.key = w.Key
	return rec, lost, err
}

func ignoreNotFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
