package client

import (
	"context"
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// Waits between looks: where the server says nothing, and at least.
const (
	defaultLook = 2 * time.Second
	leastLook   = 100 * time.Millisecond
)

// Wait asks how a job stands, as often as the server wants to be asked, until it
// has ended: done, dead or cancelled, none of which is an error here. What did
// not change is not sent again (ETag). It ends with ctx, or with the first call
// that gives up; the job is then as it was seen last.
func (c *Client) Wait(ctx context.Context, id job.ID) (Job, error) {
	return c.Watch(ctx, id, func(Job) {})
}

// Watch does what Wait does and tells seen of each change, the first look
// included.
func (c *Client) Watch(ctx context.Context, id job.ID, seen func(Job)) (Job, error) {
	var j Job
	header := c.header()
	for {
		a, err := c.do(ctx, call{
			method: http.MethodGet, url: c.jobURL(id), header: header,
			done: is(http.StatusOK, http.StatusNotModified),
		})
		if err != nil {
			return j, err
		}
		if a.status == http.StatusOK {
			if j, err = c.whole(ctx, a); err != nil {
				return j, err
			}
			if tag := a.header.Get("ETag"); tag != "" {
				header.Set("If-None-Match", tag)
			}
			seen(j)
		}
		if j.Finished() {
			return j, nil
		}
		if err := c.config.Sleep(ctx, c.untilNextLook(a)); err != nil {
			return j, err
		}
	}
}

// untilNextLook is what the server asked for and up to a tenth more, so that
// clients don't look in step.
func (c *Client) untilNextLook(a answer) time.Duration {
	wait, ok := retryAfter(a.header, c.config.Now())
	if !ok {
		wait = defaultLook
	}
	wait = max(wait, leastLook)
	return later(wait, time.Duration(c.config.Random()*float64(wait)/10))
}
