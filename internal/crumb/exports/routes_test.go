package exports_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/exports"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

// A browser is somebody's, signed in.
type browser struct {
	t    *testing.T
	site *site.Site
	who  string
}

func (w *world) browsers() func(reader string) browser {
	signed := must(sessions.New([]byte("0123456789abcdef0123456789abcdef"), w.kit.Now))(w.t)
	s := must(site.New(site.Config{Sessions: signed}))(w.t)
	w.Register(s)
	return func(reader string) browser {
		if reader == "" {
			return browser{t: w.t, site: s}
		}
		return browser{t: w.t, site: s, who: signed.Start(&http.Request{Header: http.Header{}}, reader).String()}
	}
}

func (b browser) send(method, path string, headers ...string) events.APIGatewayV2HTTPResponse {
	b.t.Helper()
	e := events.APIGatewayV2HTTPRequest{Headers: map[string]string{}}
	e.RawPath, e.RawQueryString, _ = strings.Cut(path, "?")
	e.RequestContext.HTTP.Method = method
	if b.who != "" {
		e.Cookies = []string{b.who}
	}
	for i := 0; i < len(headers); i += 2 {
		e.Headers[headers[i]] = headers[i+1]
	}
	answer, err := b.site.Invoke(b.t.Context(), e)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer
}

// From the click to the file: 202, a status that is polled, a link.
func TestOverHTTP(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	as := w.browsers()
	ada, eve := as("ada"), as("eve")
	accepted := ada.send("POST", "/exports")
	where := accepted.Headers["Location"]
	if accepted.StatusCode != 202 || !strings.HasPrefix(where, "/exports/") || accepted.Headers["Retry-After"] == "" {
		t.Fatalf("%+v", accepted)
	}
	waiting := ada.send("GET", where)
	if waiting.StatusCode != 200 || waiting.Headers["Retry-After"] == "" {
		t.Errorf("%+v", waiting)
	}
	if same := ada.send("GET", where, "If-None-Match", waiting.Headers["Etag"]); same.StatusCode != 304 || same.Body != "" {
		t.Errorf("nothing changed: %+v", same)
	}
	w.kit.RunAll(t.Context())
	finished := ada.send("GET", where, "If-None-Match", waiting.Headers["Etag"])
	var status exports.Status
	if err := json.Unmarshal([]byte(finished.Body), &status); err != nil || finished.StatusCode != 200 || finished.Headers["Retry-After"] != "" || status.URL == "" {
		t.Fatalf("%+v, %v", finished, err)
	}
	// The link works for whoever has it: a mail is read anywhere.
	for _, b := range []browser{eve, as("")} {
		if file := b.send("GET", status.URL); file.StatusCode != 302 || !strings.HasPrefix(file.Headers["Location"], "https://bucket/exports/ada/") {
			t.Errorf("%+v", file)
		}
	}
	for path, want := range map[string]int{
		where: 404, "/api/exports": 404, // none of Eve's
		strings.Replace(status.URL, "until=1", "until=9", 1): 404, "/exports/" + status.ID + "/file": 404,
	} {
		if answer := eve.send("GET", path); answer.StatusCode != want {
			t.Errorf("GET %s: %d, want %d", path, answer.StatusCode, want)
		}
	}
	w.kit.Advance(t.Context(), exports.Life+time.Minute)
	if file := ada.send("GET", status.URL); file.StatusCode != 404 {
		t.Errorf("after a week: %+v", file)
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	as := w.browsers()
	if answer := as("").send("POST", "/exports"); answer.StatusCode != 401 {
		t.Errorf("nobody's export: %+v", answer)
	}
	w.full = true
	if answer := as("ada").send("POST", "/exports"); answer.StatusCode != 503 || answer.Headers["Retry-After"] != "40" {
		t.Errorf("a full queue: %+v", answer)
	}
}
