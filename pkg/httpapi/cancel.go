package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Cancel answers DELETE /jobs/{id}. A job that waits is cancelled when the 202 is
// sent; one that runs is asked to stop, shows cancel_requested, and may still end
// done. Asking twice gives the same answer; a job that ended otherwise is 409. It
// may be used by many goroutines.
type Cancel struct {
	endpoint
	config JobsConfig
}

// NewCancel makes the handler.
func NewCancel(config JobsConfig) (*Cancel, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Cancel{endpoint: newEndpoint(config.Logger, http.MethodDelete), config: config}, nil
}

// Handle answers one request.
func (c *Cancel) Handle(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return c.answer(ctx, event, c.serve)
}

func (c *Cancel) serve(ctx context.Context, r request) (response, error) {
	client, err := r.client()
	if err != nil {
		return response{}, err
	}
	// A job's client never changes, so that it can be looked at before.
	rec, err := own(ctx, c.config.Jobs, r, client)
	if err != nil {
		return response{}, err
	}
	rec, err = c.config.Jobs.Cancel(ctx, rec.ID, client)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return response{}, noSuchJob()
	case errors.Is(err, store.ErrFinished):
		return response{}, hasEnded(rec.State)
	case err != nil:
		return response{}, err
	}
	headers := map[string]string{"Location": statusURL(rec.ID), "Cache-Control": "no-store"}
	if !rec.State.Final() {
		headers["Retry-After"] = seconds(firstLook)
	}
	return respond(http.StatusAccepted, view(rec), headers)
}

func hasEnded(state lifecycle.State) *problem {
	return newProblem(http.StatusConflict, "finished", "the job has ended and can't be cancelled: it is "+string(state))
}
