// Package streamsource reads a DynamoDB stream and invokes a function with its
// records, as an event source mapping of Lambda does: in order, a failing batch
// holding up its shard until it succeeds, is used up or grows too old.
//
// https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
package streamsource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
	"github.com/nightshift-go/nightshift/internal/runner/filter"
	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// Client is the part of DynamoDB Streams that a source uses;
// *dynamodbstreams.Client is one.
type Client interface {
	DescribeStream(context.Context, *dynamodbstreams.DescribeStreamInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error)
	GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(context.Context, *dynamodbstreams.GetRecordsInput, ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

// Invoker runs the function; *lambdaruntime.Function is one.
type Invoker interface {
	Invoke(ctx context.Context, payload []byte) (lambdaruntime.Result, error)
}

// Checkpoints remember how far each shard has been read.
type Checkpoints interface {
	// Load gives the sequence number saved for a shard, or "".
	Load(mapping, shard string) (string, error)
	// Save remembers that everything up to sequence is dealt with.
	Save(mapping, shard, sequence string) error
}

// retention is how long DynamoDB keeps a stream's records.
const retention = 24 * time.Hour

// Config describes a mapping. Names and ranges are Lambda's.
// https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
type Config struct {
	// UUID is the mapping's id; it stands in the keys of failure records.
	UUID string
	// StreamARN, FunctionARN and Region stand in events and failure records.
	StreamARN, FunctionARN, Region string
	// StartingPosition is TRIM_HORIZON or LATEST, for a shard without checkpoint.
	StartingPosition string
	// BatchSize is the most records of an event; zero means 100.
	BatchSize int
	// Window is how long to wait for a batch to fill.
	Window time.Duration
	// ParallelizationFactor is the number of batches of a shard under way at
	// once, records of one item always in one; zero means 1.
	ParallelizationFactor int
	// BisectOnError halves a batch whose invocation failed.
	BisectOnError bool
	// MaximumRetryAttempts bounds the retries of a batch; nil or -1: no bound.
	MaximumRetryAttempts *int
	// MaximumRecordAge bounds the age of a record; zero means 24 hours, when
	// the stream drops it.
	MaximumRecordAge time.Duration
	// ReportBatchItemFailures tells that the function answers which records
	// failed; without it the answer is ignored.
	ReportBatchItemFailures bool
	// Filter chooses records; others are passed over.
	Filter *filter.Filter
	// OnFailure takes discarded batches; nil drops them.
	OnFailure Destination
	// PollInterval is the wait between reads of an empty shard; zero means
	// 250 ms, as in Lambda.
	PollInterval time.Duration
	// RetryBase is the wait before the first retry; it doubles up to 60 times
	// that. Zero means 1 second.
	RetryBase time.Duration
	// Log takes what people should know; nil drops it.
	Log func(message string)
	// Clock is the stack's clock; nil means the machine's.
	Clock *clock.Clock
	// Changed gives a channel that closes when a record is written; nil means that the
	// stream has to be polled. Under a clock that isn't the machine's it is needed: the
	// time of a poll would be hours.
	Changed func() <-chan struct{}
	// Now is the clock in the place of Clock's; nil means Clock's.
	Now func() time.Time
	// Sleep waits in the place of Clock; nil means Clock does.
	Sleep func(context.Context, time.Duration) error
}

// A Source reads one stream.
type Source struct {
	config      Config
	client      Client
	invoker     Invoker
	checkpoints Checkpoints

	mu      sync.Mutex
	resting int    // readers
	unread  func() // releases the clock that Stir holds; nil where it holds none
}

// New checks a mapping. The error joins all that Lambda would refuse.
func New(config Config, client Client, invoker Invoker, checkpoints Checkpoints) (*Source, error) {
	config.BatchSize = cmp.Or(config.BatchSize, 100)
	config.ParallelizationFactor = cmp.Or(config.ParallelizationFactor, 1)
	config.PollInterval = cmp.Or(config.PollInterval, 250*time.Millisecond)
	config.RetryBase = cmp.Or(config.RetryBase, time.Second)
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if config.Now == nil {
		config.Now = config.Clock.Now
	}
	if config.Sleep == nil {
		config.Sleep = config.Clock.Sleep
	}
	if err := config.check(); err != nil {
		return nil, fmt.Errorf("streamsource: the mapping of %s: %w", config.StreamARN, err)
	}
	config.MaximumRecordAge = min(cmp.Or(config.MaximumRecordAge, retention), retention)
	return &Source{config: config, client: client, invoker: invoker, checkpoints: checkpoints}, nil
}

func (c *Config) check() error {
	var errs []error
	if c.StartingPosition != "TRIM_HORIZON" && c.StartingPosition != "LATEST" {
		errs = append(errs, fmt.Errorf("the starting position %q is neither TRIM_HORIZON nor LATEST", c.StartingPosition))
	}
	within := func(name string, value, least, most int) {
		if value < least || value > most {
			errs = append(errs, fmt.Errorf("%s %d is not within %d and %d", name, value, least, most))
		}
	}
	within("the batch size", c.BatchSize, 1, 10_000)
	within("the batching window in seconds", int(c.Window/time.Second), 0, 300)
	within("the parallelization factor", c.ParallelizationFactor, 1, 10)
	if c.MaximumRetryAttempts != nil {
		within("the maximum of retries", *c.MaximumRetryAttempts, -1, 10_000)
	}
	if c.MaximumRecordAge != 0 {
		within("the maximum record age in seconds", int(c.MaximumRecordAge/time.Second), 60, 604_800)
	}
	return errors.Join(errs...)
}
