// Package httpfront serves an HTTP API of API Gateway in front of functions:
// routes, CORS and the payload format 2.0 both ways.
//
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
package httpfront

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// Quotas of HTTP APIs.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
const (
	maxBody            = 10 << 20
	maxHead            = 10_240
	defaultIntegration = 30 * time.Second
)

// statusIntegrationTimeout is what a function that takes too long gives. AWS's
// support pages speak of 504 for every kind of API, reports from the field of
// 503 for HTTP APIs: clients should take either.
const statusIntegrationTimeout = http.StatusServiceUnavailable

// Invoker runs a function; *lambdaruntime.Function is one.
type Invoker interface {
	Invoke(ctx context.Context, payload []byte) (lambdaruntime.Result, error)
}

// A Route sends requests to a function.
type Route struct {
	// Key is "METHOD /path", "ANY /path" or "$default".
	Key string
	// Function answers.
	Function Invoker
	// Timeout bounds the wait for the answer; zero means 30 seconds.
	Timeout time.Duration
}

// Config describes an API.
type Config struct {
	Routes []Route
	// CORS is the API's CORS configuration; nil leaves CORS to the functions.
	CORS *CORS
	// APIID and AccountID stand in events.
	APIID, AccountID string
	// Log takes what people should know; nil drops it.
	Log func(message string)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// NewID gives request ids; nil means random ones.
	NewID func() string
	// NewTrace gives X-Ray trace headers for requests that bring none; nil
	// means random ones.
	NewTrace func() string
}

// An API is an http.Handler, safe for concurrent use.
type API struct {
	config Config
	routes []route
}

// New checks the routes. The error joins one for each bad route.
func New(config Config) (*API, error) {
	if config.Log == nil {
		config.Log = func(string) {}
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.NewID == nil {
		config.NewID = lambdaruntime.NewUUID
	}
	if config.NewTrace == nil {
		config.NewTrace = func() string { return lambdaruntime.NewTrace(config.Now()) }
	}
	a := &API{config: config}
	var errs []error
	seen := map[string]bool{}
	for _, r := range config.Routes {
		parsed, err := parseRoute(r)
		if err == nil && seen[r.Key] {
			err = errors.New("it is there twice")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("httpfront: the route %q: %w", r.Key, err))
			continue
		}
		seen[r.Key] = true
		a.routes = append(a.routes, parsed)
	}
	sortRoutes(a.routes)
	return a, errors.Join(errs...)
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if headSize(r) > maxHead {
		fail(w, http.StatusRequestHeaderFieldsTooLarge, "Request Header Fields Too Large")
		return
	}
	if a.config.CORS.preflight(w, r) {
		return
	}
	a.config.CORS.decorate(w.Header(), r.Header.Get("Origin"))
	route, parameters := a.match(r.Method, r.URL.Path)
	if route == nil {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		fail(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	case err != nil:
		return // the client broke off
	}
	event, err := json.Marshal(a.event(r, route.Key, parameters, body))
	if err != nil {
		a.config.Log("encoding an event: " + err.Error())
		fail(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	a.invoke(w, r, route, event)
}

// invoke runs the function and writes its answer. A function that takes longer
// than the integration may runs on to its own timeout.
func (a *API) invoke(w http.ResponseWriter, r *http.Request, route *route, event []byte) {
	timeout := route.Timeout
	if timeout == 0 {
		timeout = defaultIntegration
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	result, err := route.Function.Invoke(ctx, event)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		a.config.Log(fmt.Sprintf("%s: no answer within %s", route.Key, timeout))
		fail(w, statusIntegrationTimeout, "Service Unavailable")
	case errors.Is(err, lambdaruntime.ErrThrottled), errors.Is(err, lambdaruntime.ErrClosed):
		fail(w, http.StatusServiceUnavailable, "Service Unavailable")
	case errors.Is(err, lambdaruntime.ErrTooLarge):
		fail(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	case r.Context().Err() != nil: // nobody waits
	case err != nil:
		a.config.Log(fmt.Sprintf("%s: %v", route.Key, err))
		fail(w, http.StatusInternalServerError, "Internal Server Error")
	case result.FunctionError != "":
		fail(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		if err := respond(w, result.Payload, a.config.CORS != nil); err != nil {
			a.config.Log(fmt.Sprintf("%s: the function's answer is malformed: %v", route.Key, err))
			fail(w, http.StatusInternalServerError, "Internal Server Error")
		}
	}
}

// fail answers as API Gateway itself does.
func fail(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body, _ := json.Marshal(map[string]string{"message": message}) // a string always encodes
	_, _ = w.Write(body)                                           // the client is gone: nobody is left to tell
}

// headSize is about what the request line and the headers take, in bytes.
func headSize(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + 4
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + 4
		}
	}
	return n
}
