package main

import (
	"encoding/json"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// jobDetails are a job as --json shows it. The names are those of the HTTP API where
// it has them, too.
type jobDetails struct {
	ID              job.ID          `json:"id"`
	State           lifecycle.State `json:"state"`
	Task            string          `json:"task"`
	Queue           string          `json:"queue,omitempty"`
	Attempts        int             `json:"attempts"`
	MaxAttempts     int             `json:"max_attempts,omitempty"`
	Deaths          int             `json:"deaths,omitempty"`
	CancelRequested bool            `json:"cancel_requested,omitempty"`
	Degraded        bool            `json:"degraded,omitempty"`
	Spilled         bool            `json:"spilled,omitempty"`
	Client          string          `json:"client,omitempty"`
	Unique          string          `json:"unique,omitempty"`
	Trace           string          `json:"trace,omitempty"`
	Version         int             `json:"version,omitempty"`
	Args            json.RawMessage `json:"args,omitempty"`
	// ArgsObject is the key of arguments that lie outside the row.
	ArgsObject   string          `json:"args_object,omitempty"`
	Progress     json.RawMessage `json:"progress,omitempty"`
	Cursor       json.RawMessage `json:"cursor,omitempty"`
	Result       json.RawMessage `json:"result,omitempty"`
	ResultObject string          `json:"result_object,omitempty"`
	Error        *store.JobError `json:"error,omitempty"`
	// Publish is where the job is to be published, or has been: a queued one's is
	// there until a worker claims it.
	Publish string `json:"publish,omitempty"`
	// Follows is the job or the batch before, and Batch that which waits for the
	// job's end.
	Follows    *afterDetails `json:"follows,omitempty"`
	Batch      string        `json:"batch,omitempty"`
	Created    time.Time     `json:"created_at,omitzero"`
	NotBefore  time.Time     `json:"not_before,omitzero"`
	Started    time.Time     `json:"started_at,omitzero"`
	LeaseUntil time.Time     `json:"lease_until,omitzero"`
	Finished   time.Time     `json:"finished_at,omitzero"`
	Expires    time.Time     `json:"expires_at,omitzero"`
}

// afterDetails are what a job follows.
type afterDetails struct {
	Job   job.ID `json:"job,omitempty"`
	State string `json:"state,omitempty"`
	Batch string `json:"batch,omitempty"`
}

func detailsOf(rec store.Record) jobDetails {
	d := jobDetails{
		ID: rec.ID, State: rec.State, Task: rec.Task, Queue: rec.Queue,
		Attempts: rec.Attempt, MaxAttempts: rec.MaxAttempts, Deaths: rec.Deaths, CancelRequested: rec.CancelRequested,
		Degraded: rec.Degraded, Spilled: rec.Spilled, Client: rec.Client, Unique: rec.Unique, Trace: rec.Trace, Version: rec.Version,
		Args: asJSON(rec.Args), ArgsObject: keyOf(rec.ArgsObject), Progress: asJSON(rec.Progress), Cursor: asJSON(rec.Cursor),
		Result: asJSON(rec.Result), ResultObject: keyOf(rec.ResultObject), Error: rec.Error,
		Created: rec.Created, NotBefore: rec.NotBefore, Started: rec.Started, LeaseUntil: rec.LeaseUntil,
		Finished: rec.Finished, Expires: rec.Expires,
	}
	if rec.Publication != nil {
		d.Publish = rec.Publication.To
	}
	if f := rec.Follows; f != nil {
		d.Follows = &afterDetails{f.Job, f.State, f.Batch}
	}
	if rec.Follow != nil && rec.Follow.Member != nil {
		d.Batch = rec.Follow.Member.Batch
	}
	return d
}

// asJSON gives a value of a row as it is, and as a string where it is no JSON: that
// can be looked at, too.
func asJSON(value []byte) json.RawMessage {
	if len(value) == 0 || json.Valid(value) {
		return value
	}
	quoted, err := json.Marshal(string(value))
	if err != nil {
		return nil // a string always has JSON
	}
	return quoted
}

func keyOf(o *lifecycle.Object) string {
	if o == nil {
		return ""
	}
	return o.Key
}
