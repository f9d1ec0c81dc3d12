package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Republish asks the relay to publish a queued job again, whose message is
// thought lost. It does nothing (false) where the job changed since the record
// was read: somebody else found it.
func (j *Jobs) Republish(ctx context.Context, found Record) (bool, error) {
	values := Item{":queued": queued, ":seen": number(found.N)}
	again := j.publishAgain(found, values)
	// Key: the job's. Condition: queued, and that n. A lost race: claimed,
	// cancelled or published again by another.
	_, lost, err := j.write(ctx, "publishing", found.ID, update(KeyOf(found.ID),
		"SET "+again, "#state = :queued AND #n = :seen", values))
	return !lost && err == nil, err
}

// Requeue gives up on a worker whose lease ended long ago and whose message is
// gone: the job waits in its queue again, as a suspect that is to run alone, its
// attempt given back unless the worker died alone. It does nothing (false) where the job changed since.
func (j *Jobs) Requeue(ctx context.Context, found Record) (bool, error) {
	next := lifecycle.TakeOver(found.Row)
	if next.To.Final() {
		token, err := j.NewToken()
		if err != nil {
			return false, err
		}
		claim, err := j.buryOrphan(ctx, found, next, Lease{Token: token, Alone: true})
		return err == nil && claim.Finding == lifecycle.Finished, err
	}
	// The claim that follows counts one attempt; a death alone has spent its own.
	attempt := found.Attempt - 1
	if found.Alone {
		attempt = found.Attempt
	}
	values := Item{
		":queued": queued, ":running": running,
		":token": text(found.Token), ":attempt": number(max(attempt, 0)), ":deaths": number(next.Deaths),
		":true": yes,
	}
	again := j.publishAgain(found, values)
	// Key: the job's. Condition: running under the token that was found, no
	// cancellation asked for. A lost race: its owner lives, or another healed it.
	_, lost, err := j.write(ctx, "requeueing", found.ID, update(KeyOf(found.ID),
		"SET #state = :queued, #attempt = :attempt, #deaths = :deaths, #suspect = :true, "+again+" REMOVE #lease_until_ms",
		"#state = :running AND #token = :token AND attribute_not_exists(#cancel_requested)", values))
	return !lost && err == nil, err
}

// publishAgain gives the SET clause that publishes a row once more, and its
// values.
func (j *Jobs) publishAgain(found Record, values Item) string {
	at := j.now()
	if found.NotBefore.After(at) {
		at = found.NotBefore
	}
	values[":n"] = number(found.N + 1)
	values[":publish"] = Publication{To: ToQueue(found.Queue), N: found.N + 1, At: at}.value()
	return "#n = :n, #publish = :publish"
}

// RepublishLetter asks the relay to send the letter of a dead job again, which is
// thought lost. It does nothing (false) where the letter is out, or the job
// changed since the record was read.
func (j *Jobs) RepublishLetter(ctx context.Context, found Record) (bool, error) {
	// Key: the job's. Condition: dead, and that n still waits. A lost race: the
	// letter was noted as sent, the job redriven, or the letter asked for again
	// by another.
	_, lost, err := j.write(ctx, "publishing the letter of", found.ID, update(KeyOf(found.ID),
		"SET #n = :n, #publish = :publish REMOVE #due_slot, #due_ms", "#state = :dead AND #n = :seen AND #publish.#n = :seen",
		Item{
			":dead": text(string(lifecycle.Dead)), ":seen": number(found.N), ":n": number(found.N + 1),
			":publish": Publication{To: ToLetters(found.Queue), N: found.N + 1, At: j.now()}.value(),
		}))
	return !lost && err == nil, err
}

// LetterSent notes that the letter of a dead job is out. Repeating it does no
// harm.
func (j *Jobs) LetterSent(ctx context.Context, id job.ID, n int64) error {
	condition := "#state = :dead AND #publish.#n = :n"
	// Key: the job's. Condition: dead, and this publication waits. A lost race:
	// noted before, or redriven meanwhile.
	_, _, err := j.write(ctx, "noting the letter of", id, update(KeyOf(id), "REMOVE #publish, #due_slot, #due_ms", condition,
		Item{":dead": text(string(lifecycle.Dead)), ":n": number(n)}))
	return err
}

// Undeliverable ends a queued job as dead whose message the queue itself refuses.
func (j *Jobs) Undeliverable(ctx context.Context, found Record, cause error) error {
	now := j.now()
	// Key: the job's. Condition: queued, that n, and nothing follows. A lost
	// race: cancelled, or published otherwise. What follows is for endWaiting.
	_, _, err := j.endWaiting(ctx, "burying", lifecycle.Dead, found, update(KeyOf(found.ID),
		"SET #state = :dead, #finished_ms = :now, #ttl = :ttl, #error = :error, #n = :n, #publish = :publish"+
			" REMOVE #not_before_ms",
		"#state = :queued AND #n = :seen"+nothingFollows,
		Item{
			":queued": queued, ":dead": text(string(lifecycle.Dead)), ":seen": number(found.N),
			":now": millis(now), ":ttl": seconds(now.Add(lifecycle.DeadRetention)), ":error": errorValue(cause),
			":n":       number(found.N + 1),
			":publish": Publication{To: ToLetters(found.Queue), N: found.N + 1, At: now}.value(),
		}))
	return err
}

// Redrive lets a dead job start anew: its attempts are counted from zero. A unique
// job has its key again; where another job has it, the error is ErrDuplicate. Where the
// jobs of its queue are counted, it has its place again; where its shard is full, the
// error is ErrFull. It does nothing (false) where the job is no longer dead.
func (j *Jobs) Redrive(ctx context.Context, found Record) (bool, error) {
	found.NotBefore = time.Time{}
	values := Item{
		":queued": queued, ":dead": text(string(lifecycle.Dead)),
		":seen": number(found.N), ":zero": number(0),
	}
	again := j.publishAgain(found, values)
	// Key: the job's. Condition: dead, and that n. A lost race: redriven by
	// another.
	w := update(KeyOf(found.ID),
		"SET #state = :queued, #attempt = :zero, #deaths = :zero, "+again+
			" REMOVE #error, #finished_ms, #ttl, #cancel_requested, #started_ms, #progress, #due_slot, #due_ms",
		"#state = :dead AND #n = :seen", values)
	var place []Write
	if p := found.Hard; p != nil {
		place = w.regain(found.Queue, *p)
	}
	switch {
	case found.Unique != "":
		return j.redriveUnique(ctx, found, append([]Write{w}, place...))
	case place != nil:
		failed, err := j.transactUpTo(ctx, contendedTries, append([]Write{w}, place...))
		if err != nil {
			return false, fmt.Errorf("store: redriving job %s: %w", found.ID, err)
		}
		if failed != nil && failed[0] == nil {
			return false, noPlace(found)
		}
		return failed == nil, nil
	}
	_, lost, err := j.write(ctx, "redriving", found.ID, w)
	return !lost && err == nil, err
}

// regain lets the write of a redrive have the job's place again: it is held still, or is
// taken by the write that comes back. The shard is the one before, so that a recount
// finds the job where it was.
func (w *Write) regain(queue string, p Place) []Write {
	if p.Held {
		w.Condition += " AND #hard.#held = :held"
	} else {
		w.Condition += " AND attribute_not_exists(#hard.#held)"
		w.Update = strings.Replace(w.Update, "SET ", "SET #hard.#held = :held, ", 1)
	}
	w.Values[":held"] = yes
	w.Names = namesIn(w.Update, w.Condition)
	if p.Held {
		return nil
	}
	return []Write{take(CountHard, queue, p, 1)}
}

// noPlace says that a job can't start anew while its shard of the count is full.
func noPlace(found Record) error {
	return fmt.Errorf("%w: job %s is not redriven while queue %s is full", ErrFull, found.ID, found.Queue)
}
