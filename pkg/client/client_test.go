package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/client"
)

var epoch = time.Date(2026, 11, 29, 16, 0, 0, 0, time.UTC)

// script is a server that answers from a list, and a clock that its client's
// waits move.
type script struct {
	t       *testing.T
	mu      sync.Mutex
	answers []func(http.ResponseWriter)
	got     []*http.Request
	bodies  []string
	waits   []time.Duration
	now     time.Time
	client  *client.Client
}

func newScript(t *testing.T, change func(*client.Config), answers ...func(http.ResponseWriter)) *script {
	t.Helper()
	s := &script{t: t, answers: answers, now: epoch}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	config := client.Config{
		URL: server.URL + "/", Random: func() float64 { return 0.5 }, Keys: strings.NewReader(strings.Repeat("k", 1000)),
		Now: func() time.Time { return s.now },
		Sleep: func(_ context.Context, d time.Duration) error {
			s.waits, s.now = append(s.waits, d), s.now.Add(d)
			return nil
		},
	}
	if change != nil {
		change(&config)
	}
	var err error
	if s.client, err = client.New(config); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.got, s.bodies = append(s.got, r), append(s.bodies, string(body))
	if len(s.got) > len(s.answers) {
		s.t.Errorf("request %d was not expected", len(s.got))
		w.WriteHeader(http.StatusTeapot)
		return
	}
	s.answers[len(s.got)-1](w)
}

func (s *script) waited(want ...time.Duration) {
	s.t.Helper()
	if fmt.Sprint(s.waits) != fmt.Sprint(want) {
		s.t.Errorf("it waited %v, not %v", s.waits, want)
	}
}

// gives answers a status, a body, and headers in pairs.
func gives(status int, body string, headers ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		if _, err := io.WriteString(w, body); err != nil {
			panic(err)
		}
	}
}

// hangsUp closes the connection without an answer.
func hangsUp(http.ResponseWriter) { panic(http.ErrAbortHandler) }

const (
	queued = `{"id":"1","task":"photo.resize","state":"queued","created_at":"2026-11-29T16:00:00.000Z","news":1}`
	done   = `{"id":"1","task":"photo.resize","state":"done","result":{"n":1},"created_at":"2026-11-29T16:00:00.000Z","finished_at":"2026-11-29T16:00:09.000Z"}`
)

func TestEnqueueKeepsItsKeyAcrossRetries(t *testing.T) {
	s := newScript(t, func(c *client.Config) { c.Header = http.Header{"Authorization": {"Bearer x"}} },
		hangsUp,
		gives(503, `{"detail":"full"}`, "Retry-After", "5", "Content-Type", "application/problem+json"),
		gives(202, queued, "Location", "/jobs/1"))
	j, err := s.client.Enqueue(t.Context(), "photo.resize", map[string]string{"key": "k"})
	if err != nil || j.ID != "1" || j.State != "queued" || !j.CreatedAt.Equal(epoch) || j.Finished() {
		t.Errorf("%+v %v", j, err)
	}
	for i, r := range s.got {
		if r.Method != "POST" || r.URL.Path != "/jobs/photo.resize" || s.bodies[i] != `{"key":"k"}` ||
			r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("request %d: %s %s %s %v", i, r.Method, r.URL, s.bodies[i], r.Header)
		}
		if key := r.Header.Get("Idempotency-Key"); key != s.got[0].Header.Get("Idempotency-Key") || len(key) != 24 {
			t.Errorf("request %d has the key %s", i, key)
		}
	}
	// Half of the first bound, then the server's five seconds and half of the
	// second.
	s.waited(250*time.Millisecond, 5500*time.Millisecond)
}

func TestAKeyOfOnesOwnIsQuoted(t *testing.T) {
	s := newScript(t, nil, gives(202, queued))
	if _, err := s.client.Enqueue(t.Context(), "photo.resize", struct{}{}, client.Key(`my "key"\`)); err != nil {
		t.Fatal(err)
	}
	if got := s.got[0].Header.Get("Idempotency-Key"); got != `"my \"key\"\\"` {
		t.Error(got)
	}
}

func TestRetryAfter(t *testing.T) {
	const jitter = 250 * time.Millisecond
	date := func(after time.Duration) string { return epoch.Add(after).Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		header, date string
		want         time.Duration
	}{
		"seconds":      {"7", "", 7*time.Second + jitter},
		"none at all":  {"", "", jitter},
		"at once":      {"0", "", jitter},
		"a date":       {date(90 * time.Second), date(0), 90*time.Second + jitter},
		"a date gone":  {date(-time.Hour), date(0), jitter},
		"clocks apart": {date(time.Hour + 90*time.Second), date(time.Hour), 90*time.Second + jitter},
		"neither":      {"not a date", "", jitter},
		"negative":     {"-1", "", jitter},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, nil, gives(429, "", "Retry-After", c.header, "Date", c.date), gives(200, done))
			if _, err := s.client.Status(t.Context(), "1"); err != nil {
				t.Fatal(err)
			}
			s.waited(c.want)
		})
	}
}

func TestARetryAfterIsNeverUndercut(t *testing.T) {
	random := 0.0
	s := newScript(t, func(c *client.Config) {
		c.Random = func() float64 { random += 0.1; return random }
		c.Retry.Backoff.Base, c.Retry.Backoff.Factor, c.Retry.Backoff.Cap = 60*time.Second, 1, 60*time.Second
	}, gives(503, "", "Retry-After", "10"), gives(503, "", "Retry-After", "10"), gives(503, "", "Retry-After", "10"), gives(200, done))
	if _, err := s.client.Status(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	s.waited(16*time.Second, 22*time.Second, 28*time.Second)
}

func TestWhatIsNotTemporaryIsNotRepeated(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 409, 413, 415, 422, 501} {
		s := newScript(t, nil, gives(status, `{"type":"urn:x","title":"T","detail":"because","request_id":"r1"}`, "Content-Type", "application/problem+json"))
		_, err := s.client.Cancel(t.Context(), "1")
		var e *client.ResponseError
		if !errors.As(err, &e) || e.Status != status || e.Type != "urn:x" || e.RequestID != "r1" || !strings.Contains(err.Error(), "because") || errors.Is(err, client.ErrGaveUp) {
			t.Errorf("%d: %v", status, err)
		}
	}
	s := newScript(t, nil, gives(403, "<html>{no json</html>", "Content-Type", "text/html"))
	if _, err := s.client.Status(t.Context(), "1"); err == nil || !strings.Contains(err.Error(), "403 Forbidden") {
		t.Errorf("%v", err)
	}
}

func TestGivingUp(t *testing.T) {
	busy := gives(503, "", "Retry-After", "1")
	down := gives(502, "")
	t.Run("attempts", func(t *testing.T) {
		s := newScript(t, func(c *client.Config) { c.Retry.Attempts = 3 }, busy, down, busy)
		_, err := s.client.Status(t.Context(), "1")
		var gave *client.GaveUpError
		var last *client.ResponseError
		if !errors.Is(err, client.ErrGaveUp) || !errors.As(err, &gave) || gave.Reason != client.OutOfAttempts || gave.Attempts != 3 || !errors.As(err, &last) || last.Status != 503 {
			t.Errorf("%v", err)
		}
	})
	t.Run("a wait too long", func(t *testing.T) {
		for _, wait := range []string{"301", "18446744073709551615", "99999999999999999999999"} {
			s := newScript(t, nil, gives(503, "", "Retry-After", wait))
			_, err := s.client.Status(t.Context(), "1")
			var gave *client.GaveUpError
			if !errors.As(err, &gave) || gave.Reason != client.OutOfTime || len(s.waits) != 0 || gave.At.Before(epoch.Add(301*time.Second)) || gave.Kept != nil {
				t.Errorf("%s: %v after %v", wait, err, s.waits)
			}
		}
	})
	t.Run("time", func(t *testing.T) {
		s := newScript(t, func(c *client.Config) { c.Now = time.Now }, gives(503, "", "Retry-After", "3600"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := s.client.Status(ctx, "1")
		var gave *client.GaveUpError
		if !errors.As(err, &gave) || gave.Reason != client.OutOfTime || len(s.waits) != 0 {
			t.Errorf("%v after %v", err, s.waits)
		}
	})
	t.Run("budget", func(t *testing.T) {
		answers := []func(http.ResponseWriter){down, down, down}
		for range 10 {
			answers = append(answers, gives(200, done))
		}
		answers = append(answers, down, busy, gives(200, done))
		s := newScript(t, func(c *client.Config) { c.Retry.Floor = 2 }, answers...)
		_, err := s.client.Status(t.Context(), "1")
		var gave *client.GaveUpError
		if !errors.As(err, &gave) || gave.Reason != client.OutOfBudget || gave.Attempts != 3 {
			t.Errorf("%v", err)
		}
		// Ten calls that succeed earn one retry; one that the server asked
		// for is free.
		for range 11 {
			if _, err := s.client.Status(t.Context(), "1"); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("the caller", func(t *testing.T) {
		s := newScript(t, func(c *client.Config) {
			c.Sleep = func(context.Context, time.Duration) error { return context.Canceled }
		}, busy)
		if _, err := s.client.Status(t.Context(), "1"); !errors.Is(err, context.Canceled) || !errors.Is(err, client.ErrGaveUp) {
			t.Errorf("%v", err)
		}
	})
}

func TestWait(t *testing.T) {
	s := newScript(t, nil,
		gives(200, queued, "Retry-After", "1", "ETag", `"a"`),
		gives(304, "", "Retry-After", "2", "ETag", `"a"`),
		gives(503, "", "Retry-After", "4"),
		gives(304, "", "Retry-After", "0"),
		gives(200, strings.Replace(queued, "queued", "running", 1), "ETag", `"b"`),
		gives(200, done, "ETag", `"c"`))
	var states []string
	j, err := s.client.Watch(t.Context(), "1", func(j client.Job) { states = append(states, j.State) })
	if err != nil || j.State != "done" || !j.Finished() || string(j.Result) != `{"n":1}` {
		t.Errorf("%+v %v", j, err)
	}
	if fmt.Sprint(states) != "[queued running done]" {
		t.Errorf("it saw %v", states)
	}
	var tags []string
	for _, r := range s.got {
		tags = append(tags, r.Header.Get("If-None-Match"))
	}
	if fmt.Sprintf("%q", tags) != `["" "\"a\"" "\"a\"" "\"a\"" "\"a\"" "\"b\""]` {
		t.Errorf("it sent the tags %q", tags)
	}
	s.waited(1050*time.Millisecond, 2100*time.Millisecond, 4250*time.Millisecond, 105*time.Millisecond, 2100*time.Millisecond)
}

// Whatever a server asks for, the next look is not sooner.
func TestWaitOfCenturies(t *testing.T) {
	for _, asked := range []string{"9223372036", "99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		s := newScript(t, nil, gives(200, queued, "Retry-After", asked), gives(200, done))
		if _, err := s.client.Wait(t.Context(), "1"); err != nil || len(s.waits) != 1 || s.waits[0] < 290*365*24*time.Hour {
			t.Errorf("Retry-After: %s: it waited %v, %v", asked, s.waits, err)
		}
	}
}

func TestWaitGivesWhatItSawLast(t *testing.T) {
	s := newScript(t, nil, gives(200, queued), gives(404, ""))
	j, err := s.client.Wait(t.Context(), "1")
	if err == nil || j.State != "queued" {
		t.Errorf("%+v %v", j, err)
	}
}

func TestUpload(t *testing.T) {
	var s *script
	where := func(w http.ResponseWriter) {
		gives(201, `{"key":"uploads/everyone/1","url":"http://`+s.got[0].Host+`/bucket/1?sig=x","headers":{"Content-Type":"image/png","If-None-Match":"*"},"expires_at":"2026-11-29T16:10:00.000Z"}`)(w)
	}
	auth := func(c *client.Config) { c.Header = http.Header{"Authorization": {"Bearer x"}} }
	s = newScript(t, auth, where, hangsUp, gives(412, ""))
	key, err := s.client.Upload(t.Context(), "image/png", []byte("bytes"))
	if err != nil || key != "uploads/everyone/1" {
		t.Errorf("%s %v", key, err)
	}
	if s.bodies[0] != `{"bytes":5,"content_type":"image/png"}` || s.bodies[2] != "bytes" {
		t.Errorf("it sent %q", s.bodies)
	}
	put := s.got[2]
	if put.Method != "PUT" || put.URL.RequestURI() != "/bucket/1?sig=x" || put.Header.Get("If-None-Match") != "*" || put.ContentLength != 5 || put.Header.Get("Authorization") != "" {
		t.Errorf("%s %s %v", put.Method, put.URL, put.Header)
	}

	// The PUT whose answer got lost is still under way when the next arrives.
	s = newScript(t, nil, where, hangsUp, gives(409, "ConditionalRequestConflict"), gives(412, ""))
	if key, err := s.client.Upload(t.Context(), "image/png", []byte("bytes")); err != nil || key != "uploads/everyone/1" || len(s.got) != 4 {
		t.Errorf("%s %v after %d requests", key, err, len(s.got))
	}

	s = newScript(t, nil, where, gives(412, ""))
	if _, err := s.client.Upload(t.Context(), "image/png", []byte("bytes")); err == nil {
		t.Error("another's object passed for one's own")
	}
}

func TestNewReportsAllMistakes(t *testing.T) {
	_, err := client.New(client.Config{URL: "localhost:8080", Retry: client.RetryPolicy{Attempts: -1, LongestWait: -1, Share: 2}})
	if err == nil || !strings.Contains(err.Error(), "localhost:8080") || !strings.Contains(err.Error(), "Attempts") ||
		!strings.Contains(err.Error(), "LongestWait") || !strings.Contains(err.Error(), "Share") {
		t.Errorf("%v", err)
	}
}
