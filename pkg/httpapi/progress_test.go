package httpapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A client that looks again sees how far the job has come: the answer, and with it
// the ETag, changes.
func TestProgressIsShown(t *testing.T) {
	a := newAPI(t)
	id := a.accept()
	look := func(tag string) response {
		return a.send(a.status.Handle, event(t, "status", path("id", string(id)), header("if-none-match", tag)))
	}
	claim, err := a.jobs.Claim(t.Context(), id, store.Lease{Token: "t", Until: a.now.Add(time.Minute)})
	if err != nil || !claim.Granted {
		t.Fatal(claim, err)
	}
	before := look("none")
	if got := decode[map[string]json.RawMessage](t, before.Body); got["progress"] != nil {
		t.Errorf("a progress of which nothing is known: %s", before.Body)
	}
	const percent = `{"percent":9007199254740993}`
	if _, err := a.jobs.Report(t.Context(), claim.Record, []byte(percent), time.Time{}); err != nil {
		t.Fatal(err)
	}
	after := look(before.Headers["ETag"])
	if got := decode[httpapi.Job](t, after.Body); after.StatusCode != 200 || string(got.Progress) != percent {
		t.Errorf("%d %s", after.StatusCode, after.Body)
	}
	if _, err := a.jobs.Finish(t.Context(), claim.Record, lifecycle.Outcome{To: lifecycle.Done}); err != nil {
		t.Fatal(err)
	}
	if got := decode[httpapi.Job](t, look("none").Body); string(got.Progress) != percent {
		t.Errorf("a job that is done shows the progress %q", got.Progress)
	}
}
