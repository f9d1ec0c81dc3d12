package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Kept is a job that could not be enqueued yet: what is needed to send it later, in this
// process or, stored as JSON, in another. It holds no credentials.
type Kept struct {
	Task      string          `json:"task"`
	Arguments json.RawMessage `json:"arguments"`
	// Key is the Idempotency-Key of all attempts: should one of those before
	// have been accepted after all, Resume gets its job.
	Key string `json:"key"`
	// At is when to come back.
	At time.Time `json:"at"`
}

// Resume sends work that was kept. It does not wait until Kept.At: its caller does,
// who may have better things to do meanwhile. Where it gives up again the error holds
// the work again, with another time.
func (c *Client) Resume(ctx context.Context, work Kept) (Job, error) {
	return c.enqueue(ctx, work)
}

// keeping puts the work into the error of a call that gave up.
func keeping(work Kept, err error) error {
	var gaveUp *GaveUpError
	if errors.As(err, &gaveUp) {
		work.At = gaveUp.At
		gaveUp.Kept = &work
	}
	return err
}
