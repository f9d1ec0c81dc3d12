package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// limited is an API whose clients may send three requests, and one each two seconds.
func limited(t testing.TB, edits ...func(*httpapi.RateLimitConfig)) *api {
	t.Helper()
	var a *api
	a = newAPI(t, func(c *httpapi.EnqueueConfig) {
		config := httpapi.RateLimitConfig{
			Driver: &driver{Driver: memstore.New(memstore.Config{})}, Rate: 0.5, Burst: 3, AddressRate: 1, AddressBurst: 2,
			Now: func() time.Time { return a.now }, Logger: c.Logger,
		}
		for _, edit := range edits {
			edit(&config)
		}
		var err error
		if c.Limit, err = httpapi.NewRateLimit(config); err != nil {
			t.Fatal(err)
		}
	})
	return a
}

func from(address string) func(*request) {
	return func(r *request) { r.RequestContext.HTTP.SourceIP = address }
}

func key(name string) func(*request) { return header("idempotency-key", `"`+name+`"`) }

func TestAClientIsKeptToItsRate(t *testing.T) {
	a := limited(t)
	ask := func(n int, changes ...func(*request)) response {
		return a.send(a.enqueue.Handle, event(t, "enqueue", append(changes, key(fmt.Sprint(n)))...))
	}
	for i, want := range []string{`"client";r=2;t=2`, `"client";r=1;t=2`, `"client";r=0;t=2`} {
		answer := ask(i, by("ann"))
		if answer.StatusCode != 202 || answer.Headers["RateLimit"] != want || answer.Headers["RateLimit-Policy"] != `"client";q=3;w=6` || answer.Headers["Location"] == "" {
			t.Errorf("request %d: %d %v", i, answer.StatusCode, answer.Headers)
		}
	}
	writes := a.driver.writes
	r := event(t, "enqueue", by("ann"), key("4"))
	answer := a.send(a.enqueue.Handle, r)
	isProblem(t, r, answer, 429)
	if answer.Headers["Retry-After"] != "2" || answer.Headers["RateLimit"] != `"client";r=0;t=2` || !strings.Contains(answer.Body, "rate-limited") {
		t.Errorf("%v %s", answer.Headers, answer.Body)
	}
	if a.driver.writes != writes {
		t.Error("a request over the rate was written")
	}
	if ask(5, by("ben")).StatusCode != 202 {
		t.Error("another client pays for it")
	}
	a.now = a.now.Add(2 * time.Second)
	if ask(6, by("ann")).StatusCode != 202 {
		t.Error("and at its time it is refused")
	}
}

// The rate comes first, then the gate; and what was accepted before has its answer.
func TestWhatWasAcceptedBeforeHasItsAnswer(t *testing.T) {
	a := limited(t)
	first := a.send(a.enqueue.Handle, event(t, "enqueue", by("ann"), key("1")))
	a.depth = 1000
	for range 2 {
		if again := a.send(a.enqueue.Handle, event(t, "enqueue", by("ann"), key("full"))); again.StatusCode != 503 || again.Headers["RateLimit"] == "" {
			t.Errorf("%d %v", again.StatusCode, again.Headers)
		}
	}
	for range 3 {
		again := a.send(a.enqueue.Handle, event(t, "enqueue", by("ann"), key("1")))
		if again.StatusCode != 202 || again.Body != first.Body || again.Headers["RateLimit"] != `"client";r=0;t=2` {
			t.Errorf("the same again: %d %s", again.StatusCode, again.Body)
		}
	}
	for name, c := range map[string]struct {
		change func(*request)
		status int
	}{
		"no key": {without("idempotency-key"), 429}, "a new key": {key("2"), 429}, "another's key": {by("ben"), 503},
		"the same key, another body": {body(`{"key":"other"}`), 422}, "no body": {body("{"), 429},
	} {
		if answer := a.send(a.enqueue.Handle, event(t, "enqueue", by("ann"), key("1"), c.change)); answer.StatusCode != c.status {
			t.Errorf("%s: %d %s", name, answer.StatusCode, answer.Body)
		}
	}
}

func TestWhoAClientIs(t *testing.T) {
	for name, c := range map[string]struct {
		one, other func(*request)
		shared     bool
	}{
		"two names at one address":           {by("ann"), by("ben"), false},
		"a name and nobody at one address":   {by("192.0.2.1"), from("192.0.2.1"), false},
		"two addresses":                      {from("192.0.2.1"), from("192.0.2.2"), false},
		"one IPv4 address, in two spellings": {from("192.0.2.1"), from("::ffff:192.0.2.1"), true},
		"one customer's IPv6 addresses":      {from("2001:db8:1:2::1"), from("2001:db8:1:2:ffff::"), true},
		"two IPv6 networks":                  {from("2001:db8:1:2::1"), from("2001:db8:1:3::1"), false},
		"none that can be read":              {from(""), from("nonsense"), true},
		"an authorizer that names nobody":    {by(""), func(*request) {}, true},
		"what the client writes": {func(r *request) { r.Headers["x-forwarded-for"] = "192.0.2.1" },
			func(r *request) { r.Headers["x-forwarded-for"] = "192.0.2.2" }, true},
	} {
		l, err := httpapi.NewRateLimit(httpapi.RateLimitConfig{
			Driver: &driver{Driver: memstore.New(memstore.Config{})}, Rate: 1e-3, Burst: 1, AddressRate: 1e-3, AddressBurst: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		handle := l.Handler(func(context.Context, request) (response, error) { return response{StatusCode: 200}, nil })
		if first, _ := handle(t.Context(), event(t, "enqueue", c.one)); first.StatusCode != 200 {
			t.Errorf("%s: the first: %d", name, first.StatusCode)
		}
		if second, _ := handle(t.Context(), event(t, "enqueue", c.other)); (second.StatusCode == 429) != c.shared {
			t.Errorf("%s: %d, shared is %v", name, second.StatusCode, c.shared)
		}
	}
}

func TestTheMachineItselfIsFree(t *testing.T) {
	for _, counted := range []bool{false, true} {
		a := limited(t, func(c *httpapi.RateLimitConfig) { c.CountLoopback = counted })
		refused := 0
		for i := range 5 {
			answer := a.send(a.enqueue.Handle, event(t, "enqueue", from([]string{"127.0.0.1", "::1"}[i%2]), key(fmt.Sprint(i))))
			if answer.StatusCode == 429 {
				refused++
			}
			if (answer.Headers["RateLimit"] != "") != counted {
				t.Errorf("%v", answer.Headers)
			}
		}
		if (refused > 0) != counted {
			t.Errorf("%d were refused", refused)
		}
	}
}

func TestATableThatDoesNotAnswerLetsIn(t *testing.T) {
	table := &driver{Driver: memstore.New(memstore.Config{}), fail: errors.New("down")}
	a := limited(t, func(c *httpapi.RateLimitConfig) { c.Driver = table })
	for i := range 5 {
		answer := a.send(a.enqueue.Handle, event(t, "enqueue", by("ann"), key(fmt.Sprint(i))))
		if answer.StatusCode != 202 || answer.Headers["RateLimit"] != "" {
			t.Errorf("%d %v", answer.StatusCode, answer.Headers)
		}
	}
	if !strings.Contains(a.log.String(), "without looking") || !strings.Contains(a.log.String(), "down") {
		t.Errorf("nobody is told: %s", a.log)
	}
}

func TestUploadsAreLimitedToo(t *testing.T) {
	l, err := httpapi.NewRateLimit(httpapi.RateLimitConfig{Driver: &driver{Driver: memstore.New(memstore.Config{})}, Rate: 1e-3, Burst: 1})
	if err != nil {
		t.Fatal(err)
	}
	a := newAPI(t)
	gate, err := admission.New(admission.Config{
		Queue: "photos", Limit: 100, DrainRate: 1, Depth: func(context.Context) (int, error) { return 0, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	uploads, err := httpapi.NewUploads(httpapi.UploadsConfig{Presigner: a.put, Gate: gate, Limit: l})
	if err != nil {
		t.Fatal(err)
	}
	r := event(t, "uploads", by("ann"))
	if answer := a.send(uploads.Handle, r); answer.StatusCode != 201 || answer.Headers["RateLimit"] == "" {
		t.Errorf("%d %v", answer.StatusCode, answer.Headers)
	}
	isProblem(t, r, a.send(uploads.Handle, r), 429)
}

func TestNewRateLimitReportsAllMistakes(t *testing.T) {
	_, err := httpapi.NewRateLimit(httpapi.RateLimitConfig{Name: "HTTP", Rate: -1, AddressBurst: -1})
	for _, part := range []string{"HTTP.client", "HTTP.address", "no driver", "Rate is -1", "Burst is -1"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing: %v", part, err)
		}
	}
}

func ExampleRateLimit_Handler() {
	l, err := httpapi.NewRateLimit(httpapi.RateLimitConfig{
		Driver: memstore.New(memstore.Config{}), Rate: job.PerMinute(1), Burst: 1, Logger: slog.Default(),
	})
	if err != nil {
		panic(err)
	}
	handle := l.Handler(func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		return events.APIGatewayV2HTTPResponse{StatusCode: 200}, nil
	})
	// lambda.Start(handle)
	var r events.APIGatewayV2HTTPRequest
	r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"sub": "ann"}},
	}
	for range 2 {
		answer, err := handle(context.Background(), r)
		fmt.Println(answer.StatusCode, answer.Headers["RateLimit-Policy"], err)
	}
	// Output:
	// 200 "client";q=1;w=60 <nil>
	// 429 "client";q=1;w=60 <nil>
}
