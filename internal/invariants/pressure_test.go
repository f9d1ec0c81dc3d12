package invariants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// narrow is a queue of four places, the fewest that there can be, and two that may be
// spilled.
var (
	narrow      = job.Queue{Name: "narrow", PeakArrivals: 0.01, ServiceTime: 10 * time.Second, LongestWait: 20 * time.Second, Batch: 3, Bound: 1, Hard: true, Full: job.Spill, SpillLimit: 2}
	writeNarrow = define("note.narrow", narrow, taskTime, job.Uniqueness{})
)

// plans are what the sweep knows of the queues.
func plans() map[string]sizing.Plan {
	planned := func(q job.Queue) sizing.Plan {
		plan, err := sizing.For(q, taskTime)
		if err != nil {
			panic(err)
		}
		plan.Visibility = visibility
		return plan
	}
	return map[string]sizing.Plan{
		"notes": planned(notes), "narrow": planned(narrow),
		"feeds":   {Queue: feeds, Visibility: visibility},
		"ordered": {Queue: ordered, Visibility: visibility},
		"polled":  {Queue: polled, Visibility: visibility},
	}
}

// places are the jobs of the narrow queue, never more than it has places.
type places struct{ unfinished, spilled int }

// checkPlacesLocked counts a job of the narrow queue.
func (w *world) checkPlacesLocked(old, now store.Record) {
	for by, rec := range map[int]store.Record{-1: old, 1: now} {
		switch {
		case rec.Queue != narrow.Name || rec.State.Final() || rec.State == "":
		case rec.Spilled:
			w.places.spilled += by
		default:
			w.places.unfinished += by
		}
	}
	if w.places.unfinished > 4 || w.places.spilled > 2 {
		w.failLocked("the narrow queue has four places and two spilled, and %+v", w.places)
	}
}

// transactNarrow makes a job in a transaction with a row.
func transactNarrow(at time.Duration, name string, does ...string) step {
	return step{at, "producer", func(w *world, p *process, ctx context.Context) error {
		make, err := producer.New(producer.Config{Jobs: p.jobs}, writeNarrow)
		if err != nil {
			return err
		}
		box, err := outbox.New(outbox.Config{Jobs: p.jobs, Producer: make})
		if err != nil {
			return err
		}
		err = box.Transact(ctx, outbox.Write(businessRow(name)),
			outbox.Enqueue(writeNarrow.With(note{Does: does}), job.WithID(idOf(name), "request "+name)))
		var there *store.ConditionError
		if errors.As(err, &there) {
			err = nil // by an earlier try
		}
		if err == nil {
			rec, missing := w.exact.Get(context.Background(), idOf(name))
			if err = missing; err == nil {
				w.accept(rec, name, true)
			}
		}
		return err
	}}
}

// fillNarrow adds members to a batch that wait for places.
func fillNarrow(at time.Duration, id string, members int) step {
	return step{at, "producer", func(w *world, p *process, ctx context.Context) error {
		w.mu.Lock()
		w.batches[id] = members
		w.mu.Unlock()
		make, err := producer.New(producer.Config{Jobs: p.jobs}, writeNarrow, write)
		if err != nil {
			return err
		}
		b, err := make.NewBatch(ctx, id, members, write.With(note{Does: []string{"tally"}}))
		if err != nil {
			return err
		}
		var requests []job.Request
		for range members {
			requests = append(requests, writeNarrow.With(note{Does: []string{"quick"}}))
		}
		return b.Add(ctx, 0, requests)
	}}
}

// setRate lets an operator say how fast spilled notes are released.
func setRate(at time.Duration, rate job.Rate) step {
	return step{at, "operator", func(_ *world, p *process, ctx context.Context) error {
		return p.jobs.SetSpillRate(ctx, notes.Name, rate, false)
	}}
}

// lastSegment is where scans begin that are to end their pass soon.
const lastSegment = sweep.Segments - 24

// scannedSoon gives a name of a job whose row is in the last segments of the table.
func scannedSoon(like string) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s%d", like, i)
		one := memstore.New(memstore.Config{})
		row := store.KeyOf(idOf(name))
		if _, err := one.Write(context.Background(), store.Write{Op: store.Put, Item: row}); err != nil {
			panic(err)
		}
		for segment := lastSegment; segment < sweep.Segments; segment++ {
			page, err := one.Scan(context.Background(), store.Scan{Segment: segment, Segments: sweep.Segments})
			if err != nil {
				panic(err)
			}
			if len(page.Items) > 0 {
				return name
			}
		}
	}
}

// miscount begins with a count that is too high by all four places, a recount under way, and its
// pass near the end.
func miscount(w *world) {
	ctx := context.Background()
	key := store.Item{store.PartitionKey: &types.AttributeValueMemberS{Value: "counter#hard#narrow#00"}, store.SortKey: &types.AttributeValueMemberS{Value: "counter#000"}}
	_, err := w.table.Write(ctx, store.Write{
		Op: store.Update, Key: key, Update: "ADD #used :four", Names: map[string]string{"#used": "used"},
		Values: store.Item{":four": &types.AttributeValueMemberN{Value: "4"}},
	})
	pass := w.start.UTC()
	err = errors.Join(err, w.exact.BeginRecount(ctx, store.Counter{Count: store.CountHard, Queue: "narrow"}, pass))
	if _, bad := w.exact.SetMark(ctx, "scan", "", fmt.Sprintf(`{"segment":%d,"pass":%d}`, lastSegment, pass.UnixMilli())); errors.Join(err, bad) != nil {
		panic(errors.Join(err, bad))
	}
}

// pressures are about queues that are full.
func pressures() []scenario {
	late, moved := scannedSoon("late"), scannedSoon("moved")
	return []scenario{
		{
			name: "hard bound",
			steps: []step{
				enqueue(0, "a", writeNarrow, []string{"ok"}), enqueue(0, "b", writeNarrow, []string{"quick"}),
				enqueue(0, "c", writeNarrow, []string{"fail", "ok"}), enqueue(0, "f", writeNarrow, []string{"ok"}),
				enqueue(0, "g", writeNarrow, []string{"quick"}), enqueue(0, "h", writeNarrow, []string{"ok"}),
				transactNarrow(0, "d", "quick"), fillNarrow(0, "e", 5),
			},
			ends: ends{"a": done, "b": done, "c": done, "d": done, "f": done, "g": done, "h": done},
		},
		{
			name: "hard bound: redrive",
			steps: []step{
				enqueue(0, "a", writeNarrow, []string{"mortal"}),
				when(sendBack(time.Minute, theLetters, func(w *world) *simulatedQueue { return w.narrow }), "a", isDead),
			},
			ends: ends{"a": done},
		},
		{
			name: "spill",
			steps: []step{
				enqueue(0, "a", write, []string{"fail", "ok"}, job.Spilled()), enqueue(0, "b", write, []string{"ok"}, job.Spilled()),
				setRate(time.Second, 1), remove(2*time.Second, "b"),
			},
			ends: ends{"a": done, "b": cancelled},
		},
		{
			name: "only replacing",
			steps: []step{
				enqueue(0, "a", replace, []string{"ok"}, job.Unique("k"), job.In(2*time.Minute)),
				enqueue(time.Second, "b", replace, []string{"quick"}, job.Unique("k"), job.OnlyReplacing()),
			},
			ends: ends{"a": done},
		},
		{
			name:  "counts are corrected",
			begin: miscount,
			steps: []step{
				enqueue(0, late, writeNarrow, []string{"ok"}, job.Spilled()),
				enqueue(0, moved, write, []string{"ok"}, job.Spilled()), move(time.Second, moved, 4*time.Minute),
			},
			ends: ends{late: done, moved: done},
		},
	}
}
