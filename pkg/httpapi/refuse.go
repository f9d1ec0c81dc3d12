package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/nightshift-go/nightshift/pkg/admission"
)

// noteReading logs that a gate could not read its queue's depth, whether or not
// it admitted.
func noteReading(ctx context.Context, logger *slog.Logger, r request, d admission.Decision) {
	if d.Err != nil {
		logger.WarnContext(ctx, "depth not read", "request_id", r.id(), "admitted", d.Admitted, "error", d.Err.Error())
	}
}

// refused is the 503 of a gate.
func refused(ctx context.Context, logger *slog.Logger, r request, d admission.Decision) *problem {
	logger.InfoContext(ctx, "refused", "request_id", r.id(), "reason", string(d.Reason),
		"depth", d.Depth, "limit", d.Limit, "retry_after_s", d.RetryAfter.Seconds())
	name, detail := "queue-full", "the queue is full; nothing was stored; try again later"
	if d.Reason == admission.Unknown {
		name, detail = "busy", "the queue can't be looked at for the moment; nothing was stored; try again later"
	}
	return newProblem(http.StatusServiceUnavailable, name, detail).retryAfter(d.RetryAfter)
}
