// Package client is a client of the HTTP API (package httpapi): it enqueues jobs,
// watches and cancels them, and uploads what they work on. Beyond this module's
// own small packages it needs the standard library alone.
//
// # Retries
//
// A call that fails for the moment (no answer, 429, 500, 502, 503, 504) is sent
// again, at most Config.Attempts times in all, after a wait that grows
// exponentially with full jitter. A Retry-After is a floor: the wait is never
// shorter, and 0 means at once. Every call may be repeated safely: a job is
// enqueued under an Idempotency-Key that stays the same, an upload can be written
// once (and S3's 409, which says that it is being written, is temporary).
//
// Retries that no server asked for come out of a budget that all calls of a
// Client share, so that a client does not multiply the load of a server that is
// down: a tenth of the calls that succeed, and Config.Budget to begin with.
//
// A call that gives up returns an error that is ErrGaveUp, with the reason and the
// last failure (*GaveUpError).
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

	"github.com/nightshift-go/nightshift/pkg/backoff"
)

// Defaults of a Config.
const (
	DefaultAttempts = 8
	DefaultBudget   = 20
	DefaultTimeout  = time.Minute
)

// DefaultBackoff gives the waits that no server prescribes.
var DefaultBackoff = backoff.Policy{Base: 500 * time.Millisecond, Floor: 50 * time.Millisecond, Cap: 20 * time.Second}

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
	// Attempts is how often a call is sent at most; zero means
	// DefaultAttempts, 1 means no retries.
	Attempts int
	// Budget is how many retries may be made that no server asked for; zero
	// means DefaultBudget. Each call that succeeds adds a tenth, up to it.
	Budget int
	// Backoff gives the waits; the zero value means DefaultBackoff.
	Backoff backoff.Policy
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
	budget *budget
}

// New makes a Client. It reports every mistake in the configuration at once.
func New(config Config) (*Client, error) {
	problems := []error{config.Backoff.Validate()}
	if u, err := url.Parse(config.URL); err != nil {
		problems = append(problems, fmt.Errorf("client: Config.URL: %w", err))
	} else if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		problems = append(problems, fmt.Errorf("client: Config.URL is %q: an http or https URL with a host", config.URL))
	}
	if config.Attempts < 0 || config.Budget < 0 {
		problems = append(problems, fmt.Errorf("client: Attempts is %d and Budget is %d: both are positive", config.Attempts, config.Budget))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	return &Client{config: config, base: strings.TrimRight(config.URL, "/"), budget: newBudget(config.Budget)}, nil
}

func (c Config) withDefaults() Config {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: DefaultTimeout}
	}
	if c.Attempts == 0 {
		c.Attempts = DefaultAttempts
	}
	if c.Budget == 0 {
		c.Budget = DefaultBudget
	}
	if c.Backoff.Base == 0 && c.Backoff.Wait == nil {
		c.Backoff = DefaultBackoff
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
