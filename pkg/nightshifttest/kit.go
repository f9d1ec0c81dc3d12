package nightshifttest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// DefaultMost is how many deliveries a call may take until it counts as endless.
const DefaultMost = 10_000

// DefaultStart is the time at which a kit begins: a Monday morning.
var DefaultStart = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// A Config says what a kit is like. The zero value of each field means its default.
type Config struct {
	// Start is the time at first; default DefaultStart.
	Start time.Time
	// Now is a clock that the kit's goes on with, and that Advance puts it ahead
	// of: time.Now in a bubble of testing/synctest. Start has no meaning then.
	// Default: the kit's clock stands still until it is moved.
	Now func() time.Time
	// Seed makes ids, tokens, waits and the order of Shuffle: the same seed, the
	// same run.
	Seed uint64
	// Shuffle delivers what is due in any order that the queues permit (in a FIFO
	// queue the jobs of a group keep theirs), by the Seed.
	Shuffle bool
	// Duplicates has the process of each job's first run die after the handler
	// returned and before that was written down: the job is run again, as its
	// second attempt, since a death costs one. Runs whose end was written in time
	// are not repeated (worker.Commit), nor are those of jobs with one attempt.
	Duplicates bool
	// Batches hands as many messages to an invocation as Queue.Batch says, whose
	// jobs run side by side up to Queue.Bound. By default, and with Duplicates,
	// messages come one at a time, so that jobs run in the same order each time.
	Batches bool
	// Tables are the tables that handlers commit to, besides the jobs table: their
	// key attributes by the table's name.
	Tables map[string][]string
	// Topics are those whose events are brought to their subscribers: to the handlers
	// made with worker.On that Serve is given (an event that is brought before that
	// finds nobody). Events of others stay in the outbox.
	Topics []job.Topic
	// Most is how many deliveries a call of Drain, Advance or RunAll may take;
	// default DefaultMost.
	Most int
	// Metrics and Tracer are the producer's, the relay's and the workers', for tests of
	// what is measured and traced; default none.
	Metrics telemetry.Recorder
	Tracer  telemetry.Tracer
	// Logger takes what the relay and the workers log; default: warnings and
	// errors go to the test's output.
	Logger *slog.Logger
}

func (c Config) withDefaults(t testing.TB) Config {
	if c.Start.IsZero() {
		c.Start = DefaultStart
	}
	if c.Most == 0 {
		c.Most = DefaultMost
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: withoutTime}))
	}
	return c
}

// withoutTime drops the machine's time, which would differ in each run.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// A Kit is a stack in memory. Its fields may be used by many goroutines, handlers
// among them; its methods, but for Now, by the test's alone.
type Kit struct {
	// Producer enqueues jobs of the kit's tasks.
	Producer *producer.Producer
	// Jobs is the table, for cancellations and for code that takes it.
	Jobs *store.Jobs
	// Outbox writes transactions: rows, jobs and events.
	Outbox *outbox.Outbox
	// Objects is where large arguments and results go.
	Objects *claimcheck.Objects

	t      testing.TB
	config Config
	clock  *clock
	random *source
	table  *recorder
	sqs    *sqssim.SQS
	topics *topics
	queues []*simQueue
	// tasks are the definitions by name, served those that have a handler.
	tasks     map[string]job.Definition
	served    map[string]bool
	relay     *relay.Relay
	backstop  *sweep.Backstop
	schedules []*scheduled
	journal   journal
	// relayed is the relay's place in the table's stream.
	relayed int
	// left is how many deliveries the present call may still take.
	left int
	// died are the jobs whose first process died (Duplicates).
	died map[job.ID]bool
}

// New makes a kit for these tasks. Mistakes in their definitions, and in the
// configuration, end the test.
func New(t testing.TB, config Config, tasks ...job.Defined) *Kit {
	t.Helper()
	config = config.withDefaults(t)
	k := &Kit{
		t: t, config: config, clock: &clock{base: config.Now, at: config.Start.UTC().Truncate(time.Millisecond)},
		random: newSource(config.Seed, 1), tasks: map[string]job.Definition{}, served: map[string]bool{}, died: map[job.ID]bool{},
		table: &recorder{Driver: memstore.New(memstore.Config{Tables: config.Tables})},
	}
	k.journal.start = k.Now()
	k.Objects = made(claimcheck.New(memobjects.New(k.Now))).or(k)
	k.Jobs = k.jobsOn(k.table)
	k.Producer = made(producer.New(producer.Config{Jobs: k.Jobs, Objects: k.Objects, Metrics: config.Metrics, Tracer: config.Tracer, Now: k.Now}, tasks...)).or(k)
	k.Outbox = made(outbox.New(outbox.Config{Jobs: k.Jobs, Producer: k.Producer})).or(k)
	sim := sqssim.Config{Now: k.Now}
	if config.Shuffle {
		sim.Pick = newSource(config.Seed, 2).pick
	}
	k.sqs = sqssim.New(sim)
	k.addQueues(tasks)
	k.topics = &topics{kit: k}
	k.relay = made(relay.New(relay.Config{
		Jobs: k.Jobs, Queue: queue.New(k.sqs), Addresses: k.addresses(), Topics: k.topics, TopicARNs: config.arns(),
		Metrics: config.Metrics, Tracer: config.Tracer, Logger: config.Logger, Now: k.Now, Random: k.random.float,
	})).or(k)
	k.backstop = made(sweep.NewBackstop(sweep.BackstopConfig{
		Jobs: k.Jobs, Queue: queue.New(k.sqs), Beside: k.queues[0].address, Logger: config.Logger, Now: k.Now,
	})).or(k)
	return k
}

// Now is the clock under test.
func (k *Kit) Now() time.Time { return k.clock.Now() }

// Driver is the kit's table, for what keeps rows there besides the jobs: package limit.
func (k *Kit) Driver() store.Driver { return k.table }

// Idempotency gives records for idempotency.Once, in the kit's table.
func (k *Kit) Idempotency() *idempotency.Records {
	k.t.Helper()
	return made(idempotency.New(idempotency.Config{
		Driver: k.table, Objects: k.Objects, Now: k.Now, Random: k.random, Logger: k.config.Logger,
	})).or(k)
}

// Put writes a row into one of Config.Tables ("" is the jobs table).
func (k *Kit) Put(table string, row store.Item) {
	k.t.Helper()
	if _, err := k.table.Write(context.Background(), store.Write{Op: store.Put, Table: table, Item: row}); err != nil {
		k.t.Fatalf("nightshifttest: writing a row into table %q: %v", table, err)
	}
}

// Table gives one of Config.Tables as a driver, for the code under test that reads
// it: its keys have to be those of the jobs table, "pk" and "sk". Others end the
// test.
func (k *Kit) Table(name string) store.Driver {
	k.t.Helper()
	return made(k.table.Table(name)).or(k)
}

// Rows gives every row of one of Config.Tables ("" is the jobs table), in no order.
func (k *Kit) Rows(table string) []store.Item { return k.table.RowsIn(table) }

// jobsOn makes the jobs table of a driver.
func (k *Kit) jobsOn(driver store.Driver) *store.Jobs {
	k.t.Helper()
	// Nothing is throttled and nobody competes: no transaction is worth a wait.
	pause := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return made(store.New(store.Config{Driver: driver, Now: k.Now, Random: k.random, Jitter: k.random.float, Pause: pause})).or(k)
}

// A maker is what a constructor gave.
type maker[T any] struct {
	made T
	err  error
}

func made[T any](made T, err error) maker[T] { return maker[T]{made, err} }

// or gives what was made, or ends the test.
func (m maker[T]) or(k *Kit) T {
	k.t.Helper()
	if m.err != nil {
		k.t.Fatalf("nightshifttest: %v", m.err)
	}
	return m.made
}
