package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Defaults of a RateLimitConfig. An address may be that of a house, an office or
// thousands of mobile phones (RFC 6598), so it is given more than a client.
const (
	DefaultRate         = job.Rate(5)
	DefaultBurst        = 100
	DefaultAddressRate  = job.Rate(20)
	DefaultAddressBurst = 400
)

// A RateLimitConfig says how many requests one client may send. The zero value of each
// field but Driver means its default.
type RateLimitConfig struct {
	// Driver reaches the jobs table, where the counts are (package limit).
	// Required.
	Driver store.Driver
	// Name tells the limit from others: routes that are given the same one
	// share what a client may send. Default "http".
	Name string
	// Rate is how many requests a client may send a second, and Burst how many
	// at once after a pause. Default DefaultRate and DefaultBurst.
	Rate  job.Rate
	Burst int
	// AddressRate and AddressBurst are for requests of nobody in particular, by
	// the address they come from. Default DefaultAddressRate and
	// DefaultAddressBurst.
	AddressRate  job.Rate
	AddressBurst int
	// Lease is how many requests of a busy client a process may let in by one
	// write (limit.BucketConfig.Lease); default each costs one.
	Lease int
	// Client tells who sent a request; "" where nobody knows. Default: who the
	// API's authorizer says (ClientOf).
	Client func(events.APIGatewayV2HTTPRequest) string
	// Address tells where a request came from. Default: the source address, as
	// API Gateway saw the connection. X-Forwarded-For is what the client
	// writes; behind a content delivery network, read what that one writes.
	Address func(events.APIGatewayV2HTTPRequest) string
	// CountLoopback counts requests of the machine itself as well. By default
	// they are free: in AWS there are none, and on a laptop all are.
	CountLoopback bool
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Logger is told where the table did not answer; default none.
	Logger *slog.Logger
}

// A RateLimit keeps each client to a rate. A client that sends more is answered 429
// with Retry-After; this and every other answer tells how it stands, in the header
// fields RateLimit and RateLimit-Policy. Where the table does not answer, requests are
// let in. It may be used by many goroutines.
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/10/
type RateLimit struct {
	config             RateLimitConfig
	clients, addresses *limit.Bucket
}

// NewRateLimit makes a RateLimit. It reports every mistake in the configuration at
// once.
func NewRateLimit(config RateLimitConfig) (*RateLimit, error) {
	config = config.withDefaults()
	clients, err1 := config.bucket(".client", config.Rate, config.Burst)
	addresses, err2 := config.bucket(".address", config.AddressRate, config.AddressBurst)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("httpapi: RateLimitConfig: %w", err)
	}
	return &RateLimit{config, clients, addresses}, nil
}

func (c RateLimitConfig) bucket(kind string, rate job.Rate, burst int) (*limit.Bucket, error) {
	return limit.NewBucket(limit.BucketConfig{Driver: c.Driver, Name: c.Name + kind, Rate: rate, Burst: burst, Lease: c.Lease, Now: c.Now})
}

func (c RateLimitConfig) withDefaults() RateLimitConfig {
	if c.Name == "" {
		c.Name = "http"
	}
	if c.Rate == 0 {
		c.Rate = DefaultRate
	}
	if c.Burst == 0 {
		c.Burst = DefaultBurst
	}
	if c.AddressRate == 0 {
		c.AddressRate = DefaultAddressRate
	}
	if c.AddressBurst == 0 {
		c.AddressBurst = DefaultAddressBurst
	}
	if c.Client == nil {
		c.Client = func(r events.APIGatewayV2HTTPRequest) string {
			client, _ := ClientOf(r) // one that is not named is known by its address
			return client
		}
	}
	if c.Address == nil {
		c.Address = func(r events.APIGatewayV2HTTPRequest) string { return r.RequestContext.HTTP.SourceIP }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
