package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/nightshift-go/nightshift/pkg/admission"
)

// noteReading logs that a gate could not read how its queue does, or probe the relay,
// whether or not it admitted. logger is to name the queue.
func noteReading(ctx context.Context, logger *slog.Logger, r request, d admission.Decision) {
	if d.Err != nil {
		logger.WarnContext(ctx, "queue not read", "request_id", r.id(), "admitted", d.Admitted, "error", d.Err.Error())
	}
}

// refused is the 503 of a gate; logger is to name the queue.
func refused(ctx context.Context, logger *slog.Logger, r request, d admission.Decision) *problem {
	logger.InfoContext(ctx, "refused", "request_id", r.id(), "reason", string(d.Reason),
		"depth", d.Depth, "limit", d.Limit, "age_s", d.Age.Seconds(), "retry_after_s", d.RetryAfter.Seconds())
	name, detail := "queue-full", "the queue is full; nothing was stored; try again later"
	switch d.Reason {
	case admission.Shed:
		detail = "the queue is too full for work of this kind; nothing was stored; try again later"
	case admission.Unknown:
		name, detail = "busy", "the queue can't be looked at for the moment; nothing was stored; try again later"
	case admission.Unrelayed:
		name, detail = "busy", "the queue can't be reached for the moment; nothing was stored; try again later"
	}
	return newProblem(http.StatusServiceUnavailable, name, detail).retryAfter(d.RetryAfter)
}
