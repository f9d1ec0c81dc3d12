package nightshifttest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
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
// the outbox.
func TestEventsOfOtherTopicsStay(t *testing.T) {
	kit := nightshifttest.New(t, nightshifttest.Config{}, label.Task())
	kit.Serve(worker.On(label, func(context.Context, *job.Job[Stocked]) error { return fmt.Errorf("nobody asked for it") }))
	publish(t, kit, stocked.With("a", Stocked{"a", 1}))
	kit.Drain(t.Context())
	if got := nightshifttest.Published(kit, stocked); len(got) != 0 {
		t.Errorf("published was %v", got)
	}
}

func publish(t *testing.T, kit *nightshifttest.Kit, all ...job.Occurrence) {
	t.Helper()
	box, err := outbox.New(outbox.Config{Jobs: kit.Jobs, Producer: kit.Producer})
	if err != nil {
		t.Fatal(err)
	}
	for _, happened := range all {
		if err := box.Transact(t.Context(), outbox.Publish(happened)); err != nil {
			t.Fatal(err)
		}
	}
}
