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
