package producer

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// Limits of what follows a job (job.Then, job.Finally).
const (
	// MostFollowUps is how many follow-ups a job has at most, those of its
	// follow-ups not counted.
	MostFollowUps = 10
	// MostFollowUpBytes is how large all of them are together, those of follow-ups
	// included: they are part of the job's row, and every write of that costs by
	// the KB.
	MostFollowUpBytes = 64 << 10
)

// follow is what the end of a job entails; nil for nothing.
func (p *Producer) follow(all []job.FollowUp, member *store.Member) (*store.Follow, error) {
	followUps, err := p.followUps(all)
	if err != nil {
		return nil, err
	}
	f, err := store.NewFollow(followUps, member)
	if err == nil {
		err = checkFollow(f)
	}
	return f, err
}

// checkFollow holds what follows to its size.
func checkFollow(f *store.Follow) error {
	if size := f.Bytes(); size > MostFollowUpBytes {
		return fmt.Errorf("%w: what follows has %d bytes, at most %d: put large input into object storage and pass its key", ErrTooLarge, size, MostFollowUpBytes)
	}
	return nil
}

// followUps checks what is to follow and encodes its arguments. Every mistake is
// reported at once.
func (p *Producer) followUps(all []job.FollowUp) (followUps []store.FollowUp, err error) {
	if len(all) > MostFollowUps {
		return nil, fmt.Errorf("%w: %d jobs are to follow one, at most %d: let one job enqueue them", ErrOptions, len(all), MostFollowUps)
	}
	var problems []error
	for place, f := range all {
		u, err := p.followUp(f.Request, job.Apply(f.Options...))
		if err != nil {
			problems = append(problems, fmt.Errorf("follow-up %d (%s): %w", place, f.Request.Definition.Name, err))
		}
		u.Place, u.Always = place, f.Always
		followUps = append(followUps, u)
	}
	return followUps, errors.Join(problems...)
}

// followUp is one job that is to follow. Its arguments are part of the row before,
// however large: an object that no row of its own names would be swept away.
func (p *Producer) followUp(request job.Request, o job.Options) (store.FollowUp, error) {
	args, err := p.Arguments(request)
	if err != nil {
		return store.FollowUp{}, err
	}
	policy := p.tasks[request.Definition.Name].Policy
	queue := policy.Queue
	_, badStart := start(queue, o, p.now())
	own, badFollowUps := p.followUps(o.FollowUps)
	if err := errors.Join(badStart, checkGroup(queue, o.Group), checkOnce(o), checkRoom(queue, o), badFollowUps); err != nil {
		return store.FollowUp{}, err
	}
	return store.FollowUp{
		Task: request.Definition.Name, Queue: queue.Name, FIFO: queue.FIFO, Group: o.Group,
		MaxAttempts: policy.MaxAttempts, Version: policy.Version, Args: args,
		Delay: o.Delay, NotBefore: o.NotBefore, Client: o.Client, Trace: telemetry.Carried(context.Background(), o.Trace), FollowUps: own,
	}, nil
}

// checkOnce refuses options that say which job is the same as another, where that
// follows from what it belongs to.
func checkOnce(o job.Options) error {
	switch {
	case o.ID != "" || o.Fingerprint != "":
		return fmt.Errorf("%w: job.WithID is given, and the job's id follows from what it belongs to", ErrOptions)
	case o.Unique != nil:
		return fmt.Errorf("%w: job.Unique is given, and the job is made in a transaction: whether a unique job is made depends on another job; let it enqueue the unique one", ErrOptions)
	}
	return nil
}
