package relay

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

// publish sends a target's entries and deals with every result.
func (r *Relay) publish(ctx context.Context, t *target, failed []bool) {
	sending, cancel := context.WithTimeout(ctx, sendTime(ctx))
	defer cancel()
	stopped := map[string]bool{} // the FIFO groups that an entry failed in
	for _, round := range rounds(t) {
		var sent []entry
		for _, e := range round {
			if stopped[e.out.Group] {
				failed[e.index] = true
				continue
			}
			sent = append(sent, e)
		}
		for i, err := range r.send(sending, t, sent) {
			e := sent[i]
			if r.handled(ctx, t, e, err) {
				continue
			}
			failed[e.index] = true
			if t.fifo {
				stopped[e.out.Group] = true
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

// rounds splits a target's entries into calls' worth that may fail one by one
// without harm: for a FIFO queue no round holds two entries of one group.
func rounds(t *target) [][]entry {
	if !t.fifo {
		return [][]entry{t.entries}
	}
	return inRounds(t.entries, func(e entry) string { return e.out.Group })
}

// inRounds deals entries out to rounds, in order, so that none holds two of a group.
func inRounds[E any](entries []E, group func(E) string) [][]E {
	var rounds [][]E
	seen := map[string]int{}
	for _, e := range entries {
		round := seen[group(e)]
		seen[group(e)]++
		if round == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], e)
	}
	return rounds
}

func (r *Relay) send(ctx context.Context, t *target, entries []entry) []error {
	if t.err != nil {
		results := make([]error, len(entries))
		for i := range results {
			results[i] = t.err
		}
		return results
	}
	messages := make([]queue.Outgoing, len(entries))
	for i, e := range entries {
		messages[i] = e.out
	}
	return r.config.Queue.Send(ctx, t.url, messages)
}

// handled deals with the result of one entry. It tells whether the record may
// count as done with.
func (r *Relay) handled(ctx context.Context, t *target, e entry, err error) bool {
	switch {
	case err == nil && t.letters:
		return r.noteLetter(ctx, e)
	case err == nil:
		return true
	case t.letters:
		return r.putOff(ctx, e, err)
	case messageAtFault(err):
		return r.giveUp(ctx, e, err)
	case t.fifo:
		r.config.Logger.ErrorContext(ctx, "a job could not be sent; its group waits", "job", e.row.ID, "error", err.Error())
		return false
	}
	return r.setAside(ctx, e, err)
}

// noteLetter notes that a letter is out. Where that fails the sweep sends it once
// more: rather two letters than none.
func (r *Relay) noteLetter(ctx context.Context, e entry) bool {
	if err := r.config.Jobs.LetterSent(ctx, e.row.ID, e.row.Publication.N); err != nil {
		r.config.Logger.WarnContext(ctx, "a letter is out, which could not be noted", "job", e.row.ID, "error", err.Error())
	}
	return true
}

// longestPutOff bounds the wait of a letter.
const longestPutOff = time.Hour

// putOff lets a letter that could not be sent come up again with what is due. It
// waits half as long as its job is dead, so that a dead-letter queue which is gone
// for days costs little. Where that fails too, the row keeps asking, and the
// sweep's scan hears it.
func (r *Relay) putOff(ctx context.Context, e entry, cause error) bool {
	now := r.config.Now()
	wait := min(max(now.Sub(e.row.Finished)/2, r.config.SetAside), longestPutOff)
	until := now.Add(wait + time.Duration(r.config.Random()*float64(wait)))
	put, err := r.config.Jobs.PutOffLetter(ctx, e.row, until)
	if err != nil {
		r.config.Logger.ErrorContext(ctx, "a letter could neither be sent nor put off; the scan finds it", "job", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return true
	}
	r.config.Logger.ErrorContext(ctx, "a letter could not be sent", "job", e.row.ID, "put_off", put, "until", until, "error", cause.Error())
	return true
}

// giveUp ends a job as dead whose message SQS will never take.
func (r *Relay) giveUp(ctx context.Context, e entry, cause error) bool {
	if err := r.config.Jobs.Undeliverable(ctx, e.row, &refusedError{cause}); err != nil {
		r.config.Logger.ErrorContext(ctx, "a refused job could not be ended", "job", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return false
	}
	r.config.Logger.ErrorContext(ctx, "SQS refuses a job's message; the job is dead", "job", e.row.ID, "error", cause.Error())
	return true
}

// setAside parks a job whose queue takes nothing for now.
func (r *Relay) setAside(ctx context.Context, e entry, cause error) bool {
	until := r.config.Now().Add(r.config.SetAside + time.Duration(r.config.Random()*float64(r.config.SetAside)))
	if e.row.Publication.At.After(until) {
		until = e.row.Publication.At
	}
	parked, err := r.config.Jobs.Park(ctx, e.row, until)
	if err != nil {
		r.config.Logger.ErrorContext(ctx, "a job could neither be sent nor set aside", "job", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return false
	}
	r.config.Logger.WarnContext(ctx, "a job could not be sent", "job", e.row.ID, "parked", parked, "until", until, "error", cause.Error())
	return true
}

// messageAtFault tells whether SQS refuses the message itself. It counts keys
// and rights among the sender's faults, too; those can be mended without
// touching the message.
func messageAtFault(err error) bool {
	var refused *queue.SendError
	if !errors.As(err, &refused) || !refused.Fault {
		return false
	}
	code := strings.ToLower(refused.Code)
	for _, mendable := range []string{"kms", "accessdenied", "authorization", "throttl", "overlimit", "nonexistentqueue", "queuedoesnotexist", "notfound"} {
		if strings.Contains(code, mendable) {
			return false
		}
	}
	return true
}

// A refusedError is why a job died that could not be sent.
type refusedError struct{ cause error }

func (e *refusedError) Error() string {
	return "the queue refuses the job's message: " + e.cause.Error()
}
func (e *refusedError) Unwrap() error { return e.cause }

// ErrorCode is "undeliverable".
func (e *refusedError) ErrorCode() string { return "undeliverable" }
