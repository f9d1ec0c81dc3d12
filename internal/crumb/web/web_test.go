package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/web"
)

// A presigner makes URLs that show what was asked for.
type presigner struct{ origin string }

func (p presigner) PresignGet(_ context.Context, key string, life time.Duration) (string, error) {
	if p.origin == "" {
		return "", errors.New("no credentials")
	}
	return p.origin + "/" + key + "?life=" + life.String(), nil
}

func newSite(t testing.TB, origin string) *web.Site {
	t.Helper()
	site, err := web.New(t.Context(), web.Config{Photos: presigner{origin}})
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func ask(t *testing.T, site *web.Site, method, path string, headers map[string]string) events.APIGatewayV2HTTPResponse {
	t.Helper()
	request := events.APIGatewayV2HTTPRequest{RawPath: path, Headers: headers}
	request.RequestContext.HTTP.Method = method
	response, err := site.Handle(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

const bucket = "https://photos.example.com"

func TestRoutes(t *testing.T) {
	site := newSite(t, bucket)
	const id = "0123456789abcdefghjkmnpqrs"
	for _, tc := range []struct {
		method, path string
		status       int
		header, want string
	}{
		{"GET", "/", 200, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "/", 200, "Cache-Control", "no-cache"},
		{"GET", "/search", 200, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "/upload", 200, "Cache-Control", "no-cache"},
		{"GET", "/recipes/" + id, 200, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "/recipes/" + id + "/edit", 200, "Cache-Control", "no-cache"},
		{"GET", "/newsletter/unsubscribe", 200, "Cache-Control", "no-cache"},
		{"POST", "/newsletter/unsubscribe", 405, "Allow", "GET, HEAD"},
		{"GET", "/recipes/", 404, "", ""},
		{"GET", "/recipes//edit", 404, "", ""},
		{"GET", "/recipes/" + id + "/edit/", 404, "", ""},
		{"GET", "/recipes/" + id + "/delete", 404, "", ""},
		{"GET", "/cooks", 404, "", ""},
		{"GET", "/frame.html", 404, "", ""},
		{"HEAD", "/", 200, "Content-Type", "text/html; charset=utf-8"},
		{"POST", "/", 405, "Allow", "GET, HEAD"},
		{"DELETE", "/photos/" + id + "/thumb.jpg", 405, "Allow", "GET, HEAD"},
		{"GET", "/photos/" + id + "/thumb.jpg", 302, "Location", bucket + "/photos/" + id + "/thumb.jpg?life=15m0s"},
		{"GET", "/photos/" + id + "/large.png", 302, "Cache-Control", "private, max-age=600"},
		{"GET", "/photos/" + id + "/huge.jpg", 404, "Cache-Control", "no-store"},
		{"GET", "/photos/" + id + "/thumb.gif", 404, "", ""},
		{"GET", "/photos/" + id + "/thumb", 404, "", ""},
		{"GET", "/photos/" + id + "/thumb.jpg/", 404, "", ""},
		{"GET", "/photos/" + id + "/thumb.jpg\n", 404, "", ""},
		{"GET", "/videos/" + id + "/clip.gif", 302, "Location", bucket + "/videos/" + id + "/clip.gif?life=15m0s"},
		{"GET", "/videos/" + id + "/poster.jpg", 302, "", ""},
		{"GET", "/videos/" + id + "/thumb.jpg", 404, "", ""},
		{"GET", "/videos/" + id + "/segments/000", 404, "", ""},
		{"GET", "/photos/../uploads/everyone/" + id, 404, "", ""},
		{"GET", "/photos/" + id + "/../" + id + "/thumb.jpg", 404, "", ""},
		{"GET", "/photos/" + id + "/%2e%2e/thumb.jpg", 404, "", ""},
		{"GET", "/photos/..%2fuploads/thumb.jpg", 404, "", ""},
		{"GET", "/uploads/everyone/" + id, 404, "", ""},
		{"GET", "/static/", 404, "", ""},
		{"GET", "/static/js/main.js", 404, "", ""},
		{"GET", "/static/../index.html", 404, "", ""},
		{"GET", "/index.html", 404, "", ""},
		{"GET", "", 404, "", ""},
		{"GET", "/no/such/page", 404, "Content-Type", "text/html; charset=utf-8"},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			got := ask(t, site, tc.method, tc.path, nil)
			if got.StatusCode != tc.status || tc.header != "" && got.Headers[tc.header] != tc.want {
				t.Errorf("answered %d, %s %q; want %d, %q", got.StatusCode, tc.header, got.Headers[tc.header], tc.status, tc.want)
			}
			if tc.method == "HEAD" && got.Body != "" {
				t.Error("HEAD was answered with a body")
			}
			if got.Headers["X-Content-Type-Options"] != "nosniff" {
				t.Error("the security headers are missing")
			}
		})
	}
}

var staticPath = regexp.MustCompile(`/static/[A-Za-z0-9_-]+/[a-z./]+`)

func TestStaticFiles(t *testing.T) {
	site := newSite(t, bucket)
	types := map[string]string{}
	for _, path := range staticPath.FindAllString(ask(t, site, "GET", "/", nil).Body, -1) {
		got := ask(t, site, "GET", path, nil)
		if got.StatusCode != http.StatusOK || got.Body == "" {
			t.Errorf("%s: answered %d with %d bytes", path, got.StatusCode, len(got.Body))
		}
		if got.Headers["Cache-Control"] != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", path, got.Headers["Cache-Control"])
		}
		types[path[strings.LastIndexByte(path, '.'):]] = got.Headers["Content-Type"]
	}
	want := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	if !maps.Equal(types, want) {
		t.Errorf("content types %v, want %v", types, want)
	}
}

func TestNotModified(t *testing.T) {
	site := newSite(t, bucket)
	etag := ask(t, site, "GET", "/", nil).Headers["ETag"]
	for _, tc := range []struct {
		header, value string
		status        int
	}{
		{"if-none-match", etag, 304},
		{"If-None-Match", `"other", W/` + etag, 304},
		{"If-None-Match", "*", 304},
		{"If-None-Match", `"other"`, 200},
		{"If-None-Match", "", 200},
	} {
		got := ask(t, site, "GET", "/", map[string]string{tc.header: tc.value})
		if got.StatusCode != tc.status || (got.Body == "") != (tc.status == 304) || got.Headers["ETag"] != etag {
			t.Errorf("%s: %s: answered %d with %d bytes and tag %s", tc.header, tc.value, got.StatusCode, len(got.Body), got.Headers["ETag"])
		}
	}
}

func TestSecurityPolicy(t *testing.T) {
	policy := ask(t, newSite(t, "http://127.0.0.1:4566"), "GET", "/", nil).Headers["Content-Security-Policy"]
	directives := strings.Split(policy, "; ")
	for _, want := range []string{
		"default-src 'none'", "script-src 'self'", "connect-src 'self' http://127.0.0.1:4566",
		"img-src 'self' blob: http://127.0.0.1:4566", "frame-ancestors 'none'",
	} {
		if !slices.Contains(directives, want) {
			t.Errorf("%q is not in %q", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows what is unsafe: %q", policy)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, config := range map[string]web.Config{
		"no presigner":  {},
		"no signature":  {Photos: presigner{}},
		"no origin":     {Photos: presigner{"relative"}},
		"no valid host": {Photos: presigner{"https://%zz"}},
	} {
		if _, err := web.New(t.Context(), config); err == nil || !strings.HasPrefix(err.Error(), "web: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestEvent reads an event as API Gateway sends it.
func TestEvent(t *testing.T) {
	data, err := os.ReadFile("../../../events/web.json")
	if err != nil {
		t.Fatal(err)
	}
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(data, &event); err != nil {
		t.Fatal(err)
	}
	got, err := newSite(t, bucket).Handle(t.Context(), event)
	if err != nil || got.StatusCode != http.StatusFound || got.Headers["Location"] != bucket+event.RawPath+"?life=15m0s" {
		t.Errorf("answered %d, %v, %v", got.StatusCode, got.Headers, err)
	}
}
