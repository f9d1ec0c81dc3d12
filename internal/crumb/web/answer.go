package web

import (
	"maps"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/etag"
)

// securityHeaders go with every answer. The page loads scripts and styles of
// its own only, shows pictures of its own, the bucket's and the browser's copy
// of what was picked (blob:), and talks to the API and the bucket.
// https://www.w3.org/TR/CSP3/
func securityHeaders(bucket string) map[string]string {
	return map[string]string{
		"Content-Security-Policy": strings.Join([]string{
			"default-src 'none'",
			"script-src 'self'",
			"style-src 'self'",
			"img-src 'self' blob: " + bucket,
			"connect-src 'self' " + bucket,
			"base-uri 'none'",
			"form-action 'none'",
			"frame-ancestors 'none'",
		}, "; "),
		"Cross-Origin-Opener-Policy": "same-origin",
		"Permissions-Policy":         "geolocation=(), microphone=(), camera=()",
		"Referrer-Policy":            "no-referrer",
		"X-Content-Type-Options":     "nosniff",
	}
}

// file answers with a file, or with 304 if the browser has it already.
func (s *Site) file(r events.APIGatewayV2HTTPRequest, f file, cacheControl string) events.APIGatewayV2HTTPResponse {
	headers := []string{"Cache-Control", cacheControl, "ETag", f.etag, "Content-Type", f.contentType}
	if etag.Matches(header(r, "If-None-Match"), f.etag) {
		return s.answer(http.StatusNotModified, "", headers[:4]...)
	}
	return s.answer(http.StatusOK, f.body, headers...)
}

// header finds a header in any case: HTTP APIs send lower case, others do not.
func header(r events.APIGatewayV2HTTPRequest, name string) string {
	for key, value := range r.Headers {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

func (s *Site) notFound() events.APIGatewayV2HTTPResponse {
	f := s.files.pages[notFound]
	return s.answer(http.StatusNotFound, f.body, "Content-Type", f.contentType, "Cache-Control", "no-store")
}

func (s *Site) plain(status int, text string, headers ...string) events.APIGatewayV2HTTPResponse {
	return s.answer(status, text, append(headers, "Content-Type", "text/plain; charset=utf-8")...)
}

// answer makes a response of pairs of header names and values.
func (s *Site) answer(status int, body string, headers ...string) events.APIGatewayV2HTTPResponse {
	all := maps.Clone(s.headers)
	for i := 0; i < len(headers); i += 2 {
		all[headers[i]] = headers[i+1]
	}
	return events.APIGatewayV2HTTPResponse{StatusCode: status, Headers: all, Body: body}
}
