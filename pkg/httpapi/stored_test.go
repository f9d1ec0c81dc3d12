package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// What is stored of a body is what another decoder reads in it, written in one
// way: sent again in that way, it is the same request.
func FuzzStoredArguments(f *testing.F) {
	for _, text := range []string{
		`{"key":"a"}`, ` { "page" : 9007199254740993 , "key" : "a\/b" } `, `{"key":"\ud83d\ude00\u0000\uffff","page":0}`,
		`{"key":"<&>"}`, `{"key":"a","page":1.0}`, `{"key":"a","page":1e3}`, `{"key":"a","page":-0}`, `{"key":"a","page":null}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "panic") {
			t.Skip()
		}
		a := newAPI(t)
		answer := a.send(a.enqueue.Handle, event(t, "enqueue", body(text)))
		if answer.StatusCode != 202 {
			return
		}
		id := job.ID(strings.TrimPrefix(answer.Headers["Location"], "/jobs/"))
		rec, err := a.jobs.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		var said, stored resize
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			t.Fatalf("%q was accepted: %v", text, err)
		}
		if err := json.Unmarshal(rec.Args, &stored); err != nil || stored != said {
			t.Errorf("%q is stored as %q: %v", text, rec.Args, err)
		}
		again := a.send(a.enqueue.Handle, event(t, "enqueue", body(string(rec.Args))))
		if again.StatusCode != 202 || again.Headers["Location"] != answer.Headers["Location"] {
			t.Errorf("%q and %q are two requests: %d %s", text, rec.Args, again.StatusCode, again.Body)
		}
	})
}

// A body counts by what it says: the order of its fields and its white space are
// nothing, every digit is something, and a whole number is written as one.
func TestTheSameBodyIsTheSameRequest(t *testing.T) {
	a := newAPI(t)
	first := a.accept(body(`{"key":"a","page":1}`))
	for _, same := range []string{`{"page":1,"key":"a"}`, "\n{ \"page\" :\t1,\"key\":\"a\" }", `{"key":"\u0061","page":1}`} {
		if id := a.accept(body(same)); id != first {
			t.Errorf("%q is another request", same)
		}
	}
	for other, status := range map[string]int{
		`{"key":"a","page":2}`: 422, `{"key":"a"}`: 422, `{"key":"A","page":1}`: 422,
		`{"key":"a","page":1.0}`: 400, `{"key":"a","page":1e0}`: 400, `{"key":"a","page":"1"}`: 400,
	} {
		r := event(t, "enqueue", body(other))
		isProblem(t, r, a.send(a.enqueue.Handle, r), status)
	}
}
