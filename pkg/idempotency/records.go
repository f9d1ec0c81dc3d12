package idempotency

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Defaults and bounds of a Config.
const (
	// DefaultRetention outlives the retries of a job with the default policy
	// (42 days at most), the time that it is kept when dead (28 days), and a
	// redrive: an effect of its first attempt is found by its last.
	DefaultRetention = 90 * 24 * time.Hour
	// DefaultLease is as long as a Lambda function may run.
	// https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html
	DefaultLease = 15 * time.Minute
	// DefaultMaxResult is the limit of answers in rows, in bytes of JSON.
	DefaultMaxResult = 256 << 10
	// DefaultMaxResultWithObjects is that limit where larger ones go elsewhere.
	DefaultMaxResultWithObjects = claimcheck.DefaultOver
	// ObjectPrefix is how the keys of answers in Objects begin.
	ObjectPrefix = "once/"
	// MostMaxResult leaves room for the rest of a row of 400 KB.
	MostMaxResult = 390 << 10
)

// Objects keeps answers that are too large for a row; *claimcheck.Objects is one.
// Its methods may be called by many goroutines.
type Objects interface {
	// Put keeps a value under a key that nobody else uses, and gives the claim
	// to it. Errors: claimcheck.ErrTooLarge, and others that may go away.
	Put(ctx context.Context, key string, value []byte) (lifecycle.Object, error)
	// Get fetches it. Errors: claimcheck.ErrNotFound and ErrDamaged, and others
	// that may go away.
	Get(ctx context.Context, claim lifecycle.Object) ([]byte, error)
}

// A Config tells how Records keeps records. The zero value of each field but
// Driver means its default.
type Config struct {
	// Driver reads and writes the table. Required.
	Driver store.Driver
	// Objects takes answers larger than MaxResult; default none: they are not
	// kept (ErrNotKept). Where it does not answer, those up to MostMaxResult are
	// kept in the row. Their keys begin with ObjectPrefix. Nobody deletes them
	// but a rule of the bucket's lifecycle, which must leave them Retention.
	Objects Objects
	// Retention is how long an answer is given again, from the end of fn, in
	// whole seconds; default DefaultRetention.
	Retention time.Duration
	// Lease is how long a claim holds at least. Default: until the context's
	// deadline, or for DefaultLease where it has none. A third party that may
	// take an hour to show an effect wants an hour: a successor of a dead owner
	// then comes that late.
	Lease time.Duration
	// MaxResult is the largest answer that is kept in the row, in bytes of JSON,
	// up to MostMaxResult; default DefaultMaxResult, or
	// DefaultMaxResultWithObjects.
	MaxResult int
	// Now is the clock; default time.Now. Deadlines of contexts are always the
	// machine's.
	Now func() time.Time
	// Random draws tokens; default crypto/rand.Reader.
	Random io.Reader
	// Logger is told of claims that were taken over and of answers that were not
	// kept; default slog.Default().
	Logger *slog.Logger
}

// Records is the table's idempotency records. It holds no state of any call and
// may be used by many goroutines, nested calls included.
type Records struct{ config Config }

// New makes Records. It reports every mistake in the configuration at once.
func New(config Config) (*Records, error) {
	var problems []error
	if config.Driver == nil {
		problems = append(problems, errors.New("idempotency: no driver: use dynamo.New or memstore.New"))
	}
	if config.Retention < 0 || config.Retention > 0 && config.Retention < time.Second {
		problems = append(problems, fmt.Errorf("idempotency: Retention %v: at least a second", config.Retention))
	}
	if config.Lease < 0 {
		problems = append(problems, fmt.Errorf("idempotency: Lease %v is negative", config.Lease))
	}
	if config.MaxResult < 0 || config.MaxResult > MostMaxResult {
		problems = append(problems, fmt.Errorf("idempotency: MaxResult %d: a row holds up to %d", config.MaxResult, MostMaxResult))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &Records{config.withDefaults()}, nil
}

func (c Config) withDefaults() Config {
	if c.Retention == 0 {
		c.Retention = DefaultRetention
	}
	if c.MaxResult == 0 {
		c.MaxResult = DefaultMaxResult
		if c.Objects != nil {
			c.MaxResult = DefaultMaxResultWithObjects
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}
