package readers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Tries keeps passwords from being tried for long. A try takes tokens before the
// password is looked at:
//
//	strangers: of their network, 30 at once, one each ten seconds,
//	           and of the account, 10 at once, one each five minutes
//	a browser in which the account's owner was signed in:
//	           of its own alone, 10 at once, one a minute
//
// So nobody tries more than some 300 passwords of an account a day, from however many
// addresses; and somebody who does locks out strangers, and not the owner: their
// browsers have buckets of their own, and on a new one a link by mail (resets) sets a
// password and makes the browser known. What is counted is the same for accounts that
// there are and others. Where the table does not answer, tries are let in.
//
// It may be used by many goroutines.
type Tries struct {
	networks, strangers, browsers *limit.Bucket
	logger                        *slog.Logger
}

// A TriesConfig is what Tries needs.
type TriesConfig struct {
	// Driver reaches the table where tries are counted. Required.
	Driver store.Driver
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Logger is told where the table did not answer; default slog.Default().
	Logger *slog.Logger
}

// NewTries makes Tries.
func NewTries(config TriesConfig) (*Tries, error) {
	bucket := func(kind string, rate job.Rate, burst int) (*limit.Bucket, error) {
		return limit.NewBucket(limit.BucketConfig{Driver: config.Driver, Name: "sign-in." + kind, Rate: rate, Burst: burst, Now: config.Now})
	}
	networks, err1 := bucket("network", job.PerMinute(6), 30)
	strangers, err2 := bucket("stranger", job.PerMinute(1.0/5), 10)
	browsers, err3 := bucket("browser", job.PerMinute(1), 10)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("readers: NewTries: %w", err)
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	return &Tries{networks, strangers, browsers, config.Logger}, nil
}

// take takes one try of an account, which is named by its address. browser is that in
// which its owner was signed in; empty for strangers. No try left is a *site.Problem.
func (t *Tries) take(r *http.Request, address, browser string) error {
	// Keys are kept for a while: they need not tell whose account it is.
	sum := sha256.Sum256([]byte(address))
	account := hex.EncodeToString(sum[:16])
	if browser != "" {
		return t.from(r.Context(), t.browsers, account+"/"+browser)
	}
	if network, loopback := httpapi.Network(r.RemoteAddr); !loopback {
		if err := t.from(r.Context(), t.networks, network); err != nil {
			return err
		}
	}
	return t.from(r.Context(), t.strangers, account)
}

func (t *Tries) from(ctx context.Context, bucket *limit.Bucket, key string) error {
	d, err := bucket.Take(ctx, key)
	switch {
	case err != nil:
		t.logger.WarnContext(ctx, "a try to sign in was not counted", "error", err.Error())
		return nil
	case d.Granted:
		return nil
	}
	return &site.Problem{
		Status: http.StatusTooManyRequests, Name: "too-many-tries", RetryAfter: d.RetryAfter,
		Detail: "too many tries to sign in; have a link mailed to you, or wait",
	}
}
