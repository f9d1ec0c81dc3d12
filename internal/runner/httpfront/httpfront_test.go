package httpfront

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

type invoker func(ctx context.Context, payload []byte) (lambdaruntime.Result, error)

func (f invoker) Invoke(ctx context.Context, payload []byte) (lambdaruntime.Result, error) {
	return f(ctx, payload)
}

func answering(payload string) invoker {
	return func(context.Context, []byte) (lambdaruntime.Result, error) {
		return lambdaruntime.Result{Payload: []byte(payload)}, nil
	}
}

func api(t *testing.T, change func(*Config), f Invoker, keys ...string) *API {
	t.Helper()
	c := Config{APIID: "api", AccountID: "000000000000", Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, NewID: func() string { return "id" }, NewTrace: func() string { return "Root=1-a-b" }}
	for _, k := range keys {
		c.Routes = append(c.Routes, Route{Key: k, Function: f})
	}
	if change != nil {
		change(&c)
	}
	a, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestEvent(t *testing.T) {
	for _, c := range []struct {
		name, method, target, body string
		header                     http.Header
		want                       string
	}{
		{"everything", "POST", "/jobs/photo.resize?a=1&b=x%20y&a=2&c", `{"key":"k"}`,
			http.Header{"Content-Type": {"application/json"}, "X-Two": {"1", "2"}, "Cookie": {"a=1; b=2"}, "User-Agent": {"test"}},
			`{"version":"2.0","routeKey":"POST /jobs/{task}","rawPath":"/jobs/photo.resize","rawQueryString":"a=1&b=x%20y&a=2&c","cookies":["a=1","b=2"],` +
				`"headers":{"content-type":"application/json","host":"api.example.com:8080","user-agent":"test","x-amzn-trace-id":"Root=1-a-b","x-forwarded-for":"192.0.2.1","x-forwarded-port":"8080","x-forwarded-proto":"http","x-two":"1,2"},` +
				`"queryStringParameters":{"a":"1,2","b":"x y","c":""},"requestContext":{"accountId":"000000000000","apiId":"api","domainName":"api.example.com","domainPrefix":"api",` +
				`"http":{"method":"POST","path":"/jobs/photo.resize","protocol":"HTTP/1.1","sourceIp":"192.0.2.1","userAgent":"test"},"requestId":"id","routeKey":"POST /jobs/{task}","stage":"$default",` +
				`"time":"02/Jan/2026:03:04:05 +0000","timeEpoch":1767323045000},"pathParameters":{"task":"photo.resize"},"body":"{\"key\":\"k\"}","isBase64Encoded":false}`},
		{"binary", "POST", "/jobs/x", "\x00\xff", http.Header{"Content-Type": {"image/png"}},
			`{"version":"2.0","routeKey":"POST /jobs/{task}","rawPath":"/jobs/x","rawQueryString":"",` +
				`"headers":{"content-type":"image/png","host":"api.example.com:8080","x-amzn-trace-id":"Root=1-a-b","x-forwarded-for":"192.0.2.1","x-forwarded-port":"8080","x-forwarded-proto":"http"},` +
				`"requestContext":{"accountId":"000000000000","apiId":"api","domainName":"api.example.com","domainPrefix":"api",` +
				`"http":{"method":"POST","path":"/jobs/x","protocol":"HTTP/1.1","sourceIp":"192.0.2.1","userAgent":""},"requestId":"id","routeKey":"POST /jobs/{task}","stage":"$default",` +
				`"time":"02/Jan/2026:03:04:05 +0000","timeEpoch":1767323045000},"pathParameters":{"task":"x"},"body":"AP8=","isBase64Encoded":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got string
			a := api(t, nil, invoker(func(_ context.Context, payload []byte) (lambdaruntime.Result, error) {
				got = string(payload)
				var e events.APIGatewayV2HTTPRequest
				return lambdaruntime.Result{Payload: []byte(`{}`)}, json.Unmarshal(payload, &e)
			}), "POST /jobs/{task}")
			r := httptest.NewRequest(c.method, "http://api.example.com:8080"+c.target, strings.NewReader(c.body))
			r.Header = c.header
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			// JSON escapes & as \u0026.
			if strings.ReplaceAll(got, `\u0026`, "&") != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestResponses(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		status       int
		body, header string // header is "Name: value" or ""
	}{
		{"structured", `{"statusCode":202,"headers":{"location":"/jobs/1","retry-after":1},"body":"x"}`, 202, "x", "Location: /jobs/1"},
		{"number as header", `{"statusCode":202,"headers":{"retry-after":1}}`, 202, "", "Retry-After: 1"},
		{"digits as status", `{"statusCode":"201","body":"x"}`, 201, "x", "Content-Type: text/plain;charset=UTF-8"},
		{"base64", `{"statusCode":200,"headers":{"Content-Type":"image/png"},"body":"AP8=","isBase64Encoded":true}`, 200, "\x00\xff", "Content-Type: image/png"},
		{"cookies", `{"statusCode":200,"cookies":["a=1; Path=/","b=2"]}`, 200, "", "Set-Cookie: a=1; Path=/"},
		{"no status", `{"a":1}`, 200, `{"a":1}`, "Content-Type: application/json"},
		{"a text", `"hello"`, 200, `hello`, "Content-Type: application/json"},
		{"null", `null`, 200, `null`, "Content-Type: application/json"},
		{"no content", `{"statusCode":204}`, 204, "", ""},
		{"not JSON", `hello`, 500, `{"message":"Internal Server Error"}`, ""},
		{"empty", ``, 500, `{"message":"Internal Server Error"}`, ""},
		{"bad status", `{"statusCode":"x"}`, 500, `{"message":"Internal Server Error"}`, ""},
		{"body is an object", `{"statusCode":200,"body":{}}`, 500, `{"message":"Internal Server Error"}`, ""},
		{"bad base64", `{"statusCode":200,"body":"!","isBase64Encoded":true}`, 500, `{"message":"Internal Server Error"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			api(t, nil, answering(c.answer), "GET /").ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if w.Code != c.status || w.Body.String() != c.body {
				t.Errorf("%d %q", w.Code, w.Body)
			}
			if name, value, ok := strings.Cut(c.header, ": "); ok && w.Header().Get(name) != value {
				t.Errorf("%s is %q", name, w.Header().Get(name))
			}
		})
	}
}

func TestRoutes(t *testing.T) {
	a := api(t, nil, answering(`{}`), "$default", "ANY /pets/{proxy+}", "GET /pets/{proxy+}", "GET /pets/dog/{id}", "GET /pets/dog/1", "GET /pets/{kind}/{id}", "GET /")
	for target, want := range map[string]string{
		"GET /pets/dog/1": "GET /pets/dog/1", "GET /pets/dog/2": "GET /pets/dog/{id}", "GET /pets/cat/2": "GET /pets/{kind}/{id}",
		"GET /pets/cat/2/x": "GET /pets/{proxy+}", "POST /pets/dog/1": "ANY /pets/{proxy+}", "GET /": "GET /", "POST /": "$default",
		"GET /pets": "$default", "GET /pets/": "$default", "HEAD /": "$default",
	} {
		method, path, _ := strings.Cut(target, " ")
		r, _ := a.match(method, path)
		if r == nil || r.Key != want {
			t.Errorf("%s: got %v, want %s", target, r, want)
		}
	}
	if _, p := a.match("GET", "/pets/a/b/c"); p["proxy"] != "a/b/c" {
		t.Errorf("parameters %v", p)
	}
	strict := api(t, nil, answering(`{}`), "GET /a", "GET /{proxy+}")
	for _, target := range []string{"HEAD /a", "OPTIONS /a", "POST /a", "GET /"} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		strict.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != 404 || w.Body.String() != `{"message":"Not Found"}` {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	for _, key := range []string{"", "GET", "GET x", "FETCH /", "GET /{a+}/b", "GET /a{b}"} {
		if _, err := New(Config{Routes: []Route{{Key: key, Function: answering("")}}}); err == nil {
			t.Errorf("the route %q is accepted", key)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		result lambdaruntime.Result
		err    error
		status int
	}{
		{"function error", lambdaruntime.Result{FunctionError: "Unhandled", Payload: []byte(`{"statusCode":200}`)}, nil, 500},
		{"throttled", lambdaruntime.Result{}, lambdaruntime.ErrThrottled, 503},
		{"too large", lambdaruntime.Result{}, lambdaruntime.ErrTooLarge, 413},
		{"another error", lambdaruntime.Result{}, errors.New("x"), 500},
	} {
		w := httptest.NewRecorder()
		api(t, nil, invoker(func(context.Context, []byte) (lambdaruntime.Result, error) { return c.result, c.err }), "GET /").ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != c.status {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
	slow := api(t, func(c *Config) { c.Routes[0].Timeout = time.Millisecond }, invoker(func(ctx context.Context, _ []byte) (lambdaruntime.Result, error) {
		<-ctx.Done()
		return lambdaruntime.Result{}, ctx.Err()
	}), "GET /")
	w := httptest.NewRecorder()
	slow.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != statusIntegrationTimeout || w.Body.String() != `{"message":"Service Unavailable"}` {
		t.Errorf("slow: %d %s", w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	slow.ServeHTTP(w, httptest.NewRequest("GET", "/?"+strings.Repeat("x", maxHead), nil))
	if w.Code != 431 {
		t.Errorf("a long request line: %d", w.Code)
	}
	w = httptest.NewRecorder()
	api(t, nil, answering(`{}`), "POST /").ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", maxBody+1))))
	if w.Code != 413 {
		t.Errorf("a long body: %d", w.Code)
	}
}

func TestCORS(t *testing.T) {
	with := func(c *Config) {
		c.CORS = &CORS{AllowOrigins: []string{"https://a.example"}, AllowMethods: []string{"GET", "POST"}, AllowHeaders: []string{"x"}, ExposeHeaders: []string{"etag"}, MaxAge: 60, AllowCredentials: true}
	}
	a := api(t, with, answering(`{"statusCode":200,"headers":{"access-control-allow-origin":"*"}}`), "GET /")
	ask := func(method, origin string) http.Header {
		r := httptest.NewRequest(method, "/", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "GET")
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if method == "OPTIONS" && w.Code != 204 {
			t.Errorf("preflight: %d", w.Code)
		}
		return w.Header()
	}
	if h := ask("OPTIONS", "https://a.example"); h.Get("Access-Control-Allow-Origin") != "https://a.example" || h.Get("Access-Control-Allow-Methods") != "GET,POST" || h.Get("Access-Control-Max-Age") != "60" || h.Get("Access-Control-Allow-Credentials") != "true" {
		t.Errorf("preflight %v", h)
	}
	if h := ask("OPTIONS", "https://b.example"); h.Get("Access-Control-Allow-Origin") != "" || h.Get("Access-Control-Allow-Methods") != "" {
		t.Errorf("preflight of another %v", h)
	}
	if h := ask("GET", "https://a.example"); h.Get("Access-Control-Allow-Origin") != "https://a.example" || h.Get("Access-Control-Expose-Headers") != "etag" {
		t.Errorf("answer %v", h)
	}
	if h := ask("GET", "https://b.example"); h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("answer to another %v", h)
	}
}

func FuzzRespond(f *testing.F) {
	for _, s := range []string{`{"statusCode":200}`, `"x"`, `{"statusCode":200,"headers":{"a":[1]},"cookies":["x"],"body":"y","isBase64Encoded":true}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		w := httptest.NewRecorder()
		api(t, nil, answering(string(answer)), "GET /").ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code < 200 || w.Code > 599 {
			t.Errorf("status %d", w.Code)
		}
	})
}
