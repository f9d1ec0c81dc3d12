package nightshifttest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type Stocked struct {
	Shelf string `json:"shelf"`
	N     int    `json:"n"`
}

var (
	shelves  = job.Topic{Name: "shelves", FIFO: true}
	stocked  = job.DefineEvent[Stocked]("shelf.stocked", shelves)
	emptied  = job.DefineEvent[Stocked]("shelf.emptied", shelves)
	ordered  = job.Queue{Name: "ordered", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute, FIFO: true}
	anyOrder = job.Queue{Name: "any-order", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: time.Minute}
	label    = job.On(stocked, job.Define[Stocked]("shelf.label", job.Policy{Queue: ordered}))
	report   = job.On(stocked, job.Define[Stocked]("shelf.report", job.Policy{Queue: anyOrder}))
)

// TestEventsReachEachSubscriber: each subscriber gets each event, one of a FIFO queue
// in the order of its key, also where processes die.
func TestEventsReachEachSubscriber(t *testing.T) {
	for seed := range uint64(10) {
		kit := nightshifttest.New(t, nightshifttest.Config{
			Seed: seed, Shuffle: true, Duplicates: true, Topics: []job.Topic{shelves},
		}, label.Task(), report.Task())
		var labels, reports []string
		note := func(seen *[]string) func(context.Context, *job.Job[Stocked]) error {
			return func(_ context.Context, j *job.Job[Stocked]) error {
				*seen = append(*seen, fmt.Sprint(j.Args.Shelf, j.Args.N, " by attempt ", j.Attempt))
				return nil
			}
		}
		kit.Serve(worker.On(label, note(&labels)))
		kit.Serve(worker.On(report, note(&reports)))
		publish(t, kit, stocked.With("a", Stocked{"a", 1}), emptied.With("a", Stocked{"a", 0}), stocked.With("a", Stocked{"a", 2}))
		kit.RunAll(t.Context())

		want := "a1 by attempt 1, a1 by attempt 2, a2 by attempt 1, a2 by attempt 2"
		if got := strings.Join(labels, ", "); got != want {
			t.Errorf("seed %d: the FIFO subscriber saw\n%s, want\n%s", seed, got, want)
		}
		if len(reports) != 4 {
			t.Errorf("seed %d: the other subscriber saw %v, want each event twice", seed, reports)
		}
		if got := nightshifttest.Published(kit, stocked); fmt.Sprint(got) != "[{a 1} {a 2}]" {
			t.Errorf("published was %v", got)
		}
	}
}

// TestEventsOfOtherTopicsStay: an event of a topic that the kit was not given waits in
// the outbox; a subscriber to it would wait for ever, and is refused.
func TestEventsOfOtherTopicsStay(t *testing.T) {
	kit := nightshifttest.New(t, nightshifttest.Config{}, label.Task())
	publish(t, kit, stocked.With("a", Stocked{"a", 1}))
	kit.RunAll(t.Context())
	nightshifttest.WantPublished(kit, stocked, Stocked{"a", 1})
	nightshifttest.WantEnqueued(kit, label.Task())
	wantFailure(t, func(t testing.TB) {
		kit := nightshifttest.New(t, nightshifttest.Config{}, label.Task())
		kit.Serve(worker.On(label, func(context.Context, *job.Job[Stocked]) error { return nil }))
	}, `subscribed to "shelf.stocked"`, "pass it in Config.Topics")
}

// TestASubscriberRetries: the job of an event is a job like any other: it has arguments,
// a history, retries and letters.
func TestASubscriberRetries(t *testing.T) {
	once := job.On(stocked, job.Define[Stocked]("shelf.once", job.Policy{Queue: anyOrder, MaxAttempts: 2}))
	kit := nightshifttest.New(t, nightshifttest.Config{Topics: []job.Topic{shelves}}, once.Task())
	kit.Serve(worker.On(once, func(context.Context, *job.Job[Stocked]) error { return errAway }))
	publish(t, kit, stocked.With("a", Stocked{"a", 1}))
	nightshifttest.WantEnqueued(kit, once.Task()) // nothing has come of it yet
	kit.RunAll(t.Context())
	made := nightshifttest.WantEnqueued(kit, once.Task(), Stocked{"a", 1})
	if rec := kit.Record(made[0].ID); rec.State != lifecycle.Dead || rec.Attempt != 2 || len(kit.Letters(anyOrder)) != 1 {
		t.Errorf("the job is %s after %d attempts; %d letters", rec.State, rec.Attempt, len(kit.Letters(anyOrder)))
	}
}

// TestADeathThatCostsTheOnlyAttempt: the job of an event that has one attempt is left alone by
// Duplicates, as any other's.
func TestADeathThatCostsTheOnlyAttempt(t *testing.T) {
	once := job.On(stocked, job.Define[Stocked]("shelf.once", job.Policy{Queue: anyOrder, MaxAttempts: 1}))
	kit := nightshifttest.New(t, nightshifttest.Config{Topics: []job.Topic{shelves}, Duplicates: true}, once.Task())
	runs := 0
	kit.Serve(worker.On(once, func(context.Context, *job.Job[Stocked]) error { runs++; return nil }))
	publish(t, kit, stocked.With("a", Stocked{"a", 1}))
	kit.RunAll(t.Context())
	if runs != 1 {
		t.Errorf("it ran %d times", runs)
	}
	kit.WantState(nightshifttest.EnqueuedOne(kit, once.Task()).ID, lifecycle.Done)
}

// TestASubscriberMoreTouchesNoPublisher: the same publisher, one subscriber more.
func TestASubscriberMoreTouchesNoPublisher(t *testing.T) {
	reached := func(subscribers ...job.Subscription[Stocked]) (got []string) {
		var tasks []job.Defined
		for _, s := range subscribers {
			tasks = append(tasks, s.Task())
		}
		kit := nightshifttest.New(t, nightshifttest.Config{Topics: []job.Topic{shelves}}, tasks...)
		for _, s := range subscribers {
			kit.Serve(worker.On(s, func(context.Context, *job.Job[Stocked]) error {
				got = append(got, s.Task().Definition().Name)
				return nil
			}))
		}
		publish(t, kit, stocked.With("a", Stocked{"a", 1}))
		kit.RunAll(t.Context())
		slices.Sort(got)
		return got
	}
	if one, two := reached(label), reached(label, report); !slices.Equal(one, []string{"shelf.label"}) || !slices.Equal(two, []string{"shelf.label", "shelf.report"}) {
		t.Errorf("reached %v and %v", one, two)
	}
}

func TestWantPublished(t *testing.T) {
	kit := func(t testing.TB) *nightshifttest.Kit {
		kit := nightshifttest.New(t, nightshifttest.Config{Topics: []job.Topic{shelves}}, label.Task())
		for n := range 2 {
			event := stocked.With("shelf/a", Stocked{"a", n}).Traced("Root=1-5759e988-bd862e3fe1be46a994272793")
			if err := kit.Outbox.Transact(context.Background(), outbox.Publish(event)); err != nil {
				t.Fatalf("%v", err)
			}
		}
		return kit
	}
	events := nightshifttest.WantPublished(kit(t), stocked, Stocked{"a", 0}, Stocked{"a", 1})
	if e := events[1]; e.Key != "shelf/a" || e.Trace != "Root=1-5759e988-bd862e3fe1be46a994272793" || e.ID == "" || !e.At.Equal(nightshifttest.DefaultStart) {
		t.Errorf("published %+v", e)
	}
	nightshifttest.WantPublished(kit(t), emptied)
	wantFailure(t, func(t testing.TB) { nightshifttest.WantPublished(kit(t), emptied, Stocked{}) }, "shelf.emptied was not published, want 1")
	wantFailure(t, func(t testing.TB) { nightshifttest.WantPublished(kit(t), stocked) }, "published 2 times, want 0", `{"shelf":"a","n":1} key "shelf/a"`)
	wantFailure(t, func(t testing.TB) { nightshifttest.WantPublished(kit(t), stocked, Stocked{"a", 0}, Stocked{"b", 1}) },
		"event 2 of 2", `got  {"shelf":"a","n":1}`, `want {"shelf":"b","n":1}`)
}

func publish(t *testing.T, kit *nightshifttest.Kit, all ...job.Occurrence) {
	t.Helper()
	for _, happened := range all {
		if err := kit.Outbox.Transact(t.Context(), outbox.Publish(happened)); err != nil {
			t.Fatal(err)
		}
	}
}
