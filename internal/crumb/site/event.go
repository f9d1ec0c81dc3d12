package site

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// longestPath is the most bytes of a path that may lead somewhere. Its parts become
// keys of rows, and DynamoDB fails for a key of more than 1,024 bytes.
const longestPath = 900

// request makes an HTTP request of an event of payload format 2.0. What can't be
// one is a *Problem.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func request(ctx context.Context, e events.APIGatewayV2HTTPRequest) (*http.Request, error) {
	if len(e.RawPath) > longestPath {
		return nil, NotFound("there is nothing here")
	}
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(e.Body)
		if err != nil {
			return nil, Refuse(http.StatusBadRequest, "malformed-body", "the body is said to be base64 and is not")
		}
		body = decoded
	}
	target := e.RawPath
	if e.RawQueryString != "" {
		target += "?" + e.RawQueryString
	}
	r, err := http.NewRequestWithContext(ctx, e.RequestContext.HTTP.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "malformed-request", "the path or the method can't be read")
	}
	for name, value := range e.Headers {
		r.Header.Set(name, value)
	}
	if len(e.Cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	r.Host, r.RemoteAddr = e.RequestContext.DomainName, e.RequestContext.HTTP.SourceIP
	return r, nil
}

// An answer gathers what a handler writes. Headers that were not set before the
// first byte count all the same: nothing is sent until the handler is back.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}} }

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(data)
}

// response is the answer in payload format 2.0, where a header has one value and
// cookies have a place of their own.
func (a *answer) response() events.APIGatewayV2HTTPResponse {
	a.WriteHeader(http.StatusOK)
	out := events.APIGatewayV2HTTPResponse{StatusCode: a.status, Headers: map[string]string{}}
	for name, values := range a.header {
		if name == "Set-Cookie" {
			out.Cookies = values
			continue
		}
		out.Headers[name] = strings.Join(values, ", ")
	}
	if out.Body = a.body.String(); !utf8.ValidString(out.Body) {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(a.body.Bytes()), true
	}
	return out
}
