package httpapi_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// What draft-ietf-httpapi-idempotency-key-header asks of a server, and enqueue_test.go
// does not show.

func TestAKeyMayBeRequired(t *testing.T) {
	a := newAPI(t, func(c *httpapi.EnqueueConfig) { c.RequireKey = true })
	r := event(t, "enqueue", without("idempotency-key"))
	isProblem(t, r, a.send(a.enqueue.Handle, r), 400)
	if a.driver.writes != 0 {
		t.Errorf("%d writes", a.driver.writes)
	}
	a.accept()
}

func TestErrorsAboutKeysLeadToTheirDocs(t *testing.T) {
	a := newAPI(t, func(c *httpapi.EnqueueConfig) {
		c.RequireKey, c.KeyDocs = true, "https://crumb.example/docs/keys"
	})
	a.accept()
	for name, c := range map[string]struct {
		change func(*request)
		status int
		linked bool
	}{
		"no key":             {without("idempotency-key"), 400, true},
		"a malformed one":    {header("idempotency-key", "a,b"), 400, true},
		"another body":       {body(`{"key":"other"}`), 422, true},
		"nothing about keys": {body("{"), 400, false},
	} {
		r := event(t, "enqueue", c.change)
		answer := a.send(a.enqueue.Handle, r)
		isProblem(t, r, answer, c.status)
		want := ""
		if c.linked {
			want = `<https://crumb.example/docs/keys>; rel="describedby"`
		}
		if answer.Headers["Link"] != want {
			t.Errorf("%s: Link %q", name, answer.Headers["Link"])
		}
	}
}

// Requests of one key at the same time need no 409: the write that makes the job
// is the one that claims the key.
func TestOneKeyAtTheSameTime(t *testing.T) {
	a := newAPI(t)
	answers := make([]string, 20)
	var clients sync.WaitGroup
	for i := range answers {
		r := event(t, "enqueue")
		clients.Go(func() {
			answer, err := a.enqueue.Handle(t.Context(), r)
			answers[i] = fmt.Sprint(answer.StatusCode, answer.Body, answer.Headers["Location"], err)
		})
	}
	clients.Wait()
	for _, answer := range answers {
		if answer != answers[0] || answer[:3] != "202" {
			t.Errorf("%s and %s", answer, answers[0])
		}
	}
}

// A key is new again when its job's row is over.
func TestAKeyIsKeptAsLongAsItsJob(t *testing.T) {
	a := newAPI(t)
	first := a.accept()
	a.run(first, lifecycle.Outcome{To: lifecycle.Done})
	a.now = a.now.Add(lifecycle.DoneRetention - time.Second)
	if again := a.accept(); again != first {
		t.Errorf("%s made %s", first, again)
	}
	a.now = a.now.Add(time.Second)
	a.accept(body(`{"key":"other"}`))
}
