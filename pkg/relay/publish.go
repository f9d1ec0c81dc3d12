package relay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A jobEntry is a job's row and the message, or the letter, that is sent for it.
type jobEntry = entry[store.Record, queue.Outgoing]

// placeJob puts a job's row to those that go to the same queue.
func (r *Relay) placeJob(ctx context.Context, s *sorted, index int, row store.Record) {
	t, letters := r.queueOf(s, *row.Publication)
	out, err := r.message(row, letters, t.fifo)
	if err != nil {
		r.config.Logger.ErrorContext(ctx, "a message can't be made; its row is passed over", "job", row.ID, "error", err.Error())
		return
	}
	t.entries = append(t.entries, jobEntry{index: index, row: row, out: out, group: out.Group})
}

// queueOf gives where a publication goes: a queue, or its dead-letter queue.
func (r *Relay) queueOf(s *sorted, to store.Publication) (t *target[store.Record, queue.Outgoing], letters bool) {
	name, letters, err := to.Address()
	if t = s.jobs[to.To]; t != nil {
		return t, letters
	}
	address, known := r.config.Addresses[name]
	if err == nil && !known {
		err = fmt.Errorf("relay: there is no address for queue %q", name)
	}
	t = r.queueTarget(name, address, letters, err)
	s.jobs[to.To], s.all = t, append(s.all, t)
	return t, letters
}

// queueTarget is a queue, or its dead-letter queue; cause is why it can't be used.
func (r *Relay) queueTarget(name string, address queue.Address, letters bool, cause error) *target[store.Record, queue.Outgoing] {
	url := address.URL
	if letters {
		url = address.Letters
	}
	t := &target[store.Record, queue.Outgoing]{fifo: address.FIFO(), err: cause}
	t.send = func(ctx context.Context, messages []queue.Outgoing) []error {
		return r.config.Queue.Send(ctx, url, messages)
	}
	confirmed := confirmation{queue: name}
	t.handled = func(ctx context.Context, e jobEntry, err error) bool {
		switch {
		case letters:
			return r.measured(ctx, *e.row.Publication, err, r.letterHandled(ctx, e, err))
		case e.probe != nil:
			return r.probeHandled(ctx, e, err)
		}
		confirmed.note(e, err)
		return r.measured(ctx, *e.row.Publication, err, r.jobHandled(ctx, e, err, t.fifo))
	}
	if r.config.Tracer != nil && !letters {
		t.begin = func(ctx context.Context, entries []jobEntry) (context.Context, func(error)) {
			return r.span(ctx, name, entries)
		}
	}
	t.after = func(ctx context.Context) { r.confirm(ctx, confirmed) }
	return t
}

// letterHandled deals with the result of a letter. Its record is done with in any
// case: the row keeps asking.
func (r *Relay) letterHandled(ctx context.Context, e jobEntry, err error) bool {
	if err == nil {
		return r.noteLetter(ctx, e)
	}
	return r.putOff(ctx, e, err)
}

// jobHandled deals with the result of a job's message. It tells whether the record
// may count as done with.
func (r *Relay) jobHandled(ctx context.Context, e jobEntry, err error, fifo bool) bool {
	switch {
	case err == nil:
		return true
	case messageAtFault(err):
		return r.giveUp(ctx, e, err)
	case fifo:
		r.config.Logger.ErrorContext(ctx, "a job could not be sent; its group waits", "job", e.row.ID, "error", err.Error())
		return false
	}
	return r.setAside(ctx, e, err)
}

// noteLetter notes that a letter is out. Where that fails the sweep sends it once
// more: rather two letters than none.
func (r *Relay) noteLetter(ctx context.Context, e jobEntry) bool {
	if err := r.config.Jobs.LetterSent(ctx, e.row.ID, e.row.Publication.N); err != nil {
		r.config.Logger.WarnContext(ctx, "a letter is out, which could not be noted", "job", e.row.ID, "error", err.Error())
	}
	return true
}

// longestPutOff bounds the wait of what is put off.
const longestPutOff = time.Hour

// putOffUntil is when to try again what has been there since a time.
func (r *Relay) putOffUntil(since time.Time) time.Time {
	now := r.config.Now()
	wait := min(max(now.Sub(since)/2, r.config.SetAside), longestPutOff)
	return now.Add(wait + time.Duration(r.config.Random()*float64(wait)))
}

// putOff lets a letter that could not be sent come up again with what is due. It
// waits half as long as its job is dead, so that a dead-letter queue which is gone
// for days costs little. Where that fails too, the row keeps asking, and the
// sweep's scan hears it.
func (r *Relay) putOff(ctx context.Context, e jobEntry, cause error) bool {
	until := r.putOffUntil(e.row.Finished)
	put, err := r.config.Jobs.PutOffLetter(ctx, e.row, until)
	if err != nil {
		r.config.Logger.ErrorContext(ctx, "a letter could neither be sent nor put off; the scan finds it", "job", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return true
	}
	r.config.Logger.ErrorContext(ctx, "a letter could not be sent", "job", e.row.ID, "put_off", put, "until", until, "error", cause.Error())
	return true
}

// giveUp ends a job as dead whose message SQS will never take.
func (r *Relay) giveUp(ctx context.Context, e jobEntry, cause error) bool {
	if err := r.config.Jobs.Undeliverable(ctx, e.row, &refusedError{"the queue refuses the job's message", cause}); err != nil {
		r.config.Logger.ErrorContext(ctx, "a refused job could not be ended", "job", e.row.ID, "cause", cause.Error(), "error", err.Error())
		return false
	}
	r.config.Logger.ErrorContext(ctx, "SQS refuses a job's message; the job is dead", "job", e.row.ID, "error", cause.Error())
	return true
}

// setAside parks a job whose queue takes nothing for now.
func (r *Relay) setAside(ctx context.Context, e jobEntry, cause error) bool {
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

// A refusedError is why a job died, or an event is set aside, that could not be sent.
type refusedError struct {
	says  string
	cause error
}

func (e *refusedError) Error() string { return e.says + ": " + e.cause.Error() }
func (e *refusedError) Unwrap() error { return e.cause }

// ErrorCode is "undeliverable".
func (e *refusedError) ErrorCode() string { return "undeliverable" }
