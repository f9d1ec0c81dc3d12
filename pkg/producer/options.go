package producer

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Limits of the options.
const (
	// LongestAhead is how far ahead a job may be planned. What lies further
	// off is more often a mistaken unit than a plan.
	LongestAhead = lifecycle.LongestWait
	// LongestAheadInGroup is the same for FIFO queues, where a job that waits
	// holds up its group and waits in the queue, never in the table.
	LongestAheadInGroup = lifecycle.LongestInvisible
	// LongestGroup is the most characters that a group's name has.
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
	LongestGroup = 128
)

// start gives the earliest start that was asked for; zero means at once.
func start(queue job.Queue, o job.Options, now time.Time) (time.Time, error) {
	at := o.NotBefore
	switch {
	case o.Delay < 0:
		return at, fmt.Errorf("%w: job.In(%v): a delay can't be negative", ErrOptions, o.Delay)
	case o.Delay > 0 && !at.IsZero():
		return at, fmt.Errorf("%w: both job.In and job.At are given: use one", ErrOptions)
	case o.Delay > 0:
		at = now.Add(o.Delay)
	case at.IsZero():
		return at, nil
	}
	longest := LongestAhead
	if queue.FIFO {
		longest = LongestAheadInGroup
	}
	if at.After(now.Add(longest)) {
		return at, fmt.Errorf("%w: the job would start at %s: queue %q takes jobs at most %v ahead",
			ErrOptions, at.UTC().Format(time.RFC3339), queue.Name, longest)
	}
	return at, nil
}

// LongestKey is the most bytes that a unique job's key has: with the task's name it
// is part of a row's primary key.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const LongestKey = 1 << 10

// uniqueness gives the key that a job is to have, with its policy's rule; nil
// where none was asked for.
func uniqueness(p job.Policy, key *string) (*store.Unique, error) {
	switch {
	case key == nil:
		return nil, nil
	case *key == "", len(*key) > LongestKey, !utf8.ValidString(*key):
		return nil, fmt.Errorf("%w: job.Unique(%.80q): a key has 1 to %d bytes of UTF-8", ErrOptions, *key, LongestKey)
	}
	return &store.Unique{Key: *key, For: p.Unique.For, NewestWins: p.Unique.NewestWins}, nil
}

// checkGroup holds the group to the queue's kind and to SQS's characters.
func checkGroup(queue job.Queue, group string) error {
	switch {
	case queue.FIFO && group == "":
		return fmt.Errorf("%w: queue %q is first-in-first-out: name the job's group with job.Group", ErrOptions, queue.Name)
	case !queue.FIFO && group != "":
		return fmt.Errorf("%w: job.Group is given and queue %q has no groups: set its FIFO, or drop the group", ErrOptions, queue.Name)
	case len(group) > LongestGroup:
		return fmt.Errorf("%w: the group's name has %d characters: at most %d", ErrOptions, len(group), LongestGroup)
	}
	for _, r := range group {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("%w: the group's name holds %q: letters, digits and ASCII punctuation only", ErrOptions, r)
		}
	}
	return nil
}

// checkID refuses an id that names a group: the producer adds it.
func checkID(o job.Options) error {
	if o.ID == "" {
		if o.Fingerprint != "" {
			return fmt.Errorf("%w: a fingerprint without an id", ErrOptions)
		}
		return nil
	}
	_, _, grouped := o.ID.Group()
	if _, err := job.ParseID(string(o.ID)); err != nil || grouped {
		return errors.Join(fmt.Errorf("%w: job.WithID takes an id made by job.IDOf, and was given %.80q", ErrOptions, o.ID), err)
	}
	return nil
}
