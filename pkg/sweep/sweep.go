package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Times and sizes that the sweep keeps to.
const (
	// Ahead is how far ahead of its time a job is promoted: until the next
	// run, and one more in case that fails. SQS holds the message back.
	Ahead = 2 * time.Minute
	// FarAhead is how far ahead a crowded minute is begun: a minute of which one
	// shard has Crowd jobs or more, some 800 in all. What a run can't promote is
	// left to the next ones, and SQS holds messages back for fifteen minutes.
	FarAhead = 12 * time.Minute
	Crowd    = 50
	// Settling is how long after its end a minute is still read: writes and
	// the index lag behind.
	Settling = 2 * time.Minute
	// FirstLookBack is where the first run of all begins; what is older is
	// found by the scan.
	FirstLookBack = time.Hour
	// Segments is into how many parts the scan divides the table. A run does one
	// and, while it has read fewer than RowsPerRun rows, further ones, at most
	// SegmentsPerRun: a small table is gone through in an hour, a large one in
	// twelve, since each pass is paid for by the size of the table.
	Segments       = 720
	SegmentsPerRun = 12
	RowsPerRun     = 500
	// StopBefore is when a run stops before its deadline; the next goes on.
	StopBefore = 3 * time.Second
	// Parallel is how many reads or writes are under way at once.
	Parallel = 32
)

// Depths counts what waits in queues; *queue.SQS does.
type Depths interface {
	Depth(ctx context.Context, url string) (queue.Depth, error)
}

// A Config tells what a sweep works with.
type Config struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// Plans are what is known of the queues, by their names; see
	// sizing.ForTasks. A queue without a plan is given DefaultPatience.
	Plans map[string]sizing.Plan
	// Depths counts messages. Without it, or without a queue's address, it can't
	// be told whether the queue is empty, and UncountedPatience holds.
	Depths Depths
	// Addresses says where queues are, by their names.
	Addresses map[string]queue.Address
	// Waits are how long the scan waits before it takes something for lost. Its
	// zero value suits functions and queues whose times are in minutes.
	Waits Waits
	// SegmentsPerRun is the most that a run scans; default SegmentsPerRun.
	SegmentsPerRun int
	// Objects is where arguments and results are that are too large for their
	// rows; those that no row names any more are deleted. Without it none are.
	Objects *claimcheck.Objects
	// Metrics takes what is measured, and is flushed at the end of each run; nil
	// measures nothing.
	Metrics telemetry.Recorder
	// Logger takes what was done; default slog.Default().
	Logger *slog.Logger
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// A Sweep finds what is due and heals what was lost. It keeps nothing between
// runs: marks in the table say how far it got. Two runs at once do no harm.
type Sweep struct{ config Config }

// New makes a Sweep. Every mistake is reported at once.
func New(config Config) (*Sweep, error) {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.SegmentsPerRun == 0 {
		config.SegmentsPerRun = SegmentsPerRun
	}
	config.Waits = config.Waits.withDefaults()
	if config.SegmentsPerRun < 0 {
		return nil, fmt.Errorf("sweep: SegmentsPerRun is %d: it is 0 (the default) or more", config.SegmentsPerRun)
	}
	if config.Jobs == nil {
		return nil, errors.New("sweep: Jobs is missing")
	}
	return &Sweep{config: config}, nil
}

// Handle makes one run. It takes no notice of the event: a schedule's says
// nothing but the time. The promotion of what is due, the release of what was spilled,
// the scan and the collection of objects run side by side, so that none starves another; an error of any is an
// error of the run, and the next does what was left.
func (s *Sweep) Handle(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-StopBefore))
		defer cancel()
	}
	healed, collected, released := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() { healed <- s.heal(ctx) }()
	go func() { released <- s.releaseSpilled(ctx) }()
	go func() { collected <- s.collect(ctx) }()
	due := s.promoteDue(ctx)
	err := errors.Join(due, <-healed, <-collected, <-released)
	telemetry.Flush(ctx, s.config.Metrics)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	return nil
}
