package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Once runs fn, unless the key's effect was done before: then it gives the answer
// that fn returned at that time. The package's documentation says what a caller
// gets otherwise.
//
// The answer is kept as JSON: those who get it later get what JSON keeps of it.
// fn's context ends with the caller's, and before the claim does. A panic of fn
// releases the claim and goes on up.
func Once[T any](ctx context.Context, r *Records, key Key, fn func(ctx context.Context) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	c, err := r.newClaim(ctx, key)
	if err != nil {
		return none, err
	}
	found, err := r.claim(ctx, &c)
	if err != nil {
		return none, err
	}
	if found.state == stateDone {
		return replay[T](ctx, r, c, found)
	}
	result, err := run(ctx, r, c, fn)
	if err != nil {
		return result, err
	}
	return keep(ctx, r, c, result)
}

// Do is Once for an effect without an answer.
func (r *Records) Do(ctx context.Context, key Key, fn func(ctx context.Context) error) error {
	_, err := Once(ctx, r, key, func(ctx context.Context) (struct{}, error) { return struct{}{}, fn(ctx) })
	return err
}

type takenOverKey struct{}

// TakenOver tells fn, by its context, that a former owner's claim ended without
// an answer: its process died, or lost the table, and its effect may have
// happened. Ask the third party, if it can be asked, before doing it again.
func TakenOver(ctx context.Context) bool {
	takenOver, _ := ctx.Value(takenOverKey{}).(bool)
	return takenOver
}

// run calls fn, and releases the claim if it does not succeed, in whatever way.
func run[T any](ctx context.Context, r *Records, c claim, fn func(ctx context.Context) (T, error)) (result T, err error) {
	if c.takenOver {
		r.config.Logger.WarnContext(ctx, "an idempotency claim was taken over: its owner did not end, and the effect may happen twice",
			"scope", c.key.Scope, "key", c.key.ID)
	}
	succeeded := false
	defer func() {
		if !succeeded { // an error, a panic, or runtime.Goexit
			r.release(ctx, c, writeTries)
		}
	}()
	// A claim within a claim begins anew, so the value is always set.
	inner, cancel := context.WithTimeout(context.WithValue(ctx, takenOverKey{}, c.takenOver), c.hold-closing)
	defer cancel()
	result, err = fn(inner)
	succeeded = err == nil
	return result, err
}

// keep stores the answer for those who come later.
func keep[T any](ctx context.Context, r *Records, c claim, result T) (T, error) {
	data, err := payload.Encode(result) // however long that takes, there is time to write
	ctx, cancel := ending(ctx)
	defer cancel()
	a, unfit := r.answerOf(ctx, c, data, err)
	found, lost, err := r.store(ctx, c, a)
	if errors.Is(err, store.ErrTooLarge) {
		unfit = err
		found, lost, err = r.store(ctx, c, answer{unkept: err.Error()})
	}
	switch {
	case err != nil:
		// The effect is done, and its caller has the answer: an error would
		// have it done again.
		r.config.Logger.ErrorContext(ctx, "the answer of an effect was not stored: a later caller repeats the effect when the claim has ended",
			"scope", c.key.Scope, "key", c.key.ID, "error", err.Error())
		return result, nil
	case lost:
		return superseded[T](ctx, r, c, found)
	case unfit != nil:
		return result, permanent(ErrNotKept, c.key, "%v", unfit)
	}
	return result, nil
}

// superseded answers for an owner that outlived its claim: with its successor's
// answer, so that everybody has the same.
func superseded[T any](ctx context.Context, r *Records, c claim, found row) (T, error) {
	r.config.Logger.WarnContext(ctx, "an effect was done after its claim had ended and was taken over: it may have happened twice",
		"scope", c.key.Scope, "key", c.key.ID)
	switch {
	case found.fingerprint != c.fingerprint:
		return *new(T), permanent(ErrOtherPayload, c.key, "it was used again after its claim had ended")
	case !found.readable():
		return *new(T), permanent(ErrUnreadable, c.key, "state %.40q", found.state)
	case found.state == stateClaimed:
		return *new(T), inProgress(c.key, found, r.config.Now())
	}
	return replay[T](ctx, r, c, found)
}

// answerOf makes what is stored of a result, which is data as JSON, or err is why it is
// none. unfit is why it can't be kept, where the caller is at fault.
func (r *Records) answerOf(ctx context.Context, c claim, data []byte, err error) (a answer, unfit error) {
	switch {
	case err != nil:
		return answer{unkept: err.Error()}, err
	case len(data) <= r.config.MaxResult:
		return answer{result: string(data)}, nil
	case r.config.Objects == nil:
		err := fmt.Errorf("it has %d bytes as JSON, and %d is the limit: set Objects, or return less", len(data), r.config.MaxResult)
		return answer{unkept: err.Error()}, err
	}
	object, err := r.putObject(ctx, c, data)
	switch {
	case errors.Is(err, claimcheck.ErrTooLarge):
		return answer{unkept: err.Error()}, err
	case err != nil && len(data) <= MostMaxResult:
		r.config.Logger.WarnContext(ctx, "an answer went into its row, since the storage for objects did not take it",
			"scope", c.key.Scope, "key", c.key.ID, "error", err.Error())
		return answer{result: string(data)}, nil
	case err != nil:
		r.config.Logger.ErrorContext(ctx, "the answer of an effect was not stored: later callers get ErrNotKept",
			"scope", c.key.Scope, "key", c.key.ID, "error", err.Error())
		return answer{unkept: err.Error()}, nil
	}
	return answer{object: object}, nil
}

// putObject keeps an answer in Objects, and asks a storage again that does not
// answer: the key is this claim's alone, and without its answer the effect could
// never be told of. It leaves half of the time for the row: an effect whose row says
// nothing is repeated.
func (r *Records) putObject(ctx context.Context, c claim, data []byte) (object lifecycle.Object, err error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	for try := 1; ; try++ {
		object, err = r.config.Objects.Put(ctx, c.object(), data)
		if err == nil || try == writeTries || errors.Is(err, claimcheck.ErrTooLarge) || !pause(ctx, try) {
			return object, err
		}
	}
}

// replay gives the answer that a record has.
func replay[T any](ctx context.Context, r *Records, c claim, found row) (result T, err error) {
	data, err := r.answerIn(ctx, c, found)
	if err != nil {
		return result, err
	}
	// Names that this version of T lacks are left out: a later one wrote them.
	if err := json.Unmarshal(data, &result); err != nil {
		return *new(T), permanent(ErrUnreadable, c.key, "its answer is no %T: %v", result, err)
	}
	return result, nil
}

func (r *Records) answerIn(ctx context.Context, c claim, found row) ([]byte, error) {
	switch {
	case found.unkept != "":
		return nil, permanent(ErrNotKept, c.key, "%s", found.unkept)
	case found.object.Key == "":
		return []byte(found.result), nil
	case r.config.Objects == nil:
		return nil, fmt.Errorf("idempotency: the answer of %s is the object %s, and Config.Objects is not set", c.key, found.object.Key)
	}
	data, err := r.config.Objects.Get(ctx, found.object)
	switch {
	case errors.Is(err, claimcheck.ErrNotFound), errors.Is(err, claimcheck.ErrDamaged):
		return nil, permanent(ErrNotKept, c.key, "%v", err)
	case err != nil:
		return nil, fmt.Errorf("idempotency: reading the answer of %s: %w", c.key, err)
	}
	return data, nil
}
