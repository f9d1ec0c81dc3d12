package store

import (
	"context"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// PutOffLetter lets the letter of a dead job, which could not be sent, come up
// with what is due at a time: Promote asks for it again. The row keeps asking to be
// published, so that a scan finds it otherwise. It does nothing (false) where the
// letter is out, or the job changed since the record was read.
func (j *Jobs) PutOffLetter(ctx context.Context, found Record, until time.Time) (bool, error) {
	// Key: the job's. Condition: dead, and that n still waits. A lost race: the
	// letter was noted as sent, asked for again, or the job redriven.
	_, lost, err := j.write(ctx, "putting off the letter of", found.ID, update(KeyOf(found.ID),
		"SET #due_ms = :due, #due_slot = :slot", "#state = :dead AND #n = :seen AND #publish.#n = :seen",
		Item{
			":dead": text(string(lifecycle.Dead)), ":seen": number(found.N), ":due": ceilMillis(until),
			":slot": text(slot(until.Add(time.Millisecond-1), shardOf(found.ID))),
		}))
	return !lost && err == nil, err
}

// promoteLetter asks the relay again for a letter that was put off.
func (j *Jobs) promoteLetter(ctx context.Context, found Record, due DueJob) (bool, error) {
	// Key: the job's. Condition: dead, put off to the time as read, and that n
	// still waits. A lost race: as in PutOffLetter, or put off further.
	_, lost, err := j.write(ctx, "publishing the letter of", found.ID, update(KeyOf(found.ID),
		"SET #n = :n, #publish = :publish REMOVE #due_slot, #due_ms",
		"#state = :dead AND #due_ms = :due AND #n = :seen AND #publish.#n = :seen",
		Item{
			":dead": text(string(lifecycle.Dead)), ":due": number(due.ms), ":seen": number(found.N), ":n": number(found.N + 1),
			":publish": Publication{To: ToLetters(found.Queue), N: found.N + 1, At: j.now()}.value(),
		}))
	return !lost && err == nil, err
}
