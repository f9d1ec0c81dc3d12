package storetest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func runJobs(t *testing.T, construct Constructor) {
	tests := map[string]func(fixture){
		"enqueue, claim, done":                       done,
		"a job keeps what it was given":              keeps,
		"an expired job is gone":                     expired,
		"the same request gets the same job":         sameRequest,
		"another request of the same id is refused":  otherRequest,
		"a claim whose answer was lost is granted":   claimAnswerLost,
		"two workers, one job":                       twoWorkers,
		"not before its time":                        early,
		"a former owner writes nothing":              fenced,
		"a finish whose answer was lost is a finish": finishAnswerLost,
		"a death among others costs no attempt":      deathAmongOthers,
		"deaths alone end a job":                     deathsAlone,
		"retry soon and retry later":                 retries,
		"continue and snooze give the attempt back":  givesBack,
		"a dead job asks for its letter":             letter,
		"a letter that is put off comes up again":    putOffLetter,
		"a letter that was put off is due no more":   putOffLetterEnds,
		"redrive starts anew":                        redrive,
		"cancel a waiting job":                       cancelWaiting,
		"cancel a running job":                       cancelRunning,
		"only its client cancels a job":              cancelForeign,
		"heartbeat keeps the lease":                  heartbeat,
		"due jobs are promoted once":                 promote,
		"move, park and replace":                     moveParkReplace,
		"healing":                                    healing,
		"undeliverable jobs die with the reason":     undeliverable,
		"groups of a FIFO queue share a partition":   fifo,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(setup(t, construct)) })
	}
}

func done(f fixture) {
	made := f.enqueue()
	if made.State != lifecycle.Queued || made.Publication == nil || made.Publication.To != store.ToQueue("photos") || made.Publication.N != 1 {
		f.Fatalf("made %+v", made)
	}
	claimed := f.claim(made.ID)
	if claimed.State != lifecycle.Running || claimed.Attempt != 1 || claimed.Publication != nil || claimed.Started.IsZero() {
		f.Errorf("claimed %+v", claimed)
	}
	rec := f.finish(claimed, lifecycle.Outcome{To: lifecycle.Done, Result: map[string]int{"sizes": 4}})
	if rec.State != lifecycle.Done || string(rec.Result) != `{"sizes":4}` || rec.Expires.IsZero() || rec.Finished.IsZero() || !rec.LeaseUntil.IsZero() {
		f.Errorf("done %+v", rec)
	}
	if kept := rec.Expires.Sub(f.clock.Now()); kept <= lifecycle.QueueRetention {
		f.Errorf("a done job is kept for %v and its message for %v", kept, lifecycle.QueueRetention)
	}
}

func keeps(f fixture) {
	made := f.enqueue(func(n *store.NewJob) { n.Client, n.Trace, n.Fingerprint = "ann", "Root=1-2-3", "abc" })
	got := f.get(made.ID)
	if got.Task != "photo.resize" || got.Queue != "photos" || got.Client != "ann" || got.Trace != "Root=1-2-3" || got.Fingerprint != "abc" ||
		got.MaxAttempts != 3 || !bytes.Equal(got.Args, made.Args) || !got.Created.Equal(f.clock.Now()) {
		f.Errorf("read %+v", got)
	}
}

func expired(f fixture) {
	made := f.enqueue()
	f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Done})
	f.clock.Advance(lifecycle.DoneRetention)
	if _, err := f.jobs.Get(f.Context(), made.ID); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("Get = %v, want ErrNotFound", err)
	}
	_, again, err := f.jobs.Create(f.Context(), store.NewJob{ID: made.ID, Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 1, Fingerprint: "new"})
	f.must(again, err)
}

func sameRequest(f fixture) {
	n := store.NewJob{ID: job.IDOf([16]byte{1}), Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 3, Fingerprint: "f"}
	_, made, err := f.jobs.Create(f.Context(), n)
	f.must(made, err)
	f.claim(n.ID)
	rec, made, err := f.jobs.Create(f.Context(), n)
	f.mustNot(made, err)
	if rec.State != lifecycle.Running {
		f.Errorf("the second request was told %q", rec.State)
	}
}

func otherRequest(f fixture) {
	made := f.enqueue(func(n *store.NewJob) { n.Fingerprint = "one" })
	_, _, err := f.jobs.Create(f.Context(), store.NewJob{ID: made.ID, Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), Fingerprint: "two"})
	if !errors.Is(err, store.ErrOtherRequest) {
		f.Errorf("Create = %v, want ErrOtherRequest", err)
	}
}

func claimAnswerLost(f fixture) {
	made := f.enqueue()
	lease := f.lease()
	for range 2 { // the SDK repeats a call whose answer it did not get
		claim, err := f.jobs.Claim(f.Context(), made.ID, lease)
		if err != nil || !claim.Granted || claim.Record.Attempt != 1 || len(claim.Record.Args) == 0 {
			f.Fatalf("Claim = %+v, %v", claim, err)
		}
	}
}

func twoWorkers(f fixture) {
	made := f.enqueue()
	first := f.claim(made.ID)
	claim, err := f.jobs.Claim(f.Context(), made.ID, f.lease())
	if err != nil || claim.Granted || claim.Finding != lifecycle.Busy || !claim.Until.Equal(first.LeaseUntil.Add(lifecycle.LeaseMargin)) {
		f.Errorf("Claim = %+v, %v", claim, err)
	}
	if rec := f.get(made.ID); rec.Attempt != 1 {
		f.Errorf("a refused claim spent an attempt: %d", rec.Attempt)
	}
}

func early(f fixture) {
	made := f.enqueue(func(n *store.NewJob) { n.NotBefore = f.clock.Now().Add(time.Minute) })
	if made.State != lifecycle.Queued || !made.Publication.At.Equal(made.NotBefore) {
		f.Fatalf("made %+v", made)
	}
	claim, err := f.jobs.Claim(f.Context(), made.ID, f.lease())
	if err != nil || claim.Granted || claim.Finding != lifecycle.Early || !claim.Until.Equal(made.NotBefore) {
		f.Errorf("Claim = %+v, %v", claim, err)
	}
	f.clock.Advance(59 * time.Second) // a second's tolerance
	f.claim(made.ID)
}

// orphan claims a job and lets its lease end.
func (f fixture) orphan(id job.ID, alone bool) store.Record {
	f.Helper()
	claimed := f.claim(id, func(l *store.Lease) { l.Alone = alone })
	f.clock.Advance(time.Minute + lifecycle.LeaseMargin)
	return claimed
}

// takeOver claims an orphaned job.
func (f fixture) takeOver(id job.ID) store.Claim {
	f.Helper()
	found, err := f.jobs.Claim(f.Context(), id, f.lease())
	if err != nil || found.Granted || found.Finding != lifecycle.Orphaned {
		f.Fatalf("Claim = %+v, %v", found, err)
	}
	claim, err := f.jobs.TakeOver(f.Context(), found.Record, f.lease())
	if err != nil {
		f.Fatal(err)
	}
	return claim
}

func fenced(f fixture) {
	made := f.enqueue()
	former := f.orphan(made.ID, true)
	claim := f.takeOver(made.ID)
	for _, outcome := range []lifecycle.Outcome{{To: lifecycle.Done}, {To: lifecycle.Dead, Err: errors.New("late")}, {To: lifecycle.Queued}, {To: lifecycle.Scheduled, Wait: time.Hour}} {
		if _, err := f.jobs.Finish(f.Context(), former, outcome); !errors.Is(err, store.ErrLeaseLost) {
			f.Errorf("a former owner's %s: %v, want ErrLeaseLost", outcome.To, err)
		}
	}
	if _, err := f.jobs.Heartbeat(f.Context(), former, f.clock.Now()); !errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("a former owner's heartbeat: %v, want ErrLeaseLost", err)
	}
	if rec := f.want(made.ID, lifecycle.Running); rec.Token != claim.Record.Token {
		f.Error("the successor lost its token")
	}
	f.finish(claim.Record, lifecycle.Outcome{To: lifecycle.Done})
	if _, err := f.jobs.Finish(f.Context(), former, lifecycle.Outcome{To: lifecycle.Done}); !errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("a former owner's finish after the end: %v, want ErrLeaseLost", err)
	}
}

func finishAnswerLost(f fixture) {
	for _, outcome := range []lifecycle.Outcome{
		{To: lifecycle.Done}, {To: lifecycle.Dead, Err: errors.New("boom")}, {To: lifecycle.Cancelled},
		{To: lifecycle.Queued, Wait: time.Second}, {To: lifecycle.Scheduled, Wait: time.Hour},
	} {
		claimed := f.claim(f.enqueue().ID)
		f.finish(claimed, outcome)
		if rec := f.finish(claimed, outcome); rec.State != outcome.To {
			f.Errorf("repeated %s: %s", outcome.To, rec.State)
		}
	}
}

func deathAmongOthers(f fixture) {
	made := f.enqueue()
	f.orphan(made.ID, false)
	claim := f.takeOver(made.ID)
	if !claim.Granted || claim.Record.Attempt != 1 || !claim.Record.Alone || claim.Record.Deaths != 0 {
		f.Errorf("TakeOver = %+v", claim)
	}
}

func deathsAlone(f fixture) {
	made := f.enqueue()
	f.orphan(made.ID, true)
	for want := 2; want <= 3; want++ {
		claim := f.takeOver(made.ID)
		if !claim.Granted || claim.Record.Attempt != want || claim.Record.Deaths != want-1 {
			f.Fatalf("TakeOver = %+v, want attempt %d", claim, want)
		}
		f.clock.Advance(time.Minute + lifecycle.LeaseMargin)
	}
	if claim := f.takeOver(made.ID); claim.Granted || claim.Finding != lifecycle.Finished {
		f.Fatalf("TakeOver = %+v", claim)
	}
	rec := f.want(made.ID, lifecycle.Dead)
	if rec.Error == nil || rec.Error.Message != "the worker died 3 times" || rec.Error.Code != "worker_died" || rec.Publication == nil {
		f.Errorf("dead %+v", rec)
	}
}

func retries(f fixture) {
	made := f.enqueue()
	rec := f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Queued, Wait: time.Minute, Err: errors.New("busy")})
	if rec.State != lifecycle.Queued || rec.Attempt != 1 || rec.Error == nil || rec.Error.Message != "busy" || rec.Error.Code != job.DefaultErrorCode ||
		!rec.NotBefore.Equal(f.clock.Now().Add(time.Minute)) || !rec.Expires.IsZero() {
		f.Errorf("retried %+v", rec)
	}
	f.clock.Advance(time.Minute)
	rec = f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Scheduled, Wait: time.Hour, Err: errors.New("down")})
	if rec.State != lifecycle.Scheduled || rec.Attempt != 2 {
		f.Errorf("parked %+v", rec)
	}
	claim, err := f.jobs.Claim(f.Context(), made.ID, f.lease())
	if err != nil || claim.Finding != lifecycle.Finished {
		f.Errorf("a message of a scheduled job: %+v, %v; want it acknowledged", claim, err)
	}
}

func givesBack(f fixture) {
	made := f.enqueue()
	for range 5 {
		claimed := f.claim(made.ID)
		if claimed.Attempt != 1 {
			f.Fatalf("attempt %d", claimed.Attempt)
		}
		rec := f.finish(claimed, lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true, Cursor: 7})
		if rec.Attempt != 0 || string(rec.Cursor) != "7" {
			f.Fatalf("continued %+v", rec)
		}
	}
	rec := f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true})
	if string(rec.Cursor) != "7" {
		f.Errorf("a snooze lost the cursor: %+v", rec)
	}
	if rec = f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Done}); rec.Cursor != nil {
		f.Errorf("a done job keeps its cursor")
	}
}

func letter(f fixture) {
	made := f.enqueue()
	rec := f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	p := rec.Publication
	if p == nil || p.To != store.ToLetters("photos") || p.N != 2 || rec.N != 2 {
		f.Fatalf("publication %+v of %+v", p, rec)
	}
	if err := f.jobs.LetterSent(f.Context(), made.ID, 1); err != nil {
		f.Fatal(err)
	}
	if f.get(made.ID).Publication == nil {
		f.Error("the note of an older publication removed a newer one")
	}
	for range 2 {
		if err := f.jobs.LetterSent(f.Context(), made.ID, 2); err != nil {
			f.Fatal(err)
		}
	}
	if rec = f.want(made.ID, lifecycle.Dead); rec.Publication != nil {
		f.Error("the letter is out and the row still asks for it")
	}
	if kept := rec.Expires.Sub(f.clock.Now()); kept <= lifecycle.QueueRetention {
		f.Errorf("a dead job is kept for %v and its letter for %v", kept, lifecycle.QueueRetention)
	}
}

func redrive(f fixture) {
	made := f.enqueue()
	dead := f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	f.must(f.jobs.Redrive(f.Context(), dead))
	f.mustNot(f.jobs.Redrive(f.Context(), dead))
	rec := f.want(made.ID, lifecycle.Queued)
	if rec.Attempt != 0 || rec.Error != nil || !rec.Expires.IsZero() || !rec.Finished.IsZero() || rec.Publication == nil || rec.Publication.N != 3 || rec.Publication.To != store.ToQueue("photos") {
		f.Errorf("redriven %+v", rec)
	}
	if claimed := f.claim(made.ID); claimed.Attempt != 1 {
		f.Errorf("attempt %d after a redrive", claimed.Attempt)
	}
}
