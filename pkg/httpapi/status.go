package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/etag"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A JobsConfig says what Status and Cancel work with.
type JobsConfig struct {
	// Jobs is where jobs are kept. Required.
	Jobs *store.Jobs
	// Objects is where results are that are too large for a job's row. Status
	// needs it where workers have it.
	Objects *claimcheck.Objects
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Logger is for what clients are not told; default none.
	Logger *slog.Logger
}

func (c JobsConfig) withDefaults() (JobsConfig, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Jobs == nil {
		return c, errors.New("httpapi: JobsConfig.Jobs is nil: make it with store.New")
	}
	return c, nil
}

// Status answers GET and HEAD /jobs/{id}: how a job stands, read consistently. A
// failed job is no failed request: the answer is 200 whenever the job exists.
// Retry-After says when to look again, while the job is unfinished. It may be
// used by many goroutines.
type Status struct {
	endpoint
	config JobsConfig
}

// NewStatus makes the handler.
func NewStatus(config JobsConfig) (*Status, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Status{endpoint: newEndpoint(config.Logger, http.MethodGet, http.MethodHead), config: config}, nil
}

// Handle answers one request.
func (s *Status) Handle(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return s.answer(ctx, event, s.serve)
}

func (s *Status) serve(ctx context.Context, r request) (response, error) {
	client, err := r.client()
	if err != nil {
		return response{}, err
	}
	rec, err := own(ctx, s.config.Jobs, r, client)
	if err != nil {
		return response{}, err
	}
	// What is stored must be asked for again each time, and may be kept by
	// the client alone.
	headers := map[string]string{"Cache-Control": "private, no-cache"}
	if !rec.State.Final() {
		headers["Retry-After"] = seconds(nextLook(rec, s.config.Now()))
	}
	answer, err := respond(http.StatusOK, view(rec), headers)
	if err != nil {
		return response{}, err
	}
	headers["ETag"] = etag.Of(answer.Body + claimed(rec))
	if known, ok := r.header("If-None-Match"); ok && etag.Matches(known, headers["ETag"]) {
		delete(headers, "Content-Type")
		return response{StatusCode: http.StatusNotModified, Headers: headers}, nil
	}
	if rec.ResultObject == nil || r.method() == http.MethodHead {
		return answer, nil
	}
	return s.withResult(ctx, r, rec, headers)
}

// own reads the job in the path, if it is the client's.
func own(ctx context.Context, jobs *store.Jobs, r request, client string) (store.Record, error) {
	id, err := job.ParseID(r.PathParameters["id"])
	if errors.Is(err, job.ErrBadID) {
		return store.Record{}, noSuchJob()
	}
	if err != nil {
		return store.Record{}, err
	}
	rec, err := jobs.Get(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && rec.Client != client {
		return store.Record{}, noSuchJob()
	}
	return rec, err
}
