package relay

import (
	"cmp"
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// An entry is a row R to publish, by a message M.
type entry[R, M any] struct {
	// index is the record's place in the event.
	index int
	row   R
	out   M
	// group is the message's, where the target is FIFO.
	group string
	// probe is the row of a probe that stands for itself; nil for most.
	probe *store.Probe
}

// A target is where rows are published to: a queue, a dead-letter queue, a topic.
type target[R, M any] struct {
	fifo    bool
	entries []entry[R, M]
	// err is why the target can't be used at all, or nil.
	err error
	// send sends messages and gives one error, or nil, for each in its place.
	send func(ctx context.Context, messages []M) []error
	// begin tells that entries are about to be sent, and gives what is to be called with
	// the first error, or nil, when they were; nil tells nobody.
	begin func(ctx context.Context, entries []entry[R, M]) (context.Context, func(error))
	// handled deals with the result of one entry. It tells whether the record may
	// count as done with.
	handled func(ctx context.Context, e entry[R, M], err error) bool
	// after ends the target's turn; nil does nothing.
	after func(ctx context.Context)
}

// publish sends the target's entries and deals with every result. In a FIFO target a
// group stops at its first failed entry, which is reported as failed.
func (t *target[R, M]) publish(ctx context.Context, failed []bool) {
	sending, cancel := context.WithTimeout(ctx, sendTime(ctx))
	defer cancel()
	if t.after != nil {
		defer t.after(ctx)
	}
	stopped := map[string]bool{} // the FIFO groups that an entry failed in
	for _, round := range t.rounds() {
		var sent []entry[R, M]
		for _, e := range round {
			if stopped[e.group] {
				failed[e.index] = true
				continue
			}
			sent = append(sent, e)
		}
		for i, err := range t.results(sending, sent) {
			e := sent[i]
			if t.handled(ctx, e, err) {
				continue
			}
			failed[e.index] = true
			if t.fifo {
				stopped[e.group] = true
			}
		}
	}
}

// sendTime leaves time to set aside what could not be sent.
func sendTime(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(SendTime, time.Until(deadline)/2)
	}
	return SendTime
}

// rounds splits the entries into calls' worth that may fail one by one without harm:
// in a FIFO target no round holds two entries of one group.
func (t *target[R, M]) rounds() [][]entry[R, M] {
	if !t.fifo {
		return [][]entry[R, M]{t.entries}
	}
	var rounds [][]entry[R, M]
	seen := map[string]int{}
	for _, e := range t.entries {
		round := seen[e.group]
		seen[e.group]++
		if round == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], e)
	}
	return rounds
}

// results sends entries, where the target can be used.
func (t *target[R, M]) results(ctx context.Context, entries []entry[R, M]) []error {
	if t.err != nil {
		results := make([]error, len(entries))
		for i := range results {
			results[i] = t.err
		}
		return results
	}
	messages := make([]M, len(entries))
	for i, e := range entries {
		messages[i] = e.out
	}
	if t.begin == nil {
		return t.send(ctx, messages)
	}
	ctx, end := t.begin(ctx, entries)
	results := t.send(ctx, messages)
	end(cmp.Or(results...))
	return results
}
