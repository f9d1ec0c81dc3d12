package site

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A Problem is an error that the client is told, as RFC 9457 has it.
type Problem struct {
	// Status is the HTTP status.
	Status int
	// Name is a stable name for programs: "not-found".
	Name string
	// Detail says what is wrong and what to do, for people.
	Detail string
	// RetryAfter is how long to wait; zero: not said.
	RetryAfter time.Duration
	// Extensions are members of the answer besides the standard ones.
	// https://www.rfc-editor.org/rfc/rfc9457#section-3.2
	Extensions map[string]any
}

// Error gives the detail.
func (p *Problem) Error() string { return p.Detail }

// Refuse makes a problem.
func Refuse(status int, name, detail string) *Problem {
	return &Problem{Status: status, Name: name, Detail: detail}
}

// NotFound says that there is no such thing, or none that this reader may see.
func NotFound(detail string) *Problem { return Refuse(http.StatusNotFound, "not-found", detail) }

// noRoom is until when to wait where a gate let a job in for which there was no room then.
const noRoom = 5 * time.Second

// full is the refusal of a gate: 503 with the time to wait.
func full(d admission.Decision) *Problem {
	return &Problem{
		Status: http.StatusServiceUnavailable, Name: "queue-full", RetryAfter: d.RetryAfter,
		Detail: "there is more work waiting than can be done in time; try again later",
	}
}

// Busy is the refusal of what others' changes of the same rows stood in the way of, or
// the table's limits: 503, for a moment.
func Busy() *Problem {
	return &Problem{
		Status: http.StatusServiceUnavailable, Name: "busy", RetryAfter: time.Second,
		Detail: "too many changes at once; nothing was changed; try again",
	}
}

// problemPrefix is how the types of problems begin.
const problemPrefix = "urn:crumb:problem:"

// fail answers with what went wrong: a Problem as it is, anything else without its
// words, which are for the log. What a gate or the table refused for now is told as
// that.
func fail(ctx context.Context, w *answer, method, path string, err error, logger *slog.Logger) {
	var p *Problem
	var refused *gates.FullError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &refused):
		p = full(refused.Decision)
	case errors.Is(err, producer.ErrFull):
		p = full(admission.Decision{RetryAfter: noRoom})
	case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrThrottled):
		logger.WarnContext(ctx, "a request was refused: the table is busy", "method", method, "path", path, "error", err.Error())
		p = Busy()
	default:
		logger.ErrorContext(ctx, "a request failed", "method", method, "path", path, "error", err.Error())
		p = Refuse(http.StatusInternalServerError, "internal", "something went wrong on our side; nothing was lost that was accepted before")
	}
	w.status = 0
	w.body.Reset()
	w.header.Set("Content-Type", "application/problem+json")
	w.header.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		w.header.Set("Retry-After", strconv.FormatInt(int64((p.RetryAfter+time.Second-1)/time.Second), 10))
	}
	w.WriteHeader(p.Status)
	told := map[string]any{
		"type": problemPrefix + p.Name, "title": http.StatusText(p.Status), "status": p.Status, "detail": p.Detail, "instance": path,
	}
	for name, value := range p.Extensions {
		if told[name] == nil {
			told[name] = value
		}
	}
	if err := json.NewEncoder(w).Encode(told); err != nil {
		logger.ErrorContext(ctx, "a problem could not be encoded", "error", err.Error())
	}
}
