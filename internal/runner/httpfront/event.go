package httpfront

import (
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

// An event is a request in the payload format 2.0.
type event struct {
	Version         string            `json:"version"`
	RouteKey        string            `json:"routeKey"`
	RawPath         string            `json:"rawPath"`
	RawQueryString  string            `json:"rawQueryString"`
	Cookies         []string          `json:"cookies,omitempty"`
	Headers         map[string]string `json:"headers"`
	Query           map[string]string `json:"queryStringParameters,omitempty"`
	RequestContext  requestContext    `json:"requestContext"`
	PathParameters  map[string]string `json:"pathParameters,omitempty"`
	Body            string            `json:"body,omitempty"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`
}

type requestContext struct {
	AccountID    string      `json:"accountId"`
	APIID        string      `json:"apiId"`
	DomainName   string      `json:"domainName"`
	DomainPrefix string      `json:"domainPrefix"`
	HTTP         httpContext `json:"http"`
	RequestID    string      `json:"requestId"`
	RouteKey     string      `json:"routeKey"`
	Stage        string      `json:"stage"`
	Time         string      `json:"time"`
	TimeEpoch    int64       `json:"timeEpoch"`
}

type httpContext struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Protocol  string `json:"protocol"`
	SourceIP  string `json:"sourceIp"`
	UserAgent string `json:"userAgent"`
}

func (a *API) event(r *http.Request, key string, parameters map[string]string, body []byte) event {
	now := a.config.Now()
	domain, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		domain = r.Host
	}
	prefix, _, _ := strings.Cut(domain, ".")
	source, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		source = r.RemoteAddr
	}
	e := event{
		Version: "2.0", RouteKey: key, RawPath: r.URL.Path, RawQueryString: r.URL.RawQuery,
		Headers: headers(r, source, a.config.NewTrace), Query: query(r.URL.RawQuery), PathParameters: parameters,
		RequestContext: requestContext{
			AccountID: a.config.AccountID, APIID: a.config.APIID, DomainName: domain, DomainPrefix: prefix,
			HTTP:      httpContext{Method: r.Method, Path: r.URL.Path, Protocol: r.Proto, SourceIP: source, UserAgent: r.UserAgent()},
			RequestID: a.config.NewID(), RouteKey: key, Stage: "$default",
			Time: now.UTC().Format("02/Jan/2006:15:04:05 +0000"), TimeEpoch: now.UnixMilli(),
		},
	}
	for _, line := range r.Header.Values("Cookie") {
		for _, cookie := range strings.Split(line, ";") {
			if cookie = strings.TrimSpace(cookie); cookie != "" {
				e.Cookies = append(e.Cookies, cookie)
			}
		}
	}
	if isText(r.Header.Get("Content-Type")) && utf8.Valid(body) {
		e.Body = string(body)
	} else {
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), len(body) > 0
	}
	return e
}

// headers gives names in lower case, repeated ones joined by commas, and those
// that API Gateway adds. Cookies are elsewhere in the event.
func headers(r *http.Request, source string, newTrace func() string) map[string]string {
	all := map[string]string{}
	for name, values := range r.Header {
		if name != "Cookie" {
			all[strings.ToLower(name)] = strings.Join(values, ",")
		}
	}
	all["host"] = r.Host
	if all["x-amzn-trace-id"] == "" {
		all["x-amzn-trace-id"] = newTrace()
	}
	if forwarded := all["x-forwarded-for"]; forwarded != "" {
		source = forwarded + ", " + source
	}
	all["x-forwarded-for"] = source
	all["x-forwarded-proto"] = "http"
	all["x-forwarded-port"] = "80"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		all["x-forwarded-port"] = port
	}
	return all
}

// query decodes a query string; values of a repeated name are joined by commas.
// What cannot be decoded stays as it is.
func query(raw string) map[string]string {
	if raw == "" {
		return nil
	}
	all := map[string]string{}
	for _, pair := range strings.Split(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, value = unescape(name), unescape(value)
		if before, ok := all[name]; ok {
			value = before + "," + value
		}
		all[name] = value
	}
	return all
}

func unescape(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

// isText tells whether a body of that type travels as it is. AWS documents no
// list; these are text for it by experience.
func isText(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	switch media {
	case "application/json", "application/javascript", "application/xml", "application/x-www-form-urlencoded":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
}
