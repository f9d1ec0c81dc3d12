package site_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/store"
)

type fixture struct {
	*site.Site
	sessions *sessions.Sessions
	log      bytes.Buffer
}

func setUp(t *testing.T) *fixture {
	t.Helper()
	signer, err := sessions.New([]byte("0123456789abcdef0123456789abcdef"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{sessions: signer}
	if f.Site, err = site.New(site.Config{Sessions: signer, Logger: slog.New(slog.NewTextHandler(&f.log, nil))}); err != nil {
		t.Fatal(err)
	}
	return f
}

func event(method, path, body string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{RawPath: path, Body: body, Headers: map[string]string{"content-type": "application/json"}}
	e.RawPath, e.RawQueryString, _ = strings.Cut(path, "?")
	e.RequestContext.HTTP.Method = method
	return e
}

func (f *fixture) send(t *testing.T, e events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	answer, err := f.Invoke(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

type stars struct {
	Stars int `json:"stars"`
}

func TestRequestAndAnswer(t *testing.T) {
	f := setUp(t)
	f.Anyone("POST /api/recipes/{id}/ratings", func(w http.ResponseWriter, r *http.Request) error {
		in, err := site.Decode[stars](r)
		if err != nil {
			return err
		}
		if r.PathValue("id") != "a b" || r.URL.Query().Get("x") != "1&2" {
			t.Errorf("the path is %q, the query %q", r.PathValue("id"), r.URL.RawQuery)
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
		return site.Answer(w, http.StatusCreated, in)
	})
	answer := f.send(t, event("POST", "/api/recipes/a%20b/ratings?x=1%262", `{"stars":5}`))
	if answer.StatusCode != 201 || answer.Body != `{"stars":5}` || answer.Headers["Content-Type"] != "application/json" || len(answer.Cookies) != 2 {
		t.Errorf("%+v", answer)
	}
}

func TestBodies(t *testing.T) {
	f := setUp(t)
	f.Anyone("POST /bytes", func(w http.ResponseWriter, r *http.Request) error {
		data, err := io.ReadAll(r.Body)
		if err == nil {
			_, err = w.Write(append(data, 0xff))
		}
		return err
	})
	e := event("POST", "/bytes", "AQI=")
	e.IsBase64Encoded = true
	if answer := f.send(t, e); !answer.IsBase64Encoded || answer.Body != "AQL/" {
		t.Errorf("bytes: %+v", answer)
	}
	e.Body = "!"
	if answer := f.send(t, e); answer.StatusCode != 400 {
		t.Errorf("no base64: %+v", answer)
	}
}

func TestProblems(t *testing.T) {
	f := setUp(t)
	f.Anyone("POST /decode", func(w http.ResponseWriter, r *http.Request) error {
		_, err := site.Decode[stars](r)
		return err
	})
	f.Anyone("GET /full", func(w http.ResponseWriter, r *http.Request) error {
		return &gates.FullError{Decision: admission.Decision{RetryAfter: 1500 * time.Millisecond}}
	})
	f.Anyone("GET /broken", func(w http.ResponseWriter, r *http.Request) error {
		w.WriteHeader(http.StatusOK)
		return errors.Join(errors.New("the password is hunter2"), site.Done(w))
	})
	f.Reader("GET /mine", func(w http.ResponseWriter, r *http.Request, reader string) error {
		return site.Answer(w, http.StatusOK, reader)
	})
	f.Anyone("GET /busy", func(w http.ResponseWriter, r *http.Request) error {
		return fmt.Errorf("saving: %w", store.ErrConflict)
	})
	f.Anyone("GET /panic", func(w http.ResponseWriter, r *http.Request) error {
		w.WriteHeader(http.StatusOK)
		panic("hunter2")
	})
	f.Anyone("GET /some/{id}", func(w http.ResponseWriter, r *http.Request) error {
		return errors.New("no key is that long")
	})
	text := event("POST", "/decode", `{"stars":5}`)
	text.Headers = map[string]string{"Content-Type": "text/plain"}
	for name, c := range map[string]struct {
		event  events.APIGatewayV2HTTPRequest
		status int
		says   string
	}{
		"bad method":    {event("GE T", "/full", ""), 400, "malformed-request"},
		"bad path":      {event("GET", "/%zz", ""), 400, "malformed-request"},
		"unknown path":  {event("GET", "/nothing", ""), 404, "not-found"},
		"unknown field": {event("POST", "/decode", `{"star":5}`), 400, "malformed-body"},
		"text":          {text, 415, "not-json"},
		"too large":     {event("POST", "/decode", `{"stars":`+strings.Repeat("1", site.MaxBody)+`}`), 413, "too-large"},
		"full":          {event("GET", "/full", ""), 503, "queue-full"},
		"broken":        {event("GET", "/broken", ""), 500, "internal"},
		"busy":          {event("GET", "/busy", ""), 503, "busy"},
		"panic":         {event("GET", "/panic", ""), 500, "internal"},
		"long path":     {event("GET", "/some/"+strings.Repeat("x", 2000), ""), 404, "not-found"},
		"signed out":    {event("GET", "/mine", ""), 401, "signed-out"},
	} {
		answer := f.send(t, c.event)
		var told struct {
			Type, Detail, Instance string
			Status                 int
		}
		if err := json.Unmarshal([]byte(answer.Body), &told); err != nil {
			t.Errorf("%s: %v in %q", name, err, answer.Body)
		}
		if answer.StatusCode != c.status || told.Status != c.status || told.Type != "urn:crumb:problem:"+c.says || told.Detail == "" {
			t.Errorf("%s: %+v", name, answer)
		}
		if strings.Contains(answer.Body, "hunter2") {
			t.Errorf("%s: the client is told %s", name, answer.Body)
		}
		if c.says == "queue-full" && answer.Headers["Retry-After"] != "2" {
			t.Errorf("%s: come back after %q", name, answer.Headers["Retry-After"])
		}
	}
	if !strings.Contains(f.log.String(), "hunter2") {
		t.Error("the log does not say what broke")
	}
}

func TestSignedIn(t *testing.T) {
	f := setUp(t)
	f.Reader("GET /mine", func(w http.ResponseWriter, r *http.Request, reader string) error {
		return site.Answer(w, http.StatusOK, reader)
	})
	e := event("GET", "/mine", "")
	e.Cookies = []string{"x=y", f.sessions.Start(&http.Request{Header: http.Header{}}, "ada").String()}
	if answer := f.send(t, e); answer.StatusCode != 200 || answer.Body != `"ada"` {
		t.Errorf("%+v", answer)
	}
}
