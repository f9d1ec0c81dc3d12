// Package httpapi answers HTTP requests for background work, behind an API
// Gateway HTTP API with payload format 2.0:
//
//	POST   /jobs/{task}  Enqueue   202: a job is accepted
//	GET    /jobs/{id}    Status    200: how it stands
//	DELETE /jobs/{id}    Cancel    202: it is, or will be, cancelled
//	POST   /uploads      Uploads   201: where to put a large input
//
// Each is a handler to give to lambda.Start. The job exists, and is run, from the
// moment its 202 was sent.
//
// # Who asks
//
// Where the API has an authorizer, its client sees and cancels its own jobs only:
// those of others are 404, as if they did not exist. Without one everybody is the
// same client, and ids that can't be guessed are the capability.
//
// # Errors
//
// Errors are application/problem+json (RFC 9457) with a stable type, and the
// request's id to find it in the logs. What went wrong inside is logged and never
// shown. A 503 and a 429 have a Retry-After.
//
// # Rates
//
// RateLimit keeps each client to a rate: in front of Enqueue and Uploads, or of any
// other handler. It comes first, then the gate of the queue.
//
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// endpoint is what all handlers share.
type endpoint struct {
	methods []string
	logger  *slog.Logger
}

func newEndpoint(logger *slog.Logger, methods ...string) endpoint {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return endpoint{methods: methods, logger: logger}
}

// answer has serve answer a request, and turns whatever comes of it into a
// response. The error is always nil: API Gateway would show its own page for it.
func (e endpoint) answer(ctx context.Context, event events.APIGatewayV2HTTPRequest, serve func(context.Context, request) (response, error)) (response, error) {
	r := request{event}
	ctx = r.traced(ctx)
	answer, err := e.try(ctx, r, serve)
	if err != nil {
		answer = e.failure(ctx, r, err)
	}
	if r.method() == http.MethodHead {
		answer.Body = ""
	}
	return answer, nil
}

func (e endpoint) try(ctx context.Context, r request, serve func(context.Context, request) (response, error)) (answer response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("httpapi: panic: %v\n%s", p, debug.Stack())
		}
	}()
	if !slices.Contains(e.methods, r.method()) {
		return response{}, methodNotAllowed(e.methods)
	}
	return serve(ctx, r)
}

// failure gives the response to an error: a problem as it is, everything else
// without its text, which goes to the logs.
func (e endpoint) failure(ctx context.Context, r request, err error) response {
	var p *problem
	switch {
	case errors.As(err, &p):
	case errors.Is(err, store.ErrThrottled), errors.Is(err, claimcheck.ErrUnavailable):
		e.logger.WarnContext(ctx, "throttled, or without its storage", "request_id", r.id(), "error", err.Error())
		p = throttled()
	default:
		e.logger.ErrorContext(ctx, "request failed", "request_id", r.id(), "route", r.RouteKey, "error", err.Error())
		p = internalError()
	}
	return p.response(r)
}

func methodNotAllowed(methods []string) *problem {
	allow := strings.Join(methods, ", ")
	return newProblem(http.StatusMethodNotAllowed, "method-not-allowed", "the methods here are "+allow).with("Allow", allow)
}
