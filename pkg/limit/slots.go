package limit

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"time"

	"github.com/nightshift-go/nightshift/pkg/store"
)

const (
	// DefaultSlotLease is how long a slot is held without being renewed: as long
	// as a Lambda function may run.
	DefaultSlotLease = 15 * time.Minute
	// MostAtOnce is the largest SlotsConfig.AtOnce: a row holds no more slots
	// within reason. Each that is taken adds about 60 bytes, and a write costs a
	// unit for each KB of the row.
	MostAtOnce = 200

	shortestSlotLease = 10 * time.Second
)

// A SlotsConfig says how many may work at once.
type SlotsConfig struct {
	// Driver reaches the jobs table. Required.
	Driver store.Driver
	// Name tells the limit from others: see BucketConfig.Name. Required.
	Name string
	// AtOnce is how many may work for a key at once, across all processes: 1 to
	// MostAtOnce. Required.
	AtOnce int
	// Lease is how long a slot is held at most without being renewed; work with
	// a later deadline, or none, renews it. Zero means DefaultSlotLease. It is
	// at least ten seconds.
	Lease time.Duration
	// LongestWait is the longest that a job is sent away for (Handler), at most
	// MostLongestWait; zero means DefaultLongestWait.
	LongestWait time.Duration
	// Now is the clock; default time.Now. Deadlines of contexts are always the
	// machine's.
	Now func() time.Time
	// Random draws tokens; default crypto/rand.Reader.
	Random io.Reader
	// Jitter gives numbers in [0, 1) by which waits are spread; default
	// math/rand/v2. It may be called by many goroutines.
	Jitter func() float64
	// Logger is told of slots that could not be given back; default
	// slog.Default().
	Logger *slog.Logger
}

// Slots hands out a number of slots for each key. It may be used by many goroutines.
type Slots struct{ config SlotsConfig }

// NewSlots makes Slots. It reports every mistake in the configuration at once.
func NewSlots(config SlotsConfig) (*Slots, error) {
	problems := []error{checkName(config.Name)}
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("limit: slots %q: "+format, append([]any{config.Name}, args...)...))
	}
	if config.Driver == nil {
		bad("no driver: use dynamo.New or memstore.New")
	}
	if config.AtOnce < 1 || config.AtOnce > MostAtOnce {
		bad("AtOnce is %d: it lies between 1 and %d", config.AtOnce, MostAtOnce)
	}
	if config.Lease != 0 && config.Lease < shortestSlotLease {
		bad("Lease is %v: at least %v", config.Lease, shortestSlotLease)
	}
	if config.LongestWait < 0 || config.LongestWait > MostLongestWait {
		bad("LongestWait is %v: it is 0 (the default) or more, and at most %v", config.LongestWait, MostLongestWait)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if config.Lease == 0 {
		config.Lease = DefaultSlotLease
	}
	if config.LongestWait == 0 {
		config.LongestWait = DefaultLongestWait
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
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	return &Slots{config}, nil
}
