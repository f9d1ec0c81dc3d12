package httpapi

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Job is a job as clients see it. What is not known is absent. Times are in UTC
// (RFC 3339, milliseconds).
type Job struct {
	ID    job.ID          `json:"id"`
	Task  string          `json:"task"`
	State lifecycle.State `json:"state"`
	// StatusURL is where to ask how it stands: the same as Location.
	StatusURL string `json:"status_url"`
	// Attempts counts the runs so far; MaxAttempts is how many there may be.
	Attempts    int `json:"attempts"`
	MaxAttempts int `json:"max_attempts"`
	// Progress is what the handler last told of how far it has come
	// (worker.Progress).
	Progress json.RawMessage `json:"progress,omitzero"`
	// Result is what the handler gave, once the job is done.
	Result json.RawMessage `json:"result,omitzero"`
	// ResultURL is where to read the result instead, within LinkLife, where it
	// is too large for an answer.
	ResultURL string `json:"result_url,omitzero"`
	// Error is why the job is dead, or why its last attempt failed.
	Error *store.JobError `json:"error,omitzero"`
	// CancelRequested tells that a running job was asked to stop.
	CancelRequested bool   `json:"cancel_requested"`
	CreatedAt       string `json:"created_at"`
	StartedAt       string `json:"started_at,omitzero"`
	FinishedAt      string `json:"finished_at,omitzero"`
}

// statusURL is where a job's status is to be had.
func statusURL(id job.ID) string { return "/jobs/" + string(id) }

func view(rec store.Record) Job {
	return Job{
		ID: rec.ID, Task: rec.Task, State: rec.State, StatusURL: statusURL(rec.ID),
		Attempts: rec.Attempt, MaxAttempts: rec.MaxAttempts,
		Progress: rec.Progress, Result: rec.Result, Error: told(rec.Error), CancelRequested: rec.CancelRequested,
		CreatedAt: stamp(rec.Created), StartedAt: stamp(rec.Started), FinishedAt: stamp(rec.Finished),
	}
}

// told is an error as clients may see it. Errors that carry a code of their own
// (job.Coded) were written for them. What others say, such as a database's words,
// a panic's or SQS's, was written for us alone: it stays in the row, the logs and
// the letter.
func told(e *store.JobError) *store.JobError {
	if e == nil {
		return nil
	}
	switch e.Code {
	case job.DefaultErrorCode:
		return &store.JobError{Code: e.Code, Message: "the attempt failed"}
	case "timeout":
		return &store.JobError{Code: e.Code, Message: "the attempt took too long"}
	case "panic":
		return &store.JobError{Code: e.Code, Message: "the job's code failed unexpectedly"}
	case "arguments_missing", "arguments_damaged":
		return &store.JobError{Code: e.Code, Message: "the job's arguments could not be read"}
	case "result_not_kept":
		return &store.JobError{Code: e.Code, Message: "the job's result could not be kept"}
	case "undeliverable":
		return &store.JobError{Code: e.Code, Message: "the job could not be handed to its queue"}
	}
	return e
}

// asFirstAnswered is the job as it was when its 202 was sent, whatever became of
// it since: jobs enqueued over HTTP start at once, so they were queued, unless their queue
// was full and they were spilled.
func asFirstAnswered(rec store.Record) Job {
	state := lifecycle.Queued
	if rec.Spill != nil { // it stays when the job is released
		state = lifecycle.Scheduled
	}
	return view(store.Record{
		ID: rec.ID, Task: rec.Task, Created: rec.Created,
		Row: lifecycle.Row{State: state, MaxAttempts: rec.MaxAttempts},
	})
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// respond makes a response with a JSON body.
func respond(status int, value any, headers map[string]string) (response, error) {
	body, err := payload.Encode(value)
	if err != nil {
		return response{}, fmt.Errorf("httpapi: answering: %w", err)
	}
	headers["Content-Type"] = "application/json"
	return response{StatusCode: status, Headers: headers, Body: string(body)}, nil
}

// Waits between two looks at a job.
const (
	firstLook   = time.Second
	leastWait   = time.Second
	mostWait    = 5 * time.Second
	mostPlanned = 5 * time.Minute
	agePerWait  = 10 // a job that is half a minute old is looked at every 3 s
)

// nextLook is when to look at an unfinished job again: soon while it is young,
// every few seconds later, and not before a planned start.
func nextLook(rec store.Record, now time.Time) time.Duration {
	wait := min(max(now.Sub(rec.Created)/agePerWait, leastWait), mostWait)
	if planned := rec.NotBefore.Sub(now); !rec.NotBefore.IsZero() && rec.State != lifecycle.Running && planned > wait {
		wait = min(planned, mostPlanned)
	}
	return wait
}

// The same words for a job that never was, has expired, or is another client's,
// so that nobody learns which.
func noSuchJob() *problem { return notFound("there is no such job, or it is not yours") }
