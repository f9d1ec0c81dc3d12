package nightshifttest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// enqueue makes a job, or ends the test.
func enqueue(t testing.TB, k *nightshifttest.Kit, request job.Request, options ...job.Option) job.ID {
	t.Helper()
	id, err := k.Producer.Enqueue(t.Context(), request, options...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return id
}

func TestWhatWasEnqueued(t *testing.T) {
	k := nightshifttest.New(t, nightshifttest.Config{}, sendMail, index, counting)
	enqueue(t, k, sendMail.With(Mail{To: "ada"}), job.In(10*time.Minute), job.Unique("ada"), job.ByClient("web"), job.WithTrace("Root=1-5759e988-bd862e3fe1be46a994272793"))
	enqueue(t, k, sendMail.With(Mail{To: "bob", Body: strings.Repeat("long ", 10_000)})) // to an object
	enqueue(t, k, counting.With(Count{Shelf: "soups"}), job.Group("soups"))

	jobs := nightshifttest.WantEnqueued(k, sendMail, Mail{To: "ada"}, Mail{To: "bob", Body: strings.Repeat("long ", 10_000)})
	if j := jobs[0]; j.Delay != 10*time.Minute || j.Key != "ada" || j.Client != "web" || j.Trace != "Root=1-5759e988-bd862e3fe1be46a994272793" || !j.EnqueuedAt.Equal(nightshifttest.DefaultStart) || j.State != lifecycle.Queued {
		t.Errorf("the first job is %+v", j)
	}
	nightshifttest.WantEnqueued(k, index)
	if j := nightshifttest.EnqueuedOne(k, counting); j.Group != "soups" || j.Args.Shelf != "soups" {
		t.Errorf("the job of the FIFO queue is %+v", j)
	}
}

func TestWhatWasNotEnqueuedAsWanted(t *testing.T) {
	kit := func(t testing.TB) *nightshifttest.Kit {
		k := nightshifttest.New(t, nightshifttest.Config{}, sendMail, counting)
		enqueue(t, k, sendMail.With(Mail{To: "ada"}), job.In(time.Hour), job.Unique("k"))
		enqueue(t, k, sendMail.With(Mail{To: "bob"}))
		return k
	}
	wantFailure(t, func(t testing.TB) { nightshifttest.WantEnqueued(kit(t), sendMail, Mail{To: "ada"}) },
		`2 jobs of mail.send were enqueued, want 1:`, `{"to":"ada"} key "k" in 1h0m0s`, `{"to":"bob"}`)
	wantFailure(t, func(t testing.TB) { nightshifttest.EnqueuedOne(kit(t), sendMail) }, "2 jobs of mail.send were enqueued, want 1:")
	wantFailure(t, func(t testing.TB) { nightshifttest.EnqueuedOne(kit(t), counting) }, "no job of shelf.count was enqueued, want 1")
	wantFailure(t, func(t testing.TB) { nightshifttest.WantEnqueued(kit(t), sendMail) }, "2 jobs of mail.send were enqueued, want 0:")
	wantFailure(t, func(t testing.TB) { nightshifttest.WantEnqueued(kit(t), sendMail, Mail{To: "ada"}, Mail{To: "eve"}) },
		"job 2 of 2 of mail.send", `got  {"to":"bob"}`, `want {"to":"eve"}`)
	wantFailure(t, func(t testing.TB) { nightshifttest.Enqueued(kit(t), index) }, `task "mail.index" is none of the kit's`)
}

// A retry, a delay and a plan a day ahead each come up at their time.
func TestTheClock(t *testing.T) {
	k := nightshifttest.New(t, nightshifttest.Config{}, sendMail)
	var ran []string
	k.Serve(worker.HandleResult(sendMail, func(_ context.Context, j *job.Job[Mail]) (Sent, error) {
		ran = append(ran, fmt.Sprintf("%s %d at +%v", j.Args.To, j.Attempt, k.Now().Sub(nightshifttest.DefaultStart)))
		if j.Args.To == "ada" && j.Attempt < 3 {
			return Sent{}, errAway
		}
		return sent(t.Context(), j)
	}))
	ada := enqueue(t, k, sendMail.With(Mail{To: "ada"}))
	enqueue(t, k, sendMail.With(Mail{To: "bob"}), job.In(90*time.Second))
	late := enqueue(t, k, sendMail.With(Mail{To: "eve"}), job.In(24*time.Hour))
	enqueue(t, k, sendMail.With(Mail{To: "dan"}), job.In(12*time.Hour))

	k.Drain(t.Context())
	k.WantState(ada, lifecycle.Queued)
	k.Advance(t.Context(), time.Minute-time.Millisecond)
	k.Advance(t.Context(), time.Hour)
	k.WantState(ada, lifecycle.Done)
	k.WantState(late, lifecycle.Scheduled)
	k.RunAll(t.Context())
	k.WantState(late, lifecycle.Done)

	want := "ada 1 at +0s, ada 2 at +1m0s, bob 1 at +1m30s, ada 3 at +3m0s, dan 1 at +12h0m0s, eve 1 at +24h0m0s"
	if got := strings.Join(ran, ", "); got != want {
		t.Errorf("the runs were\n%s, want\n%s", got, want)
	}
	if r := nightshifttest.Result[Sent](k, late); r.Receipt != "for eve" {
		t.Errorf("the result is %+v", r)
	}
	var whats []string
	for _, s := range k.History(ada) {
		whats = append(whats, s.What)
	}
	if got := strings.Join(whats, "; "); !strings.HasPrefix(got, "enqueued; attempt 1 begins; attempt 1 failed (failed: the mail server is away); again, in 1m0s; attempt 2 begins;") || !strings.HasSuffix(got, `done: {"receipt":"for ada"}`) {
		t.Errorf("the history is %s", got)
	}
}

func TestLettersAndRedrive(t *testing.T) {
	k := nightshifttest.New(t, nightshifttest.Config{}, index)
	down := true
	k.Serve(worker.Handle(index, func(context.Context, *job.Job[Mail]) error {
		if down {
			return job.Fail(errAway)
		}
		return nil
	}))
	first, second := enqueue(t, k, index.With(Mail{To: "ada"})), enqueue(t, k, index.With(Mail{To: "bob"}))
	k.RunAll(t.Context())
	letters := k.Letters(mails)
	if len(letters) != 2 || letters[0].Job != first || letters[0].Reason != errAway.Error() || letters[1].Job != second {
		t.Fatalf("the letters are %+v", letters)
	}
	down = false
	k.Redrive(t.Context(), first)
	k.RunAll(t.Context())
	k.WantState(first, lifecycle.Done)
	if letters := k.Letters(mails); len(letters) != 1 || letters[0].Job != second {
		t.Errorf("the letters after the redrive are %+v", letters)
	}
	wantFailure(t, func(t testing.TB) {
		k := nightshifttest.New(t, nightshifttest.Config{}, index)
		k.Redrive(t.Context(), enqueue(t, k, index.With(Mail{})))
	}, "which is queued, can't be redriven")
}

// A dead job of a FIFO queue has a letter as well, and its group goes on.
func TestLettersOfAGroup(t *testing.T) {
	k := nightshifttest.New(t, nightshifttest.Config{}, counting)
	k.Serve(worker.Handle(counting, func(_ context.Context, j *job.Job[Count]) error {
		if j.Args.N == 0 {
			return job.Fail(errAway)
		}
		return nil
	}))
	dead := enqueue(t, k, counting.With(Count{N: 0}), job.Group("soups"))
	done := enqueue(t, k, counting.With(Count{N: 1}), job.Group("soups"))
	k.RunAll(t.Context())
	k.WantState(done, lifecycle.Done)
	for range 2 { // the second letter is of the second death
		if letters := k.Letters(shelfs); len(letters) != 1 || letters[0].Job != dead {
			t.Fatalf("the letters are %+v", letters)
		}
		k.Redrive(t.Context(), dead)
		if letters := k.Letters(shelfs); len(letters) != 0 {
			t.Fatalf("the letters after the redrive are %+v", letters)
		}
		k.RunAll(t.Context())
	}
}

func TestWhatCanNotEnd(t *testing.T) {
	kit := func(t testing.TB, err func() error) *nightshifttest.Kit {
		k := nightshifttest.New(t, nightshifttest.Config{Most: 50}, index, sendMail, counting)
		if err != nil {
			k.Serve(worker.Handle(index, func(context.Context, *job.Job[Mail]) error { return err() }))
		}
		enqueue(t, k, index.With(Mail{To: "ada"}))
		return k
	}
	n := 0
	goesOn := func() error { n++; return job.Continue(n) }
	wantFailure(t, func(t testing.TB) { kit(t, goesOn).Drain(t.Context()) },
		"not at rest after 50 deliveries", "of mail.index is", "continues from 1", "… ", " steps …")
	wantFailure(t, func(t testing.TB) { kit(t, func() error { return job.Snooze(time.Hour) }).RunAll(t.Context()) },
		"not at rest after 50 deliveries", "put off, in 1h0m0s")
	wantFailure(t, func(t testing.TB) { kit(t, nil).RunAll(t.Context()) }, "of mail.index can't end: its task has no handler", "enqueued")
	wantFailure(t, func(t testing.TB) {
		k := kit(t, func() error { return nil })
		enqueue(t, k, sendMail.With(Mail{}))
		k.RunAll(t.Context())
	}, "of mail.send can't end")
}

func TestFailuresSpeak(t *testing.T) {
	dead := func(t testing.TB) (*nightshifttest.Kit, job.ID) {
		k := nightshifttest.New(t, nightshifttest.Config{}, sendMail)
		k.Serve(worker.HandleResult(sendMail, func(context.Context, *job.Job[Mail]) (Sent, error) { return Sent{}, errAway }))
		id := enqueue(t, k, sendMail.With(Mail{To: "ada"}))
		k.RunAll(t.Context())
		return k, id
	}
	says := []string{"of mail.send", "dead", "attempt 1 failed (failed: the mail server is away); again, in 1m0s", "+3m0s"}
	wantFailure(t, func(t testing.TB) { k, id := dead(t); k.WantState(id, lifecycle.Done) }, append(says, "want done")...)
	wantFailure(t, func(t testing.TB) { k, id := dead(t); nightshifttest.Result[Sent](k, id) }, says...)
	wantFailure(t, func(t testing.TB) { k, _ := dead(t); k.State("nobody") }, `there is no job "nobody"`)
	wantFailure(t, func(t testing.TB) { k, _ := dead(t); k.Letters(shelfs) }, `queue "shelves" is of none`)
	wantFailure(t, func(t testing.TB) { nightshifttest.New(t, nightshifttest.Config{}) }, "no tasks")
	wantFailure(t, func(t testing.TB) {
		k := nightshifttest.New(t, nightshifttest.Config{}, sendMail, index)
		k.Serve(worker.HandleResult(sendMail, sent))
		k.Serve(worker.Handle(index, func(context.Context, *job.Job[Mail]) error { return nil }))
	}, `queue "mails" has a worker already`)
	wantFailure(t, func(t testing.TB) {
		nightshifttest.New(t, nightshifttest.Config{}, index).Serve(worker.HandleResult(sendMail, sent))
	}, `task "mail.send" is none of the kit's`)
	wantFailure(t, func(t testing.TB) {
		k := nightshifttest.New(t, nightshifttest.Config{}, index, sendMail)
		k.Serve(worker.Handle(index, func(context.Context, *job.Job[Mail]) error { return nil }), worker.HandleResult(sendMail, sent))
		id := enqueue(t, k, index.With(Mail{}))
		k.Drain(t.Context())
		nightshifttest.Result[Sent](k, id)
	}, "is done and has no result")
}

// A schedule fires while the clock moves, each occurrence at its time.
func TestSchedules(t *testing.T) {
	k := nightshifttest.New(t, nightshifttest.Config{}, index)
	k.Serve(worker.Handle(index, func(context.Context, *job.Job[Mail]) error { return nil }))
	k.Schedule(periodic.Job{
		Name: "digest", Expression: "cron(0 9 * * ? *)", Zone: "Europe/Berlin",
		Request: func(day time.Time) job.Request { return index.With(Mail{To: day.Format("Monday")}) },
	})
	k.Advance(t.Context(), 48*time.Hour)
	k.RunAll(t.Context())
	jobs := nightshifttest.WantEnqueued(k, index, Mail{To: "Tuesday"}, Mail{To: "Wednesday"})
	if at := jobs[0].EnqueuedAt; !at.Equal(time.Date(2026, 1, 6, 8, 0, 0, 0, time.UTC)) || jobs[1].State != lifecycle.Done {
		t.Errorf("the occurrences are %+v", jobs)
	}
}
