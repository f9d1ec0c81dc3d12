package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// LinkLife is how long the link to a large result can be followed, unless the
// credentials that made it end before.
const LinkLife = 15 * time.Minute

// mostAnswer is the most bytes that an answer's body may have on its way out of
// Lambda, whose payloads end at 6 MB (6,291,556 bytes), headers included.
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const mostAnswer = 6_000_000

// claimed tells results apart that lie in objects: each has a key of its own, and
// is never written again.
func claimed(rec store.Record) string {
	if rec.ResultObject == nil {
		return ""
	}
	return rec.ResultObject.Key
}

// withResult answers with the result that a row has a claim to, or, where no answer
// has room for it, with a link to it. A link can't be used for ever, so such an
// answer has no ETag. A result that is lost is no failure of the request: the job
// is done all the same, and its error says what became of the result.
func (s *Status) withResult(ctx context.Context, r request, rec store.Record, headers map[string]string) (response, error) {
	claim, j := *rec.ResultObject, view(rec)
	if s.config.Objects == nil {
		return response{}, fmt.Errorf("httpapi: the result of job %s is in %s, and JobsConfig.Objects is nil", rec.ID, claim.Key)
	}
	if claim.Bytes <= mostAnswer {
		value, err := s.config.Objects.Get(ctx, claim)
		switch {
		case errors.Is(err, claimcheck.ErrNotFound), errors.Is(err, claimcheck.ErrDamaged):
			s.logger.ErrorContext(ctx, "a result is lost", "request_id", r.id(), "job", string(rec.ID), "error", err.Error())
			j.Error = &store.JobError{Code: "result_missing", Message: "the job is done, and its result is lost"}
			delete(headers, "ETag")
			return respond(http.StatusOK, j, headers)
		case err != nil:
			return response{}, err
		}
		j.Result = value
		answer, err := respond(http.StatusOK, j, headers)
		if err != nil || sentBytes(answer.Body) <= mostAnswer {
			return answer, err
		}
		j.Result = nil
	}
	url, err := s.config.Objects.Link(ctx, claim, LinkLife)
	if err != nil {
		return response{}, err
	}
	j.ResultURL = url
	delete(headers, "ETag")
	return respond(http.StatusOK, j, headers)
}

// sentBytes is how long a body is once it stands, as a JSON string, in a function's
// answer: never less. The Lambda library escapes HTML's characters as well.
func sentBytes(body string) int {
	size := len(`""`)
	for _, r := range body {
		switch {
		case r == '"' || r == '\\':
			size += len(`\"`)
		case r < ' ' || r == '<' || r == '>' || r == '&' || r == utf8.RuneError || r == '\u2028' || r == '\u2029' || r == 0x7f:
			size += len(`\u0000`)
		default:
			size += utf8.RuneLen(r)
		}
	}
	return size
}
