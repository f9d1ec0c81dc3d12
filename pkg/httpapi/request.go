package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// request is an event of payload format 2.0.
type request struct {
	events.APIGatewayV2HTTPRequest
}

func (r request) id() string { return r.RequestContext.RequestID }

func (r request) method() string { return strings.ToUpper(r.RequestContext.HTTP.Method) }

// header gives a header's value, its name in whatever case: HTTP APIs send lower
// case, tests and other gateways may not. A header that occurs more than once
// comes with its values joined by commas.
func (r request) header(name string) (value string, ok bool) {
	var values []string
	for n, v := range r.Headers {
		if strings.EqualFold(n, name) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return strings.Join(values, ","), len(values) > 0
}

// json gives the body of a request that has a JSON object of at most limit bytes.
func (r request) json(limit int) ([]byte, error) {
	if err := r.wantsJSON(); err != nil {
		return nil, err
	}
	body := []byte(r.Body)
	if r.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(r.Body)
		if err != nil {
			return nil, badRequest("malformed-body", "the body is said to be base64 and is not")
		}
		body = decoded
	}
	if len(body) > limit {
		return nil, tooLarge(limit, len(body))
	}
	if trimmed := bytes.TrimSpace(body); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, badRequest("malformed-body", "the body must be a JSON object")
	}
	return body, nil
}

// wantsJSON holds the request to application/json, or another application type
// whose suffix is +json. JSON is UTF-8 (RFC 8259), so other charsets are refused.
func (r request) wantsJSON() error {
	refuse := func(detail string) error {
		return newProblem(http.StatusUnsupportedMediaType, "unsupported-media-type", detail+"; send application/json").
			with("Accept", "application/json")
	}
	value, ok := r.header("Content-Type")
	if !ok || value == "" {
		return refuse("the request has no Content-Type")
	}
	media, parameters, err := mime.ParseMediaType(value)
	if err != nil {
		return refuse("the Content-Type can't be read")
	}
	if media != "application/json" && !(strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")) {
		return refuse(fmt.Sprintf("the Content-Type is %.80s", media))
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return refuse(fmt.Sprintf("the charset is %.40s, and JSON is UTF-8", charset))
	}
	return nil
}

func tooLarge(limit, size int) *problem {
	return newProblem(http.StatusRequestEntityTooLarge, "too-large",
		fmt.Sprintf("the body has %d bytes and at most %d are taken; large input goes into object storage, and only its key is sent", size, limit))
}

// traced gives a context with the trace that came along, in W3C's headers, X-Ray's or
// both, or else with the invocation's: jobs that are made with it carry it on.
func (r request) traced(ctx context.Context) context.Context {
	return telemetry.WithTrace(ctx, telemetry.FromHeaders(func(name string) string {
		value, ok := r.header(name)
		if !ok && name == "X-Amzn-Trace-Id" {
			// aws-lambda-go puts it there, under a plain string.
			value, _ = ctx.Value("x-amzn-trace-id").(string)
		}
		return value
	}))
}
