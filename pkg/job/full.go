package job

// A Full says what becomes of work for a queue that is full: at its limit, or with
// its oldest job waiting too long. Package admission decides by it.
type Full string

// What may become of work for a full queue.
const (
	// Refuse answers that there is no room, and when to come back. It is the
	// zero value.
	Refuse Full = ""
	// Degrade marks jobs before the queue is full, so that their handlers do
	// less (Job.Degraded) and the queue is drained faster; at the limit work is
	// refused.
	Degrade Full = "degrade"
	// Spill keeps jobs in the table, from where they are released at a rate
	// that an operator can change, when the queue is short again. What exceeds
	// the queue's SpillLimit is refused.
	Spill Full = "spill"
	// Replace accepts a job only where it takes the place of one that waits
	// with the same key (Unique, NewestWins), and adds nothing to the queue.
	Replace Full = "replace"
)

// Degraded marks the job: its handler may do less. See Full.
func Degraded() Option { return func(o *Options) { o.Degraded = true } }

// Spilled keeps the job in the table until its queue is short: see Full. It is also
// for work that may wait for a quiet hour.
func Spilled() Option { return func(o *Options) { o.Spilled = true } }

// OnlyReplacing makes no new job: the job takes the place of one that waits with the
// same key, or is refused. See Full.
func OnlyReplacing() Option { return func(o *Options) { o.OnlyReplacing = true } }

// WithProbe asks the relay to confirm that the job was published, under the name of
// who asks: see package admission.
func WithProbe(name string) Option { return func(o *Options) { o.Probe = name } }
