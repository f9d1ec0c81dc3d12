package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

type response = events.APIGatewayV2HTTPResponse

// ProblemPrefix is how the types of problems begin: types are stable names, for
// programs to tell problems of one status apart.
const ProblemPrefix = "urn:nightshift:problem:"

// A problem is an error that the client is told: RFC 9457.
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	Instance  string `json:"instance,omitempty"`
	RequestID string `json:"request_id,omitempty"`

	headers map[string]string
}

func newProblem(status int, name, detail string) *problem {
	return &problem{
		Type: ProblemPrefix + name, Title: http.StatusText(status), Status: status, Detail: detail,
		headers: map[string]string{"Content-Type": "application/problem+json", "Cache-Control": "no-store"},
	}
}

// Error gives the detail; problems travel as errors.
func (p *problem) Error() string { return p.Title + ": " + p.Detail }

func (p *problem) with(header, value string) *problem {
	p.headers[header] = value
	return p
}

// docs links to a page about the problem, if there is one (RFC 8288).
func (p *problem) docs(url string) *problem {
	if url == "" {
		return p
	}
	return p.with("Link", "<"+url+`>; rel="describedby"`)
}

func (p *problem) retryAfter(wait time.Duration) *problem {
	return p.with("Retry-After", seconds(wait))
}

func (p *problem) response(r request) response {
	p.Instance, p.RequestID = r.RawPath, r.id()
	body, err := json.Marshal(p)
	if err != nil { // strings and a number always encode
		body = []byte(`{"type":"about:blank","status":500}`)
	}
	return response{StatusCode: p.Status, Headers: p.headers, Body: string(body)}
}

func badRequest(name, detail string) *problem {
	return newProblem(http.StatusBadRequest, name, detail)
}

func notFound(detail string) *problem { return newProblem(http.StatusNotFound, "not-found", detail) }

func internalError() *problem {
	return newProblem(http.StatusInternalServerError, "internal", "something went wrong on our side; the request's id finds it in the logs")
}

// throttled answers for a table, or a storage, that refuses for the moment.
func throttled() *problem {
	return newProblem(http.StatusServiceUnavailable, "busy", "too many requests at the moment; try again later").retryAfter(2 * time.Second)
}

// seconds is a duration as headers have it: whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
