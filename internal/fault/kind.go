package fault

// A Kind is what goes wrong with a call.
type Kind int

// The kinds of fault.
const (
	// None: the call goes well.
	None Kind = iota
	// Down: the call fails and was not applied.
	Down
	// Throttled: AWS refuses the call, which was not applied.
	Throttled
	// Lost: the call is applied and its answer lost.
	Lost
	// Repeated: the call is applied, its answer lost, and the SDK repeats it. A
	// message that is sent so is in its queue twice.
	Repeated
	// KilledBefore: the process dies before the call leaves it.
	KilledBefore
	// KilledAfter: the process dies after the call was applied.
	KilledAfter
	// Slow: the call is applied, and the process stands still until its
	// deadline and its leases are over; then the answer comes.
	Slow
	// Frozen: the process stands still for as long, and then makes the call: it is
	// a former owner by now.
	Frozen
	// Late: the call fails, and is applied all the same much later, when others
	// have gone on with its work.
	Late
	// Twice: what AWS hands to a function it hands to another one at the same time.
	Twice
)

// Kinds lists the faults that a Driver knows: those of a call and its answer.
func Kinds() []Kind { return []Kind{Down, Throttled, Lost, Repeated} }

// KindsOf lists the faults that make a difference to a call that a Process makes.
// A call that only reads is not applied, and so neither late nor twice.
func KindsOf(c Call) []Kind {
	if c.Reads {
		return []Kind{Down, Throttled, KilledBefore, Slow}
	}
	return []Kind{Down, Throttled, Lost, Repeated, KilledBefore, KilledAfter, Slow, Frozen, Late}
}

// KindsOfDelivery lists the faults of what AWS hands to a function: it is not
// started, its answer is lost, or there are two of it.
func KindsOfDelivery() []Kind { return []Kind{Down, Lost, Twice} }

// String names the kind.
func (k Kind) String() string {
	return [...]string{
		"none", "down", "throttled", "answer lost", "answer lost and call repeated",
		"killed before", "killed after", "slow past the deadline", "frozen until after the deadline", "applied late", "delivered twice",
	}[k]
}

// Short is the kind as the matrix heads its columns.
func (k Kind) Short() string {
	return [...]string{"none", "down", "throt", "lost", "rept", "kill<", "kill>", "slow", "frozen", "late", "twice"}[k]
}
