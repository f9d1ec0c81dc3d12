package storetest

import (
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// dueLetters gives what is due in the minute of a time.
func (f fixture) dueLetters(at time.Time) []store.DueJob {
	return f.dueNow(at.Truncate(time.Minute), at.Truncate(time.Minute).Add(time.Minute))
}

func putOffLetter(f fixture) {
	at := f.clock.Now().Truncate(time.Minute).Add(time.Hour)
	dead := f.finish(f.claim(f.enqueue().ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	f.must(f.jobs.PutOffLetter(f.Context(), dead, at))
	if rec := f.get(dead.ID); rec.Publication == nil || rec.N != dead.N || rec.State != lifecycle.Dead {
		f.Errorf("put off %+v", rec)
	}
	found := f.dueLetters(at)
	if len(found) != 1 || found[0].ID != dead.ID || !found[0].Due.Equal(at) {
		f.Fatalf("due %+v", found)
	}
	f.must(f.jobs.PutOffLetter(f.Context(), dead, at.Add(time.Hour)))
	f.mustNot(f.jobs.Promote(f.Context(), found[0])) // put off further
	if found = f.dueLetters(at.Add(time.Hour)); len(found) != 1 {
		f.Fatalf("due %+v", found)
	}
	f.must(f.jobs.Promote(f.Context(), found[0]))
	f.mustNot(f.jobs.Promote(f.Context(), found[0]))
	rec := f.want(dead.ID, lifecycle.Dead)
	if p := rec.Publication; p == nil || p.To != store.ToLetters("photos") || p.N != dead.N+1 || rec.N != dead.N+1 {
		f.Errorf("asked for again %+v", rec)
	}
	f.mustNot(f.jobs.PutOffLetter(f.Context(), dead, at))
}

// A letter that was put off leaves nothing in the index, however it went on.
func putOffLetterEnds(f fixture) {
	at := f.clock.Now().Truncate(time.Minute).Add(time.Hour)
	for name, end := range map[string]func(store.Record) error{
		"sent":     func(r store.Record) error { return f.jobs.LetterSent(f.Context(), r.ID, r.N) },
		"healed":   func(r store.Record) error { _, err := f.jobs.RepublishLetter(f.Context(), r); return err },
		"redriven": func(r store.Record) error { _, err := f.jobs.Redrive(f.Context(), r); return err },
	} {
		dead := f.finish(f.claim(f.enqueue().ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
		f.must(f.jobs.PutOffLetter(f.Context(), dead, at))
		found := f.dueLetters(at)
		if err := end(dead); err != nil || len(found) != 1 {
			f.Fatalf("%s: %+v, %v", name, found, err)
		}
		if left := f.dueLetters(at); len(left) != 0 {
			f.Errorf("%s, and still due: %+v", name, left)
		}
		f.mustNot(f.jobs.Promote(f.Context(), found[0]))
		if name != "healed" {
			f.mustNot(f.jobs.PutOffLetter(f.Context(), f.get(dead.ID), at))
		}
	}
}
