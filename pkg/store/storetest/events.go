package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func runEvents(t *testing.T, construct Constructor) {
	tests := map[string]func(fixture){
		"an event waits in the outbox until it is sent": eventSent,
		"an event is kept for a while":                  eventKept,
		"an event that was put off comes up when due":   eventPutOff,
		"a refused event waits for a person":            eventRefused,
		"events of a FIFO topic share a partition":      eventFIFO,
		"a job without a row begins running":            begins,
		"a message that comes again finds its job":      beginsOnce,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(setup(t, construct)) })
	}
}

// happen writes an event with a row that it tells of.
func (f fixture) happen(change ...func(*store.NewEvent)) store.Event {
	f.Helper()
	id, err := f.jobs.NewID()
	if err != nil {
		f.Fatal(err)
	}
	n := store.NewEvent{ID: string(id), Name: "recipe.published", Topic: "recipes", Version: 2, Key: "recipe/1", Data: []byte(`{"id":1}`), Trace: "Root=1"}
	for _, c := range change {
		c(&n)
	}
	if err := f.jobs.Transact(f.Context(), f.jobs.EventWrite(n), effect(n.ID)); err != nil {
		f.Fatal(err)
	}
	return f.event(n)
}

func (f fixture) event(n store.NewEvent) store.Event {
	f.Helper()
	e, err := f.jobs.GetEvent(f.Context(), n)
	if err != nil {
		f.Fatal(err)
	}
	return e
}

func eventSent(f fixture) {
	e := f.happen()
	if e.Name != "recipe.published" || e.Version != 2 || e.Key != "recipe/1" || string(e.Data) != `{"id":1}` || e.Trace != "Root=1" || !e.Created.Equal(f.clock.Now()) {
		f.Errorf("read %+v", e)
	}
	if p := e.Publication; p == nil || p.To != store.ToTopic("recipes") || p.N != 1 {
		f.Errorf("publication %+v", p)
	}
	f.wantEffects(e.ID, "1")
	if err := f.jobs.Transact(f.Context(), f.jobs.EventWrite(e.NewEvent), effect(e.ID)); !errors.Is(err, store.ErrCondition) {
		f.Errorf("the same event again: %v", err)
	}
	f.wantEffects(e.ID, "1")
	for range 2 {
		if err := f.jobs.EventSent(f.Context(), e); err != nil {
			f.Fatal(err)
		}
	}
	sent := f.event(e.NewEvent)
	if sent.Publication != nil || !sent.Sent.Equal(f.clock.Now()) {
		f.Errorf("sent %+v", sent)
	}
	f.must(f.jobs.Resend(f.Context(), sent))
	f.mustNot(f.jobs.Resend(f.Context(), sent))
	if err := f.jobs.EventSent(f.Context(), sent); err != nil { // of the first publication, late
		f.Fatal(err)
	}
	if !sent.Expires.Equal(e.Created.Add(store.EventRetention).Truncate(time.Second)) && !sent.Expires.Equal(e.Created.Add(store.EventRetention).Truncate(time.Second).Add(time.Second)) {
		f.Errorf("an event of %v is kept until %v", e.Created, sent.Expires)
	}
	if again := f.event(e.NewEvent); again.Publication == nil || again.Publication.N != 2 || !again.Sent.IsZero() {
		f.Errorf("resent %+v", again)
	}
}

// eventKept: a row outlives its event's being sent by a day at least, and is gone for
// readers when its time is over.
func eventKept(f fixture) {
	e := f.happen()
	f.clock.Advance(30 * 24 * time.Hour)
	if err := f.jobs.EventSent(f.Context(), e); err != nil {
		f.Fatal(err)
	}
	f.clock.Advance(store.SentRetention - time.Second)
	f.event(e.NewEvent)
	f.clock.Advance(2 * time.Second)
	if _, err := f.jobs.GetEvent(f.Context(), e.NewEvent); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("GetEvent = %v", err)
	}
}

func eventPutOff(f fixture) {
	e := f.happen()
	due := f.clock.Now().Truncate(time.Minute).Add(5 * time.Minute)
	f.must(f.jobs.PutOffEvent(f.Context(), e, due))
	if got := f.event(e.NewEvent); got.Publication == nil {
		f.Error("an event that was put off no longer asks to be published")
	}
	f.clock.Advance(6 * time.Minute)
	found := f.dueNow(due, f.clock.Now())
	if len(found) != 1 || found[0].ID != "" || !found[0].Due.Equal(due) {
		f.Fatalf("due %+v", found)
	}
	f.must(f.jobs.Promote(f.Context(), found[0]))
	f.mustNot(f.jobs.Promote(f.Context(), found[0]))
	if got := f.event(e.NewEvent); got.Publication == nil || got.Publication.N != 2 {
		f.Errorf("promoted %+v", got)
	}
	if left := f.dueNow(due, f.clock.Now()); len(left) != 0 {
		f.Errorf("still due: %+v", left)
	}
}

func eventRefused(f fixture) {
	e := f.happen()
	if err := f.jobs.EventRefused(f.Context(), e, errors.New("InvalidParameter")); err != nil {
		f.Fatal(err)
	}
	refused, err := f.jobs.RefusedEvents(f.Context())
	if err != nil || len(refused) != 1 || refused[0].ID != e.ID || refused[0].Refused == nil || refused[0].Refused.Message != "InvalidParameter" || refused[0].Publication != nil {
		f.Fatalf("RefusedEvents = %+v, %v", refused, err)
	}
	f.must(f.jobs.Resend(f.Context(), refused[0]))
	if left, err := f.jobs.RefusedEvents(f.Context()); err != nil || len(left) != 0 {
		f.Errorf("RefusedEvents = %+v, %v", left, err)
	}
	if got := f.event(e.NewEvent); got.Refused != nil || got.Publication == nil {
		f.Errorf("resent %+v", got)
	}
}

func eventFIFO(f fixture) {
	ordered := func(n *store.NewEvent) { n.FIFO, n.Key = true, "a#b" }
	first, second := f.happen(ordered), f.happen(ordered)
	for _, e := range []store.Event{first, second} {
		if !e.FIFO || e.Key != "a#b" {
			f.Errorf("read %+v", e)
		}
		if err := f.jobs.EventSent(f.Context(), e); err != nil {
			f.Fatal(err)
		}
		if f.event(e.NewEvent).Publication != nil {
			f.Error("it still asks to be published")
		}
	}
}

func (f fixture) begin(n store.NewJob) store.Claim {
	f.Helper()
	claim, err := f.jobs.Begin(f.Context(), n, f.lease())
	if err != nil {
		f.Fatal(err)
	}
	return claim
}

// subscribed is a job that an event's message asks for.
var subscribed = store.NewJob{ID: job.IDOf([16]byte{5}), Task: "search.index", Queue: "search", Args: []byte(`{"id":1}`), Version: 2, MaxAttempts: 3, Trace: "Root=1"}

func begins(f fixture) {
	claim := f.begin(subscribed)
	if rec := claim.Record; !claim.Granted || rec.Attempt != 1 || rec.State != lifecycle.Running || string(rec.Args) != `{"id":1}` || rec.Version != 2 {
		f.Fatalf("Begin = %+v", claim)
	}
	row := f.want(subscribed.ID, lifecycle.Running)
	if row.Token != claim.Record.Token || row.Publication != nil || row.N != 0 || row.Started.IsZero() || !row.LeaseUntil.Equal(claim.Record.LeaseUntil) {
		f.Errorf("begun %+v", row)
	}
	f.finish(claim.Record, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("corrupt")})
	if rec := f.want(subscribed.ID, lifecycle.Dead); rec.Publication == nil || rec.Publication.N != 1 {
		f.Errorf("dead %+v", rec)
	}
}

func beginsOnce(f fixture) {
	first := f.begin(subscribed)
	if again := f.begin(subscribed); again.Granted || again.Finding != lifecycle.Busy {
		f.Errorf("while it runs: %+v", again)
	}
	f.finish(first.Record, lifecycle.Outcome{To: lifecycle.Queued, Wait: time.Minute, Err: errors.New("busy")})
	if early := f.begin(subscribed); early.Granted || early.Finding != lifecycle.Early {
		f.Errorf("before its time: %+v", early)
	}
	f.clock.Advance(time.Minute)
	second := f.begin(subscribed)
	if !second.Granted || second.Record.Attempt != 2 {
		f.Fatalf("when its time has come: %+v", second)
	}
	f.finish(second.Record, lifecycle.Outcome{To: lifecycle.Done})
	if late := f.begin(subscribed); late.Granted || late.Finding != lifecycle.Finished {
		f.Errorf("after its end: %+v", late)
	}
	lost := f.lease()
	other := subscribed
	other.ID = job.IDOf([16]byte{6})
	for range 2 { // the answer to the first was lost
		claim, err := f.jobs.Begin(f.Context(), other, lost)
		if err != nil || !claim.Granted || claim.Record.Attempt != 1 || len(claim.Record.Args) == 0 {
			f.Errorf("Begin = %+v, %v", claim, err)
		}
	}
}
