// Package client is a client of the HTTP API (package httpapi): it enqueues jobs,
// watches and cancels them, and uploads what they work on. Beyond this module's
// own small packages it needs the standard library alone.
//
// # Retries
//
// A call that fails for the moment (no answer, 429, 500, 502, 503, 504) is sent
// again by the rule of a RetryPolicy: a bounded number of attempts, waits that grow
// exponentially with full jitter, a Retry-After as a floor, and a budget of retries
// that all calls of a Client share (Budget). Every call may be repeated safely: a job
// is enqueued under an Idempotency-Key that stays the same, an upload can be written
// once (and S3's 409, which says that it is being written, is temporary).
//
// A call that gives up returns an error that is ErrGaveUp, with the reason, the last
// failure, and when to come back; a job that was to be enqueued is in it as well, to be
// stored and sent later under the same key (GaveUpError.Kept, Client.Resume).
package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultTimeout ends a request that is not answered.
const DefaultTimeout = time.Minute

// A Config says how to reach the API.
type Config struct {
	// URL is the API's: "https://….execute-api.eu-west-1.amazonaws.com".
	// Required.
	URL string
	// HTTP sends requests; default a client with DefaultTimeout for each.
	HTTP *http.Client
	// Header goes with every request to the API (Authorization), and not with
	// uploads.
	Header http.Header
	// Retry says whether and when a call is sent again; the zero value means the
	// defaults of each of its fields.
	Retry RetryPolicy
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Sleep waits for d or until ctx ends, with its error; default by timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Random gives numbers in [0, 1), for jitter; default rand.Float64. It may
	// be called by many goroutines.
	Random func() float64
	// Keys draws idempotency keys; default crypto/rand.Reader.
	Keys io.Reader
}

// A Client calls the API. It may be used by many goroutines.
type Client struct {
	config Config
	base   string
	budget *Budget
}

// New makes a Client. It reports every mistake in the configuration at once.
func New(config Config) (*Client, error) {
	problems := []error{config.Retry.Validate()}
	if u, err := url.Parse(config.URL); err != nil {
		problems = append(problems, fmt.Errorf("client: Config.URL: %w", err))
	} else if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		problems = append(problems, fmt.Errorf("client: Config.URL is %q: an http or https URL with a host", config.URL))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	return &Client{config: config, base: strings.TrimRight(config.URL, "/"), budget: config.Retry.NewBudget(config.Now)}, nil
}

func (c Config) withDefaults() Config {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: DefaultTimeout}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Random == nil {
		c.Random = mathrand.Float64
	}
	if c.Keys == nil {
		c.Keys = rand.Reader
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
