package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// shelf is an object storage that may be down, and counts what is read.
type shelf struct {
	*memobjects.Driver
	reads int
	fail  error
}

func (s *shelf) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	s.reads++
	if s.fail != nil {
		return nil, s.fail
	}
	return s.Driver.Get(ctx, key, limit)
}

// withObjects gives the API a storage for results.
func withObjects(a *api) (*httpapi.Status, *shelf) {
	a.t.Helper()
	s := &shelf{Driver: memobjects.New(nil)}
	objects, err := claimcheck.New(s)
	if err != nil {
		a.t.Fatal(err)
	}
	status, err := httpapi.NewStatus(httpapi.JobsConfig{Jobs: a.jobs, Objects: objects, Logger: slog.New(slog.NewTextHandler(a.log, nil))})
	if err != nil {
		a.t.Fatal(err)
	}
	return status, s
}

// done ends a job whose result lies in an object.
func (s *shelf) done(a *api, result string) job.ID {
	a.t.Helper()
	id := a.accept()
	claim := lifecycle.Object{Key: claimcheck.ResultKey(id, "token"), Bytes: int64(len(result))}
	if err := s.Put(a.t.Context(), claim.Key, []byte(result)); err != nil {
		a.t.Fatal(err)
	}
	a.run(id, lifecycle.Outcome{To: lifecycle.Done, ResultObject: &claim})
	return id
}

func TestAResultInAnObject(t *testing.T) {
	a := newAPI(t)
	status, s := withObjects(a)
	result := `["` + strings.Repeat("x", 300<<10) + `"]`
	id := s.done(a, result)
	get := event(t, "status", path("id", string(id)))
	answer := a.send(status.Handle, get)
	got := decode[httpapi.Job](t, answer.Body)
	if answer.StatusCode != 200 || string(got.Result) != result || got.ResultURL != "" || got.State != lifecycle.Done || answer.Headers["ETag"] == "" {
		t.Fatalf("%d %v, %d bytes", answer.StatusCode, answer.Headers, len(got.Result))
	}
	// What has not changed is not read again.
	reads := s.reads
	again := a.send(status.Handle, event(t, "status", path("id", string(id)), header("If-None-Match", answer.Headers["ETag"])))
	if again.StatusCode != http.StatusNotModified || again.Body != "" || s.reads != reads {
		t.Errorf("%d after %d reads", again.StatusCode, s.reads-reads)
	}
	head := a.send(status.Handle, event(t, "status", path("id", string(id)), method("HEAD")))
	if head.StatusCode != 200 || head.Body != "" || head.Headers["ETag"] != answer.Headers["ETag"] || s.reads != reads {
		t.Errorf("HEAD: %d %v after %d reads", head.StatusCode, head.Headers, s.reads-reads)
	}
}

// Lambda's answer ends at 6 MB, as it is sent: quotes count twice, HTML's
// characters six times.
func TestAResultThatNoAnswerHasRoomFor(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		link   bool
	}{
		"just small enough": {`"` + strings.Repeat("x", 5_990_000) + `"`, false},
		"too large":         {`"` + strings.Repeat("x", 6_000_000) + `"`, true},
		"many quotes":       {`[""` + strings.Repeat(`,""`, 1_300_000) + `]`, true},
		"much HTML":         {`"` + strings.Repeat("<b>", 1_000_000) + `"`, true},
		"as large as kept":  {`"` + strings.Repeat("x", claimcheck.MaxBytes-2) + `"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			status, s := withObjects(a)
			id := s.done(a, c.result)
			answer := a.send(status.Handle, event(t, "status", path("id", string(id))))
			got := decode[httpapi.Job](t, answer.Body)
			if answer.StatusCode != 200 || (got.ResultURL != "") != c.link || (got.Result == nil) != c.link || (answer.Headers["ETag"] == "") != c.link {
				t.Errorf("%d %v, %d bytes, link %q", answer.StatusCode, answer.Headers, len(got.Result), got.ResultURL)
			}
			if c.link && !strings.Contains(got.ResultURL, "jobs/"+string(id)+"/result-token") {
				t.Errorf("the link is %s", got.ResultURL)
			}
			sent, err := json.Marshal(answer)
			if err != nil || len(sent) > 6_291_556 {
				t.Errorf("%d bytes are sent, %v", len(sent), err)
			}
		})
	}
}

func TestAResultThatIsNotToBeHad(t *testing.T) {
	a := newAPI(t)
	status, s := withObjects(a)
	id := s.done(a, `["x"]`)
	get := event(t, "status", path("id", string(id)))

	s.fail = errors.New("SlowDown: with a secret")
	answer := a.send(status.Handle, get)
	isProblem(t, get, answer, 503)
	if answer.Headers["Retry-After"] == "" || strings.Contains(answer.Body, "secret") || !strings.Contains(a.log.String(), "secret") {
		t.Errorf("%v %s; logged: %s", answer.Headers, answer.Body, a.log)
	}

	for _, fail := range []error{claimcheck.ErrNotFound, claimcheck.ErrDamaged} {
		s.fail = fail
		answer = a.send(status.Handle, get)
		got := decode[httpapi.Job](t, answer.Body)
		if answer.StatusCode != 200 || got.State != lifecycle.Done || got.Result != nil || got.Error == nil || got.Error.Code != "result_missing" || answer.Headers["ETag"] != "" {
			t.Errorf("%v: %d %s", fail, answer.StatusCode, answer.Body)
		}
	}

	// A function that was deployed without the storage says so in its logs.
	answer = a.send(a.status.Handle, get)
	isProblem(t, get, answer, 500)
	if !strings.Contains(a.log.String(), "JobsConfig.Objects is nil") {
		t.Errorf("logged: %s", a.log)
	}
}

func TestAStorageThatIsDownAnswers503(t *testing.T) {
	a := newAPI(t)
	a.driver.fail = claimcheck.ErrUnavailable
	post := event(t, "enqueue")
	answer := a.send(a.enqueue.Handle, post)
	isProblem(t, post, answer, 503)
	if answer.Headers["Retry-After"] == "" {
		t.Error(answer.Headers)
	}
}

// Nobody is told fewer bytes than are sent.
func FuzzSentBytes(f *testing.F) {
	f.Add(`{"a":"<b>&\u2028"}`)
	f.Add("\xff\xed\xa0\x80\u2028\u2029\uffff\ufffd\x00\x1f\x7f\t\n\\\"😀")
	f.Fuzz(func(t *testing.T, body string) {
		var sent strings.Builder
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			t.Fatal(err)
		}
		if got, size := httpapi.SentBytes(body), len(strings.TrimSuffix(sent.String(), "\n")); got < size {
			t.Errorf("%d bytes are sent of %q, and %d were counted", size, body, got)
		}
	})
}
