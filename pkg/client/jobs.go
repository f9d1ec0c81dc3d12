package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Job is a job as the API shows it. What is not known has its zero value.
type Job struct {
	ID   job.ID `json:"id"`
	Task string `json:"task"`
	// State is scheduled, queued, running, done, dead or cancelled.
	State       string `json:"state"`
	StatusURL   string `json:"status_url"`
	Attempts    int    `json:"attempts"`
	MaxAttempts int    `json:"max_attempts"`
	// Progress and Result are the task's own.
	Progress json.RawMessage `json:"progress"`
	Result   json.RawMessage `json:"result"`
	// ResultURL is where a result was that is too large for an answer: Status,
	// Wait and Watch have fetched it into Result.
	ResultURL string `json:"result_url"`
	// Error is why the job is dead, or why its last attempt failed.
	Error           *JobError `json:"error"`
	CancelRequested bool      `json:"cancel_requested"`
	CreatedAt       time.Time `json:"created_at"`
	StartedAt       time.Time `json:"started_at"`
	FinishedAt      time.Time `json:"finished_at"`
}

// A JobError is why a job failed.
type JobError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Finished tells whether the job has ended: done, dead or cancelled.
func (j Job) Finished() bool {
	return j.State == "done" || j.State == "dead" || j.State == "cancelled"
}

// An Option changes how a job is enqueued.
type Option func(*enqueueing)

type enqueueing struct{ key string }

// Key is the Idempotency-Key, for callers that may ask again after this process
// has ended: the same key and arguments always mean the same job. It has 1 to 255
// printable ASCII characters. Without it each call of Enqueue draws its own.
func Key(key string) Option { return func(e *enqueueing) { e.key = key } }

// Enqueue asks for a job of a public task. arguments encode as a JSON object. Where it
// gives up the work is kept: the error is a *GaveUpError with what to give to Resume.
func (c *Client) Enqueue(ctx context.Context, task string, arguments any, options ...Option) (Job, error) {
	body, err := json.Marshal(arguments)
	if err != nil {
		return Job{}, fmt.Errorf("client: encoding the arguments of %s: %w", task, err)
	}
	var e enqueueing
	for _, option := range options {
		option(&e)
	}
	if e.key == "" {
		if e.key, err = c.newKey(); err != nil {
			return Job{}, err
		}
	}
	return c.enqueue(ctx, Kept{Task: task, Arguments: body, Key: e.key})
}

func (c *Client) enqueue(ctx context.Context, work Kept) (Job, error) {
	header := c.header()
	header.Set("Content-Type", "application/json")
	header.Set("Idempotency-Key", quote(work.Key))
	a, err := c.do(ctx, call{
		method: http.MethodPost, url: c.base + "/jobs/" + url.PathEscape(work.Task),
		header: header, body: work.Arguments, done: is(http.StatusAccepted),
	})
	if err != nil {
		return Job{}, keeping(work, err)
	}
	return decodeJob(a)
}

// Status asks how a job stands.
func (c *Client) Status(ctx context.Context, id job.ID) (Job, error) {
	a, err := c.do(ctx, call{method: http.MethodGet, url: c.jobURL(id), header: c.header(), done: is(http.StatusOK)})
	if err != nil {
		return Job{}, err
	}
	return c.whole(ctx, a)
}

// whole reads a job, and fetches its result where the answer only leads to it. The
// link is all that is needed: neither the API's headers nor its cookies go along.
func (c *Client) whole(ctx context.Context, a answer) (Job, error) {
	j, err := decodeJob(a)
	if err != nil || j.ResultURL == "" {
		return j, err
	}
	result, err := c.do(ctx, call{method: http.MethodGet, url: j.ResultURL, header: http.Header{}, done: is(http.StatusOK)})
	if err != nil {
		return j, fmt.Errorf("client: fetching the result of job %s: %w", j.ID, err)
	}
	if !json.Valid(result.body) {
		return j, fmt.Errorf("client: the result of job %s is no JSON", j.ID)
	}
	j.Result = result.body
	return j, nil
}

// Cancel cancels a job, or asks a running one to stop: it then shows
// CancelRequested. A job that has ended otherwise is a *ResponseError of status
// 409.
func (c *Client) Cancel(ctx context.Context, id job.ID) (Job, error) {
	a, err := c.do(ctx, call{method: http.MethodDelete, url: c.jobURL(id), header: c.header(), done: is(http.StatusAccepted)})
	if err != nil {
		return Job{}, err
	}
	return decodeJob(a)
}

func (c *Client) jobURL(id job.ID) string { return c.base + "/jobs/" + url.PathEscape(string(id)) }

func (c *Client) header() http.Header {
	header := c.config.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept", "application/json, application/problem+json")
	return header
}

func (c *Client) newKey() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(c.config.Keys, b[:]); err != nil {
		return "", fmt.Errorf("client: drawing an idempotency key: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// quote writes a string of RFC 8941.
func quote(key string) string {
	quoted := []byte{'"'}
	for i := range len(key) {
		if key[i] == '"' || key[i] == '\\' {
			quoted = append(quoted, '\\')
		}
		quoted = append(quoted, key[i])
	}
	return string(append(quoted, '"'))
}

func decodeJob(a answer) (Job, error) {
	var j Job
	if err := json.Unmarshal(a.body, &j); err != nil {
		return Job{}, fmt.Errorf("client: reading a job: %w", err)
	}
	return j, nil
}
