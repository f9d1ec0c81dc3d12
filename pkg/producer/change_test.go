package producer_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

const day = 24 * time.Hour

// In the table's care a job is moved, and cancelled, by one write.
func TestMovingAndCancellingAreOneWrite(t *testing.T) {
	p, jobs, d := newProducer(t)
	id, err := p.Enqueue(t.Context(), write.With(note{Text: "soup"}), job.In(30*day))
	if err != nil {
		t.Fatal(err)
	}
	d.writes = 0
	if err := p.Reschedule(t.Context(), id, now.Add(40*day)); err != nil || d.writes != 1 {
		t.Fatalf("moved by %d writes: %v", d.writes, err)
	}
	rec, err := jobs.Get(t.Context(), id)
	if err != nil || rec.State != lifecycle.Scheduled || !rec.NotBefore.Equal(now.Add(40*day)) || rec.Publication != nil {
		t.Errorf("moved: %s, not before %v, %+v, %v", rec.State, rec.NotBefore, rec.Publication, err)
	}
	d.writes = 0
	if rec, err = p.Cancel(t.Context(), id); err != nil || d.writes != 1 || rec.State != lifecycle.Cancelled {
		t.Errorf("%s by %d writes: %v", rec.State, d.writes, err)
	}
	if rec, err = p.Cancel(t.Context(), id); err != nil || rec.State != lifecycle.Cancelled {
		t.Errorf("cancelled twice: %s, %v", rec.State, err)
	}
}

// Wherever a job waits, and however near its new time is, it ends up where one that
// is enqueued for that time would be.
func TestReschedule(t *testing.T) {
	for _, from := range []time.Duration{0, 10 * time.Minute, 16 * time.Minute, 30 * day} {
		for _, to := range []time.Duration{-day, 0, time.Second, 15 * time.Minute, 15*time.Minute + 1, 366 * day} {
			p, jobs, _ := newProducer(t)
			id, err := p.Enqueue(t.Context(), write.With(note{Text: "soup"}), job.At(now.Add(from)))
			if err != nil {
				t.Fatal(err)
			}
			before, err := jobs.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Reschedule(t.Context(), id, now.Add(to)); err != nil {
				t.Errorf("from %v to %v: %v", from, to, err)
			}
			rec, err := jobs.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			due := now.Add(max(0, to)).Add(time.Millisecond - 1).Truncate(time.Millisecond)
			if !rec.NotBefore.Equal(due) {
				t.Errorf("from %v to %v: not before %v", from, to, rec.NotBefore)
			}
			switch near := to <= lifecycle.LongestDelay; {
			case !near && (rec.State != lifecycle.Scheduled || rec.Publication != nil):
				t.Errorf("from %v to %v: %s, %+v", from, to, rec.State, rec.Publication)
			case near && (rec.State != lifecycle.Queued || rec.N != before.N+1 || rec.Publication == nil || !rec.Publication.At.Equal(due)):
				t.Errorf("from %v to %v: %s, n %d, %+v", from, to, rec.State, rec.N, rec.Publication)
			}
		}
	}
}

func TestWhatCanNotBeRescheduled(t *testing.T) {
	p, jobs, _ := newProducer(t)
	enqueue := func(r job.Request, o ...job.Option) job.ID {
		t.Helper()
		id, err := p.Enqueue(t.Context(), r, o...)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	claim := func(id job.ID) store.Record {
		t.Helper()
		claim, err := jobs.Claim(t.Context(), id, store.Lease{Token: "token", Until: now.Add(time.Minute)})
		if err != nil || !claim.Granted {
			t.Fatalf("%+v, %v", claim.Finding, err)
		}
		return claim.Record
	}
	running, finished := enqueue(write.With(note{Text: "a"})), enqueue(write.With(note{Text: "b"}))
	claim(running)
	if _, err := jobs.Finish(t.Context(), claim(finished), lifecycle.Outcome{To: lifecycle.Done}); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		id   job.ID
		to   time.Duration
		want error
	}{
		"running":         {running, day, producer.ErrStarted},
		"done":            {finished, day, producer.ErrFinished},
		"of a FIFO queue": {enqueue(post.With(note{Text: "c"}), job.Group("g"), job.In(time.Hour)), day, producer.ErrOptions},
		"unknown":         {job.IDOf([16]byte{1}), day, producer.ErrNotFound},
		"too far ahead":   {enqueue(write.With(note{Text: "d"}), job.In(day)), 366*day + time.Second, producer.ErrOptions},
	} {
		if err := p.Reschedule(t.Context(), tt.id, now.Add(tt.to)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if rec, err := p.Cancel(t.Context(), running); err != nil || !rec.CancelRequested {
		t.Errorf("a running job: %+v, %v", rec.State, err)
	}
	if rec, err := p.Cancel(t.Context(), finished); !errors.Is(err, producer.ErrFinished) || rec.State != lifecycle.Done {
		t.Errorf("a finished job: %s, %v", rec.State, err)
	}
	if _, err := p.Cancel(t.Context(), job.IDOf([16]byte{1})); !errors.Is(err, producer.ErrNotFound) {
		t.Errorf("an unknown job: %v", err)
	}
}

// Whatever call fails, or is applied and its answer lost: the job is at its old time
// or at its new one, and the same call made again puts it at the new one.
func TestRescheduleUnderFaults(t *testing.T) {
	for _, from := range []time.Duration{0, 30 * day} {
		for _, kind := range []fault.Kind{fault.Down, fault.Throttled, fault.Lost, fault.Repeated} {
			for call := range 8 {
				faults := &fault.Driver{Inner: memstore.New(memstore.Config{})}
				clock := func() time.Time { return now }
				jobs, err := store.New(store.Config{Driver: faults, Now: clock})
				if err != nil {
					t.Fatal(err)
				}
				p, err := producer.New(producer.Config{Jobs: jobs, Now: clock}, write)
				if err != nil {
					t.Fatal(err)
				}
				id, err := p.Enqueue(t.Context(), write.With(note{Text: "soup"}), job.At(now.Add(from)))
				if err != nil {
					t.Fatal(err)
				}
				faults.At = fault.Once(faults.Calls()+call, kind)
				first := p.Reschedule(t.Context(), id, now.Add(time.Minute))
				faults.At = nil
				if first != nil {
					if err := p.Reschedule(t.Context(), id, now.Add(time.Minute)); err != nil {
						t.Errorf("%v at call %d: %v, then %v", kind, call, first, err)
					}
				}
				rec, err := jobs.Get(t.Context(), id)
				if err != nil || rec.State != lifecycle.Queued || !rec.NotBefore.Equal(now.Add(time.Minute)) {
					t.Errorf("%v at call %d: %s, not before %v; %v", kind, call, rec.State, rec.NotBefore, err)
				}
			}
		}
	}
}

// What happens between two calls of a move decides by its own writes.
func TestReschedulingMeetsOthers(t *testing.T) {
	for name, tt := range map[string]struct {
		from  time.Duration
		after int // calls of the move
		do    func(jobs *store.Jobs, id job.ID) error
		want  error
		state lifecycle.State
	}{
		"a worker claims it": {0, 2, func(jobs *store.Jobs, id job.ID) error {
			_, err := jobs.Claim(t.Context(), id, store.Lease{Token: "token", Until: now.Add(time.Minute)})
			return err
		}, producer.ErrStarted, lifecycle.Running},
		"somebody cancels it": {30 * day, 0, func(jobs *store.Jobs, id job.ID) error {
			_, err := jobs.Cancel(t.Context(), id, "")
			return err
		}, producer.ErrFinished, lifecycle.Cancelled},
		"somebody moves it far away": {30 * day, 1, func(jobs *store.Jobs, id job.ID) error {
			_, err := jobs.Move(t.Context(), id, now.Add(90*day))
			return err
		}, nil, lifecycle.Scheduled},
	} {
		t.Run(name, func(t *testing.T) {
			memory := memstore.New(memstore.Config{})
			faults := &fault.Driver{Inner: memory}
			clock := func() time.Time { return now }
			others, err := store.New(store.Config{Driver: memory, Now: clock})
			if err != nil {
				t.Fatal(err)
			}
			jobs, err := store.New(store.Config{Driver: faults, Now: clock})
			if err != nil {
				t.Fatal(err)
			}
			p, err := producer.New(producer.Config{Jobs: jobs, Now: clock}, write)
			if err != nil {
				t.Fatal(err)
			}
			id, err := p.Enqueue(t.Context(), write.With(note{Text: "soup"}), job.At(now.Add(tt.from)))
			if err != nil {
				t.Fatal(err)
			}
			at := faults.Calls() + tt.after
			faults.At = func(call int) fault.Kind {
				if call == at {
					if err := tt.do(others, id); err != nil {
						t.Error(err)
					}
				}
				return fault.None
			}
			if err := p.Reschedule(t.Context(), id, now.Add(time.Minute)); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if rec, err := jobs.Get(t.Context(), id); err != nil || rec.State != tt.state {
				t.Errorf("the job is %s, %v; want %s", rec.State, err, tt.state)
			}
		})
	}
}
