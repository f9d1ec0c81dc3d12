package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A FollowUp is a job that is made by the write that ends another one. It is part of
// that one's row until then.
type FollowUp struct {
	// Place is that among the job's follow-ups; the id follows from it.
	Place int `json:"place"`
	// Always tells that it is made however the job before ends, and not only when
	// that is done.
	Always bool `json:"always,omitempty"`

	Task        string `json:"task"`
	Queue       string `json:"queue"`
	FIFO        bool   `json:"fifo,omitempty"`
	Group       string `json:"group,omitempty"`
	MaxAttempts int    `json:"max_attempts"`
	// Version is that of the arguments; zero means 1.
	Version int             `json:"version,omitempty"`
	Args    json.RawMessage `json:"args"`
	// Delay counts from the end of the job before; NotBefore is a time. Zero
	// means at once.
	Delay     time.Duration `json:"delay_ns,omitempty"`
	NotBefore time.Time     `json:"not_before,omitzero"`
	// Client and Trace are the job's before where they are empty.
	Client string `json:"client,omitempty"`
	Trace  string `json:"trace,omitempty"`
	// FollowUps are its own.
	FollowUps []FollowUp `json:"follow,omitempty"`
}

// A Follow is what the end of a job entails. It is made by NewFollow and not changed.
type Follow struct {
	// Member is set where the job is one of a batch that has not counted it yet.
	Member *Member
	// jobs are the follow-ups as the row has them: JSON, empty where there are
	// none.
	jobs string
	// written is the attribute.
	written types.AttributeValue
}

// NewFollow gives what a new job's row is to say of its end; nil where that entails
// nothing.
func NewFollow(followUps []FollowUp, member *Member) (*Follow, error) {
	if len(followUps) == 0 && member == nil {
		return nil, nil
	}
	f := &Follow{Member: member}
	attribute := Item{}
	if len(followUps) > 0 {
		var err error
		if f.jobs, err = compact(followUps); err != nil {
			return nil, fmt.Errorf("store: encoding follow-ups: %w", err)
		}
		attribute["jobs"] = text(f.jobs)
	}
	member.addTo(attribute)
	f.written = &types.AttributeValueMemberM{Value: attribute}
	return f, nil
}

// compact encodes without making more of angle brackets than they are.
func compact(value any) (string, error) {
	var encoded bytes.Buffer
	e := json.NewEncoder(&encoded)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return string(bytes.TrimSuffix(encoded.Bytes(), []byte("\n"))), err
}

// same tells whether two rows entail the same.
func (f *Follow) same(other *Follow) bool {
	if f == nil || other == nil {
		return f == other
	}
	return f.jobs == other.jobs
}

// FollowUps gives the jobs that are still to be made.
func (f *Follow) FollowUps() (followUps []FollowUp, err error) {
	if f == nil || f.jobs == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(f.jobs), &followUps); err != nil {
		return nil, fmt.Errorf("%w: its follow-ups: %w", ErrUnreadable, err)
	}
	return followUps, nil
}

// Bytes is about how much of the row it takes.
func (f *Follow) Bytes() int {
	if f == nil {
		return 0
	}
	size := len("follow") + len("jobs") + len(f.jobs) + 8
	if f.Member != nil {
		size += 2*len(f.Member.Batch) + memberBytes
	}
	return size
}

// followOf reads the attribute.
func followOf(v types.AttributeValue) *Follow {
	m := document(v)
	if m == nil {
		return nil
	}
	return &Follow{jobs: str(m["jobs"]), Member: memberOf(m), written: v}
}

// next is the job that a follow-up becomes when rec has ended in a state.
func (u FollowUp) next(rec *Record, state lifecycle.State, now time.Time) (NewJob, error) {
	n, err := u.job(rec.ID.Follow(u.Place), now)
	n.Follows = &job.Follows{Job: rec.ID, State: string(state)}
	if n.Client == "" {
		n.Client = rec.Client
	}
	if n.Trace == "" {
		n.Trace = rec.Trace
	}
	return n, err
}

// id is the follow-up's, made of what it derives from.
func (u FollowUp) id(id job.ID) job.ID {
	if u.FIFO {
		return id.InGroup(u.Queue, u.Group)
	}
	return id
}

// job is what is to be made, at a time, under an id.
func (u FollowUp) job(id job.ID, now time.Time) (NewJob, error) {
	follow, err := NewFollow(u.FollowUps, nil)
	at := u.NotBefore
	if u.Delay > 0 {
		at = now.Add(u.Delay)
	}
	return NewJob{
		ID: u.id(id), Task: u.Task, Queue: u.Queue, FIFO: u.FIFO, MaxAttempts: u.MaxAttempts, Args: u.Args, Version: u.Version,
		NotBefore: at, Client: u.Client, Trace: u.Trace, Follow: follow,
	}, err
}

// followsOf reads what a row says of the job or the batch before.
func followsOf(v types.AttributeValue) *job.Follows {
	m := document(v)
	if m == nil {
		return nil
	}
	return &job.Follows{Job: job.ID(str(m["job"])), State: str(m["state"]), Batch: str(m["batch"])}
}

// followsValue writes what followsOf reads.
func followsValue(f job.Follows) types.AttributeValue {
	m := Item{}
	for name, value := range map[string]string{"job": string(f.Job), "state": f.State, "batch": f.Batch} {
		if value != "" {
			m[name] = text(value)
		}
	}
	return &types.AttributeValueMemberM{Value: m}
}
