package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
)

// mostAnswer bounds what is read of an answer, in bytes: Lambda's is 6 MB, and
// results that are fetched from storage end at 16 MiB.
const mostAnswer = 17 << 20

// call is a request that may be sent more than once.
type call struct {
	method, url string
	header      http.Header
	body        []byte
	// done tells whether a status is what was wanted. attempt counts from 1.
	done func(status, attempt int) bool
	// again tells of statuses that are temporary for this call, beside those
	// that always are; nil for none.
	again func(status int) bool
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func is(statuses ...int) func(status, attempt int) bool {
	return func(status, _ int) bool {
		for _, s := range statuses {
			if s == status {
				return true
			}
		}
		return false
	}
}

// do sends a call until it is answered, or gives up.
func (c *Client) do(ctx context.Context, call call) (answer, error) {
	c.budget.Sent()
	for attempt := 1; ; attempt++ {
		a, err := c.once(ctx, call)
		if err == nil && call.done(a.status, attempt) {
			return a, nil
		}
		came := Answer{Temporary: true}
		if err == nil {
			failure := c.responseError(a)
			came.Temporary = failure.temporary() || call.again != nil && call.again(a.status)
			came.RetryAfter, came.Asked = failure.RetryAfter()
			err = failure
		}
		step := c.config.Retry.Next(attempt, came, c.budget, c.config.Random)
		switch {
		case step.Reason == NotTemporary:
			return answer{}, err
		case ctx.Err() != nil:
			return answer{}, fmt.Errorf("client: %s %s: %w", call.method, call.url, err)
		}
		if err := c.await(ctx, attempt, step, err); err != nil {
			return answer{}, err
		}
	}
}

// await waits for the next attempt, or tells why there is none.
func (c *Client) await(ctx context.Context, attempt int, step Step, cause error) error {
	at := c.config.Now().Add(step.Wait)
	gaveUp := &GaveUpError{Reason: step.Reason, Attempts: attempt, At: at, Err: cause}
	if !step.Again {
		return gaveUp
	}
	gaveUp.Reason = OutOfTime
	if deadline, ok := ctx.Deadline(); ok && at.After(deadline) {
		return gaveUp
	}
	if err := c.config.Sleep(ctx, step.Wait); err != nil {
		return errors.Join(err, gaveUp)
	}
	return nil
}

func (c *Client) once(ctx context.Context, call call) (a answer, err error) {
	r, err := http.NewRequestWithContext(ctx, call.method, call.url, bytes.NewReader(call.body))
	if err != nil {
		return answer{}, err
	}
	maps.Copy(r.Header, call.header)
	response, err := c.config.HTTP.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err != nil {
		return answer{}, fmt.Errorf("client: reading the answer to %s %s: %w", call.method, call.url, err)
	}
	return answer{status: response.StatusCode, header: response.Header, body: body}, nil
}
