// Package site is the frame of Crumb's own HTTP API: it turns API Gateway's events
// into requests and back, knows who is signed in, and answers errors as problems
// (RFC 9457). What the API does is in the packages whose handlers it is given.
package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/etag"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// MaxBody is the most bytes that a request's JSON has.
const MaxBody = 256 << 10

// A Handler answers a request. An error that is a *Problem is told to the client;
// any other is logged, and told as a failure of the site's.
type Handler func(w http.ResponseWriter, r *http.Request) error

// A ReaderHandler answers a request of a reader who is signed in.
type ReaderHandler func(w http.ResponseWriter, r *http.Request, reader string) error

// Routes is what a part of the API registers its handlers with. Patterns are
// those of http.ServeMux: "POST /api/recipes/{id}/publish".
type Routes interface {
	// Anyone takes requests of everybody.
	Anyone(pattern string, h Handler)
	// Reader takes requests of readers who are signed in; others get 401.
	Reader(pattern string, h ReaderHandler)
}

// Config is what a Site needs.
type Config struct {
	// Sessions knows who is signed in. Required.
	Sessions *sessions.Sessions
	// Limit keeps each client to a rate of requests that change something; nil
	// means none.
	Limit *httpapi.RateLimit
	// Logger takes what clients are not told; default slog.Default().
	Logger *slog.Logger
}

// A Site answers the requests of the API. Handlers are added before the first
// request; then it may be used by many goroutines.
type Site struct {
	mux      *http.ServeMux
	sessions *sessions.Sessions
	limited  httpapi.HandlerFunc // answers within the limit
	logger   *slog.Logger
}

// New makes a Site without handlers.
func New(config Config) (*Site, error) {
	if config.Sessions == nil {
		return nil, errors.New("site: Config.Sessions is required")
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	s := &Site{mux: http.NewServeMux(), sessions: config.Sessions, logger: config.Logger}
	s.limited = s.answer
	if config.Limit != nil {
		s.limited = config.Limit.Handler(s.answer)
	}
	s.Anyone("/", func(http.ResponseWriter, *http.Request) error { return NotFound("there is nothing here") })
	return s, nil
}

// Anyone takes requests of everybody.
func (s *Site) Anyone(pattern string, h Handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			fail(r.Context(), w.(*answer), r.Method, r.URL.Path, err, s.logger)
		}
	})
}

// Reader takes requests of readers who are signed in; others get 401.
func (s *Site) Reader(pattern string, h ReaderHandler) {
	s.Anyone(pattern, func(w http.ResponseWriter, r *http.Request) error {
		reader, ok := s.sessions.Reader(r)
		if !ok {
			return Refuse(http.StatusUnauthorized, "signed-out", "sign in first, or again: you are not signed in")
		}
		return h(w, r, reader)
	})
}

// Invoke answers one request of an HTTP API, payload format 2.0.
func (s *Site) Invoke(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	if method := e.RequestContext.HTTP.Method; method == http.MethodGet || method == http.MethodHead {
		return s.answer(ctx, e)
	}
	return s.limited(ctx, e)
}

func (s *Site) answer(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	w := newAnswer()
	w.header.Set("Cache-Control", "no-store")
	r, err := request(ctx, e)
	if err != nil {
		fail(ctx, w, e.RequestContext.HTTP.Method, e.RawPath, err, s.logger)
		return w.response(), nil
	}
	s.serve(w, r)
	return w.response(), nil
}

// serve has the request's handler answer. One that panics costs its own request, and
// not the process with all that it holds.
func (s *Site) serve(w *answer, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			err := fmt.Errorf("site: the handler panicked: %v\n%s", p, debug.Stack())
			fail(r.Context(), w, r.Method, r.URL.Path, err, s.logger)
		}
	}()
	s.mux.ServeHTTP(w, r)
}

// Decode reads the JSON of a request, strictly. What is wrong with it is a
// *Problem.
func Decode[T any](r *http.Request) (T, error) {
	var zero T
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return zero, Refuse(http.StatusUnsupportedMediaType, "not-json", "send the body as application/json")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return zero, err
	}
	if len(body) > MaxBody {
		return zero, Refuse(http.StatusRequestEntityTooLarge, "too-large", "the body is too large: 256 KiB are allowed")
	}
	value, err := payload.Decode[T](body)
	if err != nil {
		return zero, Refuse(http.StatusBadRequest, "malformed-body", err.Error())
	}
	return value, nil
}

// Answer sends a value as JSON.
func Answer(w http.ResponseWriter, status int, value any) error {
	data, err := payload.Encode(value)
	if err != nil {
		return err
	}
	return send(w, status, data)
}

// Tagged sends a value that clients look at again and again, with an entity tag: 304
// where it is as they know it.
func Tagged(w http.ResponseWriter, r *http.Request, value any) error {
	data, err := payload.Encode(value)
	if err != nil {
		return err
	}
	tag := etag.Of(string(data))
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if etag.Matches(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return send(w, http.StatusOK, data)
}

func send(w http.ResponseWriter, status int, data []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err := w.Write(data)
	return err
}

// Done answers that there is nothing to say: 204.
func Done(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
