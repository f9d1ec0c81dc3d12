package httpapi_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestEnqueueAnswers202(t *testing.T) {
	a := newAPI(t)
	answer := a.send(a.enqueue.Handle, event(t, "enqueue"))
	id := strings.TrimPrefix(answer.Headers["Location"], "/jobs/")
	want := fmt.Sprintf(`{"id":%q,"task":"photo.resize","state":"queued","status_url":"/jobs/%s","attempts":0,"max_attempts":5,`+
		`"cancel_requested":false,"created_at":"2026-11-29T16:20:00.123Z"}`, id, id)
	if answer.StatusCode != 202 || answer.Body != want {
		t.Errorf("%d %s, not %s", answer.StatusCode, answer.Body, want)
	}
	if answer.Headers["Retry-After"] != "1" || answer.Headers["Content-Type"] != "application/json" || answer.Headers["Cache-Control"] != "no-store" {
		t.Errorf("headers %v", answer.Headers)
	}
	if a.driver.writes != 1 || a.driver.reads != 0 {
		t.Errorf("%d writes and %d reads", a.driver.writes, a.driver.reads)
	}
	rec, err := a.jobs.Get(t.Context(), job.ID(id))
	if err != nil || string(rec.Args) != `{"key":"uploads/everyone/7b2d4f6h8j0k1m3n5p7q9r2s4t"}` || rec.Client != "" || rec.Trace == "" {
		t.Errorf("the row is %+v, %v", rec, err)
	}
}

func TestEnqueueRefuses(t *testing.T) {
	padded := func(size int) string { return `{"key":"` + strings.Repeat("k", size-10) + `"}` }
	for name, c := range map[string]struct {
		change func(*request)
		status int
		says   string
	}{
		"no JSON":                  {body("key=1"), 400, "JSON object"},
		"an empty body":            {body(""), 400, "JSON object"},
		"null":                     {body("null"), 400, "JSON object"},
		"an array":                 {body("[]"), 400, "JSON object"},
		"a cut off body":           {body(`{"key":"a`), 400, "byte"},
		"an unknown field":         {body(`{"key":"a","Size":1}`), 400, "Size"},
		"a name in the wrong case": {body(`{"Key":"a"}`), 400, "Key"},
		"a name twice":             {body(`{"key":"a","key":"b"}`), 400, "key"},
		"both":                     {body(`{"key":"a","Key":"b"}`), 400, "Key"},
		"another type":             {body(`{"key":7}`), 400, "/key is a JSON number; a string was expected"},
		"text behind":              {body(`{"key":"a"}}}`), 400, "byte"},
		"a zero byte behind":       {body("{\"key\":\"a\"}\x00"), 400, "byte"},
		"bytes that are no UTF-8":  {body("{\"key\":\"a\xff\"}"), 400, "UTF-8"},
		"a number too large":       {body(`{"key":"a","page":9223372036854775808}`), 400, "/page"},
		"arguments that refuse":    {body(`{}`), 400, "key is missing"},
		"base64 that is none":      {func(r *request) { r.Body, r.IsBase64Encoded = "%%%", true }, 400, "base64"},
		"base64, not said":         {func(r *request) { r.Body = base64.StdEncoding.EncodeToString([]byte(r.Body)) }, 400, "JSON object"},
		"a byte too many":          {body(padded(101)), 413, "101"},
		"a byte too many, in base64": {func(r *request) {
			r.Body, r.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(padded(101))), true
		}, 413, "101"},
		"an unknown task":           {path("task", "photo.burn"), 404, "no such task"},
		"a task not for the public": {path("task", "photo.purge"), 404, "no such task"},
		"no task":                   {func(r *request) { r.PathParameters = nil }, 404, "no such task"},
		"a form":                    {header("content-type", "application/x-www-form-urlencoded"), 415, "x-www-form"},
		"text":                      {header("content-type", "text/json"), 415, "text/json"},
		"no content type":           {without("content-type"), 415, "no Content-Type"},
		"an empty content type":     {header("content-type", ""), 415, "no Content-Type"},
		"two content types":         {header("content-type", "application/json,application/json"), 415, "can't be read"},
		"another charset":           {header("content-type", "application/json; charset=latin1"), 415, "latin1"},
		"an empty idempotency key":  {header("idempotency-key", ""), 400, "Idempotency-Key"},
		"a key cut off":             {header("idempotency-key", `"abc`), 400, "Idempotency-Key"},
		"two keys":                  {header("idempotency-key", "a,b"), 400, "Idempotency-Key"},
		"two equal keys":            {header("idempotency-key", `"a","a"`), 400, "Idempotency-Key"},
		"two spellings of the name": {header("Idempotency-Key", "other"), 400, "Idempotency-Key"},
		"a key too long":            {header("idempotency-key", strings.Repeat("k", 256)), 400, "255"},
		"a method":                  {method("PUT"), 405, "POST"},
		"a panic":                   {body(`{"key":"panic"}`), 500, "our side"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			r := event(t, "enqueue", c.change)
			answer := a.send(a.enqueue.Handle, r)
			isProblem(t, r, answer, c.status)
			if !strings.Contains(answer.Body, c.says) || strings.Contains(answer.Body, "secret") {
				t.Errorf("it says %s", answer.Body)
			}
			if a.driver.writes != 0 {
				t.Errorf("%d writes", a.driver.writes)
			}
			if c.status == 405 && answer.Headers["Allow"] != "POST" {
				t.Errorf("headers %v", answer.Headers)
			}
		})
	}
}

func TestEnqueueTakes(t *testing.T) {
	for name, change := range map[string]func(*request){
		"base64":                  func(r *request) { r.Body, r.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(r.Body)), true },
		"parameters":              header("content-type", "Application/JSON; Charset=UTF-8"),
		"another JSON":            header("content-type", "application/merge-patch+json"),
		"upper-case names":        func(r *request) { r.Headers["CONTENT-TYPE"] = "application/json"; delete(r.Headers, "content-type") },
		"as many bytes as it may": body(`{"key":"` + strings.Repeat("k", 90) + `"}`),
		"no key":                  without("idempotency-key"),
		"a bare key":              header("idempotency-key", "8e03978e-40d5-43dd-bc93-6894a57f9324"),
		"a key of 255":            header("idempotency-key", strings.Repeat("k", 255)),
		"a key with commas":       header("idempotency-key", `"a, \"b\""`),
		"a client":                by("ann"),
		"a trace that is none":    func(r *request) { r.Headers["x-amzn-trace-id"] = strings.Repeat("x", 1000) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			if answer := a.send(a.enqueue.Handle, event(t, "enqueue", change)); answer.StatusCode != 202 || a.driver.writes != 1 {
				t.Errorf("%d %s", answer.StatusCode, answer.Body)
			}
		})
	}
}

func TestTheTraceGoesAlong(t *testing.T) {
	//lint:ignore SA1029 aws-lambda-go's key is a plain string
	invoked := context.WithValue(t.Context(), "x-amzn-trace-id", "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:abc:0") //nolint:staticcheck
	for name, c := range map[string]struct {
		change func(*request)
		want   string
	}{
		"the header's":      {header("x-amzn-trace-id", "Root=1-00000000-000000000000000000000001"), "Root=1-00000000-000000000000000000000001"},
		"W3C's beside it":   {header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 Root=1-6acd1a70-5759e988bd862e3fe1be46a9"},
		"the invocation's":  {without("x-amzn-trace-id"), "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"},
		"none, if too long": {header("x-amzn-trace-id", strings.Repeat("x", 257)), ""},
		"none, if odd":      {header("x-amzn-trace-id", "a\nb"), ""},
	} {
		a := newAPI(t)
		answer, err := a.enqueue.Handle(invoked, event(t, "enqueue", c.change))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := a.jobs.Get(t.Context(), job.ID(strings.TrimPrefix(answer.Headers["Location"], "/jobs/")))
		if err != nil || rec.Trace != c.want {
			t.Errorf("%s: %q %v", name, rec.Trace, err)
		}
	}
}

func TestTheFirstAnswerAgain(t *testing.T) {
	a := newAPI(t)
	first := a.send(a.enqueue.Handle, event(t, "enqueue"))
	id := job.ID(strings.TrimPrefix(first.Headers["Location"], "/jobs/"))
	again := func(when string) {
		t.Helper()
		a.now = a.now.Add(time.Minute)
		before := a.driver.writes
		answer := a.send(a.enqueue.Handle, event(t, "enqueue",
			body(` { "key" : "uploads/everyone/7b2d4f6h8j0k1m3n5p7q9r2s4t" } `),
			header("idempotency-key", "8e03978e-40d5-43dd-bc93-6894a57f9324")))
		if answer.StatusCode != first.StatusCode || answer.Body != first.Body || fmt.Sprint(answer.Headers) != fmt.Sprint(first.Headers) {
			t.Errorf("%s: %+v, not %+v", when, answer, first)
		}
		if a.driver.writes != before+1 {
			t.Errorf("%s: %d writes", when, a.driver.writes-before)
		}
		other := a.send(a.enqueue.Handle, event(t, "enqueue", body(`{"key":"other"}`)))
		isProblem(t, event(t, "enqueue"), other, 422)
	}
	again("while it waits")
	a.run(id, lifecycle.Outcome{})
	again("while it runs")
	claim, err := a.jobs.Claim(t.Context(), id, store.Lease{Token: "token", Until: a.now})
	if err != nil || !claim.Granted {
		t.Fatal(claim, err)
	}
	if _, err := a.jobs.Finish(t.Context(), claim.Record, lifecycle.Outcome{To: lifecycle.Done, Result: []string{"small"}}); err != nil {
		t.Fatal(err)
	}
	again("when it is done")
}

func TestAKeyIsTheClientsAndTheRoutes(t *testing.T) {
	a := newAPI(t)
	ids := map[job.ID]string{}
	for name, changes := range map[string][]func(*request){
		"nobody's":        nil,
		"Ann's":           {by("ann")},
		"Bob's":           {by("bob")},
		"another task":    {path("task", "photo.rotate")},
		"another key":     {header("idempotency-key", "other")},
		"one more letter": {by("ann8")},
	} {
		id := a.accept(changes...)
		if twin, taken := ids[id]; taken {
			t.Errorf("%s and %s have one id", name, twin)
		}
		ids[id] = name
	}
}

func TestARefusedRequestClaimsNoKey(t *testing.T) {
	a := newAPI(t)
	if answer := a.send(a.enqueue.Handle, event(t, "enqueue", body("{"))); answer.StatusCode != 400 {
		t.Fatal(answer)
	}
	a.accept()
}

func TestWholeNumbersKeepTheirDigits(t *testing.T) {
	a := newAPI(t)
	id := a.accept(body(`{"page":9007199254740993,"key":"a"}`))
	rec, err := a.jobs.Get(t.Context(), id)
	if err != nil || string(rec.Args) != `{"key":"a","page":9007199254740993}` {
		t.Errorf("%s %v", rec.Args, err)
	}
	r := event(t, "enqueue", body(`{"key":"a","page":9007199254740992}`))
	isProblem(t, r, a.send(a.enqueue.Handle, r), 422)
	if again := a.accept(body(`{"key":"a","page":9007199254740993}`)); again != id {
		t.Error("the order of fields made another job")
	}
}

// What JSON can say is stored as it was said; what it can't is refused, whole and
// at once. SQS sees none of it: messages hold no arguments.
func TestTextsAreStoredAsTheyAre(t *testing.T) {
	for sent, want := range map[string]string{
		"plain": "plain", "\uffff": "\uffff", `\uffff`: "\uffff", `\u0000`: "\x00", "😀": "😀", `\ud83d\ude00`: "😀", "<&>\u2028": "<&>\u2028", `a\/b`: "a/b",
	} {
		a := newAPI(t)
		rec, err := a.jobs.Get(t.Context(), a.accept(body(`{"key":"`+sent+`"}`)))
		if err != nil {
			t.Fatal(err)
		}
		var args resize
		if err := json.Unmarshal(rec.Args, &args); err != nil || args.Key != want {
			t.Errorf("%q became %q: %v", sent, args.Key, err)
		}
	}
	for _, sent := range []string{"\xed\xa0\x80", `\ud800`, `\udc00\ud800`, "\xff", "\xc0\xaf", "a\x00b", "a\nb", `\x41`} {
		a := newAPI(t)
		r := event(t, "enqueue", body(`{"key":"`+sent+`"}`))
		if isProblem(t, r, a.send(a.enqueue.Handle, r), 400); a.driver.writes != 0 {
			t.Errorf("%q was stored", sent)
		}
	}
}

func TestAFullQueueWritesNothing(t *testing.T) {
	a := newAPI(t)
	first := a.send(a.enqueue.Handle, event(t, "enqueue"))
	a.depth = 130
	a.driver.writes, a.driver.reads = 0, 0
	for _, change := range []func(*request){without("idempotency-key"), header("idempotency-key", "new")} {
		r := event(t, "enqueue", change)
		answer := a.send(a.enqueue.Handle, r)
		isProblem(t, r, answer, 503)
		if answer.Headers["Retry-After"] != "35" || !strings.Contains(answer.Body, "queue-full") {
			t.Errorf("%v %s", answer.Headers, answer.Body)
		}
	}
	// Who was accepted before adds nothing to the queue.
	if again := a.send(a.enqueue.Handle, event(t, "enqueue")); again.StatusCode != 202 || again.Body != first.Body {
		t.Errorf("%d %s", again.StatusCode, again.Body)
	}
	r := event(t, "enqueue", body(`{"key":"other"}`))
	isProblem(t, r, a.send(a.enqueue.Handle, r), 422)
	if a.driver.writes != 0 || a.driver.reads != 3 {
		t.Errorf("%d writes and %d reads", a.driver.writes, a.driver.reads)
	}
	a.depth = 95
	a.accept(header("idempotency-key", "new"))
}

func TestFailuresInsideAreNotShown(t *testing.T) {
	a := newAPI(t)
	for _, c := range []struct {
		fail   error
		status int
		retry  string
	}{
		{fmt.Errorf("arn:aws:dynamodb: %w", store.ErrThrottled), 503, "2"},
		{fmt.Errorf("arn:aws:dynamodb: no permission"), 500, ""},
		{fmt.Errorf("arn:aws:dynamodb: %w", store.ErrTooLarge), 413, ""},
	} {
		a.driver.fail = c.fail
		r := event(t, "enqueue")
		answer := a.send(a.enqueue.Handle, r)
		isProblem(t, r, answer, c.status)
		if strings.Contains(answer.Body, "arn") || answer.Headers["Retry-After"] != c.retry {
			t.Errorf("%v %s", answer.Headers, answer.Body)
		}
	}
	if !strings.Contains(a.log.String(), "no permission") || !strings.Contains(a.log.String(), "JKJaXjPLDoEESHA=") {
		t.Errorf("it is not in the logs: %s", a.log)
	}
}
