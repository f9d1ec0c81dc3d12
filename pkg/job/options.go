package job

import "time"

// Options are what a producer may say of one job.
type Options struct {
	// NotBefore is the earliest start; zero means at once.
	NotBefore time.Time
	// Delay is added to the time of enqueueing.
	Delay time.Duration
	// Group orders the jobs of a FIFO queue; required there.
	Group string
	// ID is the job's id where its producer makes it (idempotency keys); empty
	// means a new one.
	ID ID
	// Fingerprint goes with ID: the hash of the request that made it. A second
	// request of the same id and fingerprint gets the first one's job.
	Fingerprint string
	// Unique, where it is set, is the key that no other unfinished job of the
	// task may have.
	Unique *string
	// AsOf is when what the job is about was so; zero where nobody said.
	AsOf time.Time
	// Client is who asked, where an API told them apart.
	Client string
	// Trace is the trace header to carry along.
	Trace string
	// FollowUps are enqueued when the job ends (Then, Finally).
	FollowUps []FollowUp
	// Degraded, Spilled and OnlyReplacing are what an admission may ask for:
	// see Full.
	Degraded, Spilled, OnlyReplacing bool
	// Probe names who wants to know that the job was published; empty for most.
	Probe string
}

// An Option changes Options.
type Option func(*Options)

// In runs the job after d.
func In(d time.Duration) Option { return func(o *Options) { o.Delay = d } }

// At runs the job at t.
func At(t time.Time) Option { return func(o *Options) { o.NotBefore = t } }

// Group puts the job into a group of a FIFO queue: jobs of one group run in the
// order they were enqueued, one after the other.
func Group(name string) Option { return func(o *Options) { o.Group = name } }

// WithID gives the job an id that the caller derived from something stable, and
// the fingerprint of what was asked.
func WithID(id ID, fingerprint string) Option {
	return func(o *Options) { o.ID, o.Fingerprint = id, fingerprint }
}

// Unique makes the job the only one of its task with this key: what becomes of a
// second one is said by the policy's Unique. A key names what the work is about
// ("recipe/17"); it has 1 to 1024 bytes.
func Unique(key string) Option { return func(o *Options) { o.Unique = &key } }

// AsOf says when what the job is about was so: the time of a periodic occurrence, the
// version of a document. Where the newest wins (Uniqueness.NewestWins), a job as of an
// earlier time never takes the place of one as of a later, whichever is enqueued first.
func AsOf(t time.Time) Option { return func(o *Options) { o.AsOf = t } }

// ByClient notes who asked.
func ByClient(client string) Option { return func(o *Options) { o.Client = client } }

// WithTrace carries a trace header along.
func WithTrace(header string) Option { return func(o *Options) { o.Trace = header } }

// Apply gives the options that the list adds up to.
func Apply(options ...Option) Options {
	var o Options
	for _, option := range options {
		option(&o)
	}
	return o
}
