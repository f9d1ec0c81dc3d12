package httpapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

func TestStatusOfEachState(t *testing.T) {
	for name, c := range map[string]struct {
		outcome lifecycle.Outcome
		want    map[string]any
		retry   string
	}{
		"running": {lifecycle.Outcome{}, map[string]any{"state": "running", "attempts": 1.0}, "1"},
		"done": {lifecycle.Outcome{To: lifecycle.Done, Result: []string{"a&b"}}, map[string]any{
			"state": "done", "attempts": 1.0, "result": []any{"a&b"}, "finished_at": "2026-11-29T16:20:04.123Z"}, ""},
		"dead": {lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("no image")}, map[string]any{
			"state": "dead", "attempts": 1.0, "error": map[string]any{"code": "failed", "message": "the attempt failed"}, "finished_at": "2026-11-29T16:20:04.123Z"}, ""},
		"waiting again": {lifecycle.Outcome{To: lifecycle.Queued, Err: errors.New("try again"), Wait: 10 * time.Second}, map[string]any{
			"state": "queued", "attempts": 1.0, "error": map[string]any{"code": "failed", "message": "the attempt failed"}}, "10"},
		"waiting long": {lifecycle.Outcome{To: lifecycle.Scheduled, Wait: time.Hour}, map[string]any{"state": "scheduled", "attempts": 1.0}, "300"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			id := a.accept()
			a.now = a.now.Add(4 * time.Second)
			a.run(id, c.outcome)
			answer := a.send(a.status.Handle, event(t, "status", path("id", string(id))))
			for field, value := range map[string]any{
				"id": string(id), "task": "photo.resize", "status_url": "/jobs/" + string(id), "max_attempts": 5.0, "cancel_requested": false,
				"created_at": "2026-11-29T16:20:00.123Z", "started_at": "2026-11-29T16:20:04.123Z",
			} {
				c.want[field] = value
			}
			got := decode[map[string]any](t, answer.Body)
			if answer.StatusCode != 200 || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%d %v, not %v", answer.StatusCode, got, c.want)
			}
			if answer.Headers["Retry-After"] != c.retry || answer.Headers["Content-Type"] != "application/json" || answer.Headers["Cache-Control"] != "private, no-cache" {
				t.Errorf("headers %v", answer.Headers)
			}
		})
	}
}

type coded struct{ code, text string }

func (c coded) Error() string     { return c.text }
func (c coded) ErrorCode() string { return c.code }

func TestWhatNobodyWroteForClientsIsNotShown(t *testing.T) {
	for code, shown := range map[string]bool{"panic": false, "undeliverable": false, "no_image": true} {
		a := newAPI(t)
		id := a.accept()
		a.run(id, lifecycle.Outcome{To: lifecycle.Dead, Err: coded{code, "password 1234"}})
		answer := a.send(a.status.Handle, event(t, "status", path("id", string(id))))
		if answer.StatusCode != 200 || !strings.Contains(answer.Body, `"code":"`+code+`","message":"`) || strings.Contains(answer.Body, "1234") != shown {
			t.Errorf("%s: %d %s", code, answer.StatusCode, answer.Body)
		}
		rec, err := a.jobs.Get(t.Context(), id)
		if err != nil || rec.Error.Message != "password 1234" {
			t.Errorf("%s: the row says %v, %v", code, rec.Error, err)
		}
	}
}

func TestTheStatusIsThereAtOnce(t *testing.T) {
	a := newAPI(t)
	for i := range 100 {
		id := a.accept(header("idempotency-key", fmt.Sprint(i)))
		if answer := a.send(a.status.Handle, event(t, "status", path("id", string(id)))); answer.StatusCode != 200 {
			t.Fatalf("%d %s", answer.StatusCode, answer.Body)
		}
	}
}

func TestLooksGrowRare(t *testing.T) {
	a := newAPI(t)
	id := a.accept()
	for _, c := range []struct {
		age  time.Duration
		want string
	}{{0, "1"}, {10 * time.Second, "1"}, {11 * time.Second, "2"}, {30 * time.Second, "3"}, {time.Hour, "5"}} {
		created := a.now
		a.now = created.Add(c.age)
		answer := a.send(a.status.Handle, event(t, "status", path("id", string(id))))
		if answer.Headers["Retry-After"] != c.want {
			t.Errorf("after %v: %v", c.age, answer.Headers)
		}
		a.now = created
	}
}

func TestETag(t *testing.T) {
	a := newAPI(t)
	id := a.accept()
	ask := func(tag string) response {
		return a.send(a.status.Handle, event(t, "status", path("id", string(id)), header("If-None-Match", tag)))
	}
	first := ask("")
	tag := first.Headers["ETag"]
	if len(tag) < 10 || tag[0] != '"' || tag[len(tag)-1] != '"' || first.StatusCode != 200 {
		t.Fatalf("%d %v", first.StatusCode, first.Headers)
	}
	for _, known := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		same := ask(known)
		if same.StatusCode != 304 || same.Body != "" || same.Headers["ETag"] != tag || same.Headers["Retry-After"] != "1" {
			t.Errorf("%s: %+v", known, same)
		}
	}
	if other := ask(`"x"`); other.StatusCode != 200 || other.Body != first.Body {
		t.Errorf("another tag: %+v", other)
	}
	a.run(id, lifecycle.Outcome{})
	if changed := ask(tag); changed.StatusCode != 200 || changed.Headers["ETag"] == tag {
		t.Errorf("another state: %+v", changed)
	}
}

func TestHEADIsAGETWithoutABody(t *testing.T) {
	a := newAPI(t)
	id := path("id", string(a.accept()))
	get := a.send(a.status.Handle, event(t, "status", id))
	head := a.send(a.status.Handle, event(t, "status", id, method("HEAD")))
	if head.StatusCode != 200 || head.Body != "" || fmt.Sprint(head.Headers) != fmt.Sprint(get.Headers) {
		t.Errorf("%+v", head)
	}
}

func TestJobsThatAreNotThere(t *testing.T) {
	a := newAPI(t)
	anns := string(a.accept(by("ann")))
	nobodys := string(a.accept())
	expired := a.accept(header("idempotency-key", "old"))
	a.run(expired, lifecycle.Outcome{To: lifecycle.Done})
	a.now = a.now.Add(lifecycle.DoneRetention + time.Second)
	for name, changes := range map[string][]func(*request){
		"unknown":               nil,
		"malformed":             {path("id", "../../etc")},
		"empty":                 {path("id", "")},
		"absent":                {func(r *request) { r.PathParameters = nil }},
		"a group's":             {path("id", "ledger.YQ."+nobodys)},
		"Ann's, asked by Bob":   {path("id", anns), by("bob")},
		"Ann's, asked by none":  {path("id", anns)},
		"nobody's, asked by Al": {path("id", nobodys), by("al")},
		"expired":               {path("id", string(expired))},
	} {
		t.Run(name, func(t *testing.T) {
			before := a.driver.writes
			for _, c := range []struct {
				name   string
				answer response
			}{
				{"status", a.send(a.status.Handle, event(t, "status", changes...))},
				{"cancel", a.send(a.cancel.Handle, event(t, "cancel", changes...))},
			} {
				isProblem(t, event(t, c.name), c.answer, 404)
			}
			if a.driver.writes != before {
				t.Error("something was written")
			}
		})
	}
	for what, answer := range map[string]response{
		"status": a.send(a.status.Handle, event(t, "status", path("id", anns), by("ann"))),
		"cancel": a.send(a.cancel.Handle, event(t, "cancel", path("id", anns), by("ann"))),
	} {
		if answer.StatusCode >= 300 {
			t.Errorf("%s of her own: %d %s", what, answer.StatusCode, answer.Body)
		}
	}
}

func TestCancel(t *testing.T) {
	a := newAPI(t)
	id := a.accept()
	ask := func() (response, map[string]any) {
		answer := a.send(a.cancel.Handle, event(t, "cancel", path("id", string(id))))
		return answer, decode[map[string]any](t, answer.Body)
	}
	for range 2 { // whose answer was lost asks again
		answer, j := ask()
		if answer.StatusCode != 202 || j["state"] != "cancelled" || answer.Headers["Location"] != "/jobs/"+string(id) || answer.Headers["Retry-After"] != "" {
			t.Errorf("a job that waits: %+v", answer)
		}
	}
	if seen := a.send(a.status.Handle, event(t, "status", path("id", string(id)))); !strings.Contains(seen.Body, `"cancelled"`) {
		t.Errorf("it is not seen: %s", seen.Body)
	}
	id = a.accept(header("idempotency-key", "2"))
	a.run(id, lifecycle.Outcome{})
	answer, j := ask()
	if answer.StatusCode != 202 || j["state"] != "running" || j["cancel_requested"] != true || answer.Headers["Retry-After"] != "1" {
		t.Errorf("a job that runs: %+v", answer)
	}
	for _, end := range []lifecycle.Outcome{{To: lifecycle.Done}, {To: lifecycle.Dead, Err: errors.New("no")}} {
		id = a.accept(header("idempotency-key", string(end.To)))
		a.run(id, end)
		answer, _ := ask()
		isProblem(t, event(t, "cancel"), answer, 409)
		if !strings.Contains(answer.Body, string(end.To)) {
			t.Errorf("it does not say %s: %s", end.To, answer.Body)
		}
	}
}

func TestOtherMethods(t *testing.T) {
	a := newAPI(t)
	r := event(t, "status", method("PATCH"))
	answer := a.send(a.status.Handle, r)
	isProblem(t, r, answer, 405)
	if answer.Headers["Allow"] != "GET, HEAD" {
		t.Errorf("%v", answer.Headers)
	}
	r = event(t, "cancel", method("GET"))
	answer = a.send(a.cancel.Handle, r)
	isProblem(t, r, answer, 405)
	if answer.Headers["Allow"] != "DELETE" {
		t.Errorf("%v", answer.Headers)
	}
}

func TestARowThatCantBeReadIsNotShown(t *testing.T) {
	a := newAPI(t)
	a.driver.fail = errors.New("arn:aws:dynamodb")
	for name, handle := range map[string]func() response{
		"status": func() response { return a.send(a.status.Handle, event(t, "status")) },
		"cancel": func() response { return a.send(a.cancel.Handle, event(t, "cancel")) },
	} {
		answer := handle()
		isProblem(t, event(t, name), answer, 500)
		if strings.Contains(answer.Body, "arn") {
			t.Error(answer.Body)
		}
	}
}

func TestAJobsResultIsJSONAsItIs(t *testing.T) {
	a := newAPI(t)
	id := a.accept()
	a.run(id, lifecycle.Outcome{To: lifecycle.Done, Result: json.RawMessage(`{"n":9007199254740993}`)})
	answer := a.send(a.status.Handle, event(t, "status", path("id", string(id))))
	if !strings.Contains(answer.Body, `"result":{"n":9007199254740993}`) {
		t.Error(answer.Body)
	}
	if _, err := job.ParseID(string(id)); err != nil {
		t.Error(err)
	}
}
