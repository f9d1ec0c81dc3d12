package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// ErrLeaseLost is returned where a write of an attempt found that the job is no
// longer its own.
var ErrLeaseLost = errors.New("store: the lease was lost")

// maxMessage bounds an error's text in a row, in bytes.
const maxMessage = 2 << 10

// Finish writes how a run ended, under the token that the record was claimed
// with. The record that comes back is the row as it is now: it may be cancelled
// where the outcome was another run but a cancellation had been asked for. A run
// whose lease was lost writes nothing: ErrLeaseLost.
func (j *Jobs) Finish(ctx context.Context, claimed Record, outcome lifecycle.Outcome) (Record, error) {
	w, err := j.finishWrite(claimed, outcome)
	if err != nil {
		return Record{}, err
	}
	rec, lost, err := j.finish(ctx, claimed, outcome, w)
	switch {
	case err != nil:
		return Record{}, err
	case !lost:
		return rec, nil
	case rec.Token != claimed.Token:
		return rec, fmt.Errorf("%w: job %s is %s under another token", ErrLeaseLost, claimed.ID, stateOf(rec))
	case rec.State == outcome.To:
		return rec, nil // it had been applied, and its answer lost
	case rec.State == lifecycle.Running && rec.CancelRequested && !outcome.To.Final():
		return j.Finish(ctx, rec, lifecycle.Outcome{To: lifecycle.Cancelled})
	case rec.State == lifecycle.Running && rec.Follow != nil && claimed.Follow == nil && outcome.To.Final():
		return j.Finish(ctx, rec, outcome) // the caller did not know what follows
	}
	return rec, fmt.Errorf("%w: job %s is %s", ErrLeaseLost, claimed.ID, stateOf(rec))
}

// finish makes the write that ends a run, with what the end of the job entails. The
// answer is as write gives it.
func (j *Jobs) finish(ctx context.Context, claimed Record, outcome lifecycle.Outcome, w Write) (Record, bool, error) {
	if claimed.Follow == nil || !outcome.To.Final() {
		return j.write(ctx, "finishing", claimed.ID, w)
	}
	return j.endFollowed(ctx, "finishing", outcome.To, claimed, w)
}

func stateOf(rec Record) string {
	if rec.State == lifecycle.None {
		return "gone"
	}
	return string(rec.State)
}

func (j *Jobs) finishWrite(claimed Record, outcome lifecycle.Outcome) (Write, error) {
	if outcome.To.Final() {
		return j.finalWrite(claimed, outcome)
	}
	return j.againWrite(claimed, outcome)
}

// A finalShape is what a final write has besides the new state.
type finalShape struct{ result, object, failed, dead bool }

// finalWrites are all of them.
var finalWrites = func() map[finalShape]template {
	writes := map[finalShape]template{}
	for i := range 16 {
		shape := finalShape{result: i&1 != 0, failed: i&2 != 0, dead: i&4 != 0, object: i&8 != 0}
		set, remove := "SET #state = :to, #finished_ms = :now, #ttl = :ttl", " REMOVE #lease_until_ms, #cursor"
		if shape.result {
			set += ", #result = :result"
		}
		if shape.object {
			set += ", #result_object = :result_object"
		}
		if shape.failed {
			set += ", #error = :error"
		} else {
			remove += ", #error"
		}
		if shape.dead {
			set += ", #n = :n, #publish = :publish"
		}
		writes[shape] = newTemplate(set+remove, "#state = :running AND #token = :token"+nothingFollows)
	}
	return writes
}()

// finalWrite ends a job. Only final writes set a time to live. A dead job is
// published to its dead-letter queue.
//
// Key: the job's. Condition: running under the token, and nothing follows. Comes back:
// the whole row; on failure the row as it was. What follows is for conclude.
func (j *Jobs) finalWrite(claimed Record, outcome lifecycle.Outcome) (Write, error) {
	now := j.now()
	kept := lifecycle.DoneRetention
	shape := finalShape{
		result: outcome.Result != nil, object: outcome.ResultObject != nil,
		failed: outcome.Err != nil, dead: outcome.To == lifecycle.Dead,
	}
	values := Item{
		":running": running, ":token": text(claimed.Token),
		":to": ended(outcome.To), ":now": millis(now),
	}
	if shape.result {
		result, err := json.Marshal(outcome.Result)
		if err != nil {
			return Write{}, fmt.Errorf("store: encoding the result of job %s: %w", claimed.ID, err)
		}
		values[":result"] = text(string(result))
	}
	if shape.object {
		values[":result_object"] = objectValue(*outcome.ResultObject)
	}
	if shape.failed {
		values[":error"] = errorValue(outcome.Err)
	}
	if shape.dead {
		kept = lifecycle.DeadRetention
		values[":n"] = number(claimed.N + 1)
		values[":publish"] = Publication{To: ToLetters(claimed.Queue), N: claimed.N + 1, At: now}.value()
	}
	values[":ttl"] = seconds(now.Add(kept))
	return finalWrites[shape].of(claimed.rowKey(), values), nil
}

// againWrite lets a job run again: soon, by its message, or later, from the
// table.
//
// Key: the job's. Condition: running under the token, and no cancellation asked
// for. Comes back: the whole row; on failure the row as it was, which tells a
// cancellation (running, my token) from a lost lease.
func (j *Jobs) againWrite(claimed Record, outcome lifecycle.Outcome) (Write, error) {
	// A wait is rounded up; no wait is none, or SQS would make it a second.
	due := fromMillis(j.now())
	if outcome.Wait > 0 {
		due = fromMillis(j.now().Add(outcome.Wait + time.Millisecond - 1))
	}
	set := "SET #state = :to, #not_before_ms = :due"
	values := Item{
		":running": running, ":token": text(claimed.Token),
		":to": ended(outcome.To), ":due": millis(due),
	}
	if outcome.GiveBack {
		set += ", #attempt = #attempt - :one"
		values[":one"] = one
	}
	if outcome.Err != nil {
		set += ", #error = :error"
		values[":error"] = errorValue(outcome.Err)
	}
	if outcome.Cursor != nil {
		cursor, err := json.Marshal(outcome.Cursor)
		if err != nil {
			return Write{}, fmt.Errorf("store: encoding the cursor of job %s: %w", claimed.ID, err)
		}
		set += ", #cursor = :cursor"
		values[":cursor"] = text(string(cursor))
	}
	if outcome.To == lifecycle.Scheduled {
		set += ", #due_slot = :slot, #due_ms = :due"
		values[":slot"] = text(slot(due, shardOf(claimed.ID)))
	}
	return update(claimed.rowKey(), set+" REMOVE #lease_until_ms",
		"#state = :running AND #token = :token AND attribute_not_exists(#cancel_requested)", values), nil
}

func errorValue(err error) types.AttributeValue {
	message := err.Error()
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return &types.AttributeValueMemberM{Value: Item{"code": text(job.ErrorCode(err)), "message": text(message)}}
}

// Heartbeat moves the end of a lease. The record tells whether a cancellation was
// asked for. ErrLeaseLost means that the job is somebody else's.
func (j *Jobs) Heartbeat(ctx context.Context, claimed Record, until time.Time) (Record, error) {
	return j.Report(ctx, claimed, nil, until)
}

// Report notes a run's progress (as JSON; nil leaves the row's) and moves the end
// of its lease (a zero until leaves it where it is). The record tells whether a
// cancellation was asked for. ErrLeaseLost means that the job is somebody else's.
func (j *Jobs) Report(ctx context.Context, claimed Record, progress []byte, until time.Time) (Record, error) {
	var set []string
	values := Item{":running": running, ":token": text(claimed.Token)}
	if progress != nil {
		set = append(set, "#progress = :progress")
		values[":progress"] = text(string(progress))
	}
	if !until.IsZero() {
		set = append(set, "#lease_until_ms = :until")
		values[":until"] = millis(until)
	}
	if len(set) == 0 {
		return claimed, nil
	}
	// Key: the job's. Condition: running under the token. Comes back: the
	// whole row; on failure the row as it was: the lease is lost.
	rec, lost, err := j.write(ctx, "keeping", claimed.ID, update(claimed.rowKey(),
		"SET "+strings.Join(set, ", "), "#state = :running AND #token = :token", values))
	if err == nil && lost {
		err = fmt.Errorf("%w: job %s is %s", ErrLeaseLost, claimed.ID, stateOf(rec))
	}
	return rec, err
}
