package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// nothingFollows ends the condition of every final write: a job whose end entails
// something is ended by conclude alone, whatever its writer knew of it.
const nothingFollows = " AND attribute_not_exists(#follow)"

// A consequence is a write that belongs to the end of a job.
type consequence struct {
	Write
	// refused is told the row that was there where the condition did not hold:
	// what is to be written instead is asked for again.
	refused func(old Item) error
}

// An ending is the end of a job with what it entails.
type ending struct {
	jobs *Jobs
	rec  *Record
	// next are the jobs to be made, and rest is what stays on the row.
	next []NewJob
	rest *Follow
	// toll is taken off the batch that the job is one of; nil for no batch.
	toll *toll
}

func (j *Jobs) endingOf(rec *Record, state lifecycle.State) (*ending, error) {
	followUps, err := rec.Follow.FollowUps()
	if err != nil {
		return nil, fmt.Errorf("store: ending job %s: %w", rec.ID, err)
	}
	e := &ending{jobs: j, rec: rec}
	var rest []FollowUp
	for _, u := range followUps {
		switch {
		case u.Always || state == lifecycle.Done:
			n, err := u.next(rec, state, j.now())
			if err != nil {
				return nil, err
			}
			e.next = append(e.next, n)
		case state == lifecycle.Dead:
			rest = append(rest, u) // it may be redriven, and be done after all
		}
	}
	if m := rec.Follow.Member; m != nil {
		e.toll = newToll(*m, state)
	}
	e.rest, err = NewFollow(rest, nil)
	return e, err
}

// conclude ends a job whose end entails something: w, which is its final write,
// the actions and everything that is entailed are one transaction. failed is as
// transact gives it, for w (0) and the actions (from 1). A condition of what is
// entailed that does not hold is learnt from, and the transaction tried again: so the
// last of a batch finds out that it is.
func (j *Jobs) conclude(ctx context.Context, rec *Record, state lifecycle.State, w Write, actions ...Write) (failed map[int]*ConditionError, err error) {
	e, err := j.endingOf(rec, state)
	if err == nil {
		err = e.fits(1 + len(actions))
	}
	if err != nil {
		return nil, err
	}
	return j.entail(ctx, append([]Write{e.row(w)}, actions...), e.consequences)
}

// fits tells whether a transaction has room for what follows beside other writes. It
// counts what the last job of a batch takes, so that a handler is refused for each
// job, and not for one in sixty.
func (e *ending) fits(others int) error {
	entailed := len(e.next)
	if e.toll != nil {
		entailed += mostToll
	}
	if others+entailed > MaxActions+1 {
		return fmt.Errorf("%w: %d writes in one transaction, and room is kept for %d that follow the job: it has %d in all", ErrInvalid, others, entailed, MaxActions+1)
	}
	return nil
}

// row is a final write of the job's row that takes off it what comes about. The
// condition names what the row had to follow: a newer job of the same key may
// have replaced it.
func (e *ending) row(w Write) Write {
	w.Condition = strings.TrimSuffix(w.Condition, nothingFollows) + " AND #follow = :followed"
	values := Item{":followed": e.rec.Follow.written}
	if e.rest == nil {
		w.Update += ", #follow" // final updates end with what they remove
	} else {
		w.Update = "SET #follow = :follow, " + w.Update[len("SET "):]
		values[":follow"] = e.rest.written
	}
	for name, value := range w.Values {
		values[name] = value
	}
	w.Values, w.Names = values, namesIn(w.Update, w.Condition)
	return w
}

// consequences are what is to be written with the end, as far as is known.
func (e *ending) consequences() []consequence {
	var all []consequence
	for i, n := range e.next {
		all = append(all, consequence{e.jobs.JobWrite(n), func(Item) error {
			e.next = append(e.next[:i:i], e.next[i+1:]...) // its id was taken: it is there
			return nil
		}})
	}
	if e.toll != nil {
		all = append(all, e.toll.consequences(e.jobs)...)
	}
	return all
}

// entailTries bounds how often a transaction is put together anew. Two things are
// to be learnt at most; the rest is for others who end at the same time.
const entailTries = 10

// entail makes writes together with their consequences.
func (j *Jobs) entail(ctx context.Context, own []Write, consequences func() []consequence) (failed map[int]*ConditionError, err error) {
	for range entailTries {
		entailed := consequences()
		writes := own[:len(own):len(own)]
		for _, c := range entailed {
			writes = append(writes, c.Write)
		}
		if len(writes) == 0 {
			return nil, nil
		}
		failed, err = j.transactUpTo(ctx, contendedTries, writes)
		if err != nil || failed == nil {
			return nil, err
		}
		for i := range own {
			if failed[i] != nil {
				return failed, nil
			}
		}
		// From the end, so that what is dropped leaves the others' places alone.
		for i := len(entailed) - 1; i >= 0; i-- {
			f := failed[len(own)+i]
			if f == nil {
				continue
			}
			if err := entailed[i].refused(f.Old); err != nil {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("%w: what follows changed %d times between", ErrConflict, entailTries)
}

// endWaiting makes the final write of a job that nobody runs. Its writer may not have
// seen the row: what its end entails is learnt from the condition that did not hold.
// The answer is as write gives it.
func (j *Jobs) endWaiting(ctx context.Context, doing string, state lifecycle.State, rec Record, w Write) (now Record, lost bool, err error) {
	for range claimTries {
		if rec.Follow == nil {
			now, lost, err = j.write(ctx, doing, rec.ID, w)
		} else {
			now, lost, err = j.endFollowed(ctx, doing, state, rec, w)
		}
		if err != nil || !lost || now.Follow.same(rec.Follow) || now.State.Final() || now.State == lifecycle.Running {
			return now, lost, err
		}
		rec = now
	}
	return now, lost, nil
}

// endFollowed makes a final write of a job whose end entails something. The answer
// is as write gives it.
func (j *Jobs) endFollowed(ctx context.Context, doing string, state lifecycle.State, rec Record, w Write) (now Record, lost bool, err error) {
	failed, err := j.conclude(ctx, &rec, state, w)
	switch {
	case err != nil:
		return Record{}, false, fmt.Errorf("store: %s job %s: %w", doing, rec.ID, err)
	case failed == nil:
		return concluded(rec, state, w), false, nil
	case failed[0].Old == nil:
		return Record{ID: rec.ID}, true, nil
	}
	now, err = Decode(failed[0].Old)
	now.key = w.Key
	return now, true, err
}

// concluded is the row after a final write: transactions don't bring it back. What a
// redrive may bring about is left out.
func concluded(rec Record, state lifecycle.State, w Write) Record {
	rec.State, rec.Follow, rec.Publication, rec.Error, rec.Cursor = state, nil, nil, nil, nil
	rec.LeaseUntil, rec.NotBefore, rec.Spilled = time.Time{}, time.Time{}, false
	for name, value := range map[string]string{
		"finished_ms": ":now", ExpiresAt: ":ttl", "error": ":error", "result": ":result", "result_object": ":result_object",
		"n": ":n", Publish: ":publish", "token": ":mine", "deaths": ":deaths",
	} {
		if v, ok := w.Values[value]; ok {
			rec.set(name, v)
		}
	}
	return rec
}
