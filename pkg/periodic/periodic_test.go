package periodic_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
)

func TestNewReportsEverything(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	_ = w.scheduler(newsletter())
	unknown := job.Define[issue]("newsletter.unknown", job.Policy{Queue: mail})
	_, err := periodic.New(periodic.Config{Grace: -1},
		periodic.Job{Name: "no name!", Expression: "cron(0 9 * * MON *)", CatchUp: 7, Most: -1, Within: time.Hour * 24 * 15, Options: []job.Option{job.WithID(job.IDOf([16]byte{}), "")}},
		newsletter(), newsletter())
	for _, says := range []string{"Config.Jobs", "Config.Producer", "Config.Grace", "letters, digits", `one of the two must be "?"`, "CatchUp is 7", "Most is -1",
		"Within is", "Request is nil", "job.WithID", "given twice"} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is not reported by %v", says, err)
		}
	}
	if _, err := periodic.New(periodic.Config{}); err == nil || !strings.Contains(err.Error(), "no jobs") {
		t.Error(err)
	}
	never := newsletter()
	never.Expression = "cron(0 9 30 FEB ? *)"
	if err := never.Validate(); err == nil || !strings.Contains(err.Error(), "never comes round") {
		t.Errorf("30 February: %v", err)
	}
	j := newsletter()
	j.Request = func(at time.Time) job.Request { return unknown.With(issue{at}) }
	if err := tryNew(w, j); err == nil || !strings.Contains(err.Error(), "unknown task") {
		t.Errorf("a task that the producer doesn't know: %v", err)
	}
}

func TestHandleRefuses(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	p := w.scheduler(newsletter())
	for raw, says := range map[string]string{
		`{"version":"0","detail-type":"Scheduled Event","source":"aws.scheduler","time":"2026-11-23T08:00:00Z"}`: "Input of its Job",
		`{`:                                      "Input of its Job",
		`[]`:                                     "Input of its Job",
		`null`:                                   "Input of its Job",
		`{"periodic":"newsletter","check":true}`: "Input of its Job",
		`{"periodic":"newsletter"}`:              "needs the job's Input",
		`{"periodic":"newsletter","time":"<aws.scheduler.scheduled-time>"}`: "needs the job's Input",
		`{"periodic":"news","time":"2026-11-23T07:00:00Z"}`:                 "no such job",
		`{"periodic":"newsletter","time":"2026-11-30T08:00:00Z"}`:           "has not come",
	} {
		if err := p.Handle(t.Context(), json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	w.want()
	for _, f := range []func() error{
		func() error { return p.Pause(t.Context(), "x") }, func() error { return p.Resume(t.Context(), "x") },
		func() error { _, err := p.RunNow(t.Context(), "x"); return err },
	} {
		if err := f(); !errors.Is(err, periodic.ErrUnknown) {
			t.Error(err)
		}
	}
}

func FuzzHandle(f *testing.F) {
	f.Add(`{"periodic":"newsletter","time":"2026-11-23T08:00:00Z"}`)
	f.Add(`{"check":true}`)
	f.Add(`{"periodic":"newsletter","time":"2026-11-23T08:00:00.5+05:45"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		w := newWorld(t, "2026-11-23T08:00:10Z")
		p := w.scheduler(newsletter())
		for range 2 {
			_ = p.Handle(t.Context(), json.RawMessage(raw)) // refused or not: at most one job
		}
		if got := w.enqueued(); len(got) > 1 {
			t.Fatalf("%s made %v", raw, got)
		}
	})
}
