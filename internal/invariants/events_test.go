package invariants

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// The events of these tests, and who subscribes: two tasks of different queues to
// the one, a task of the FIFO queue to the other.
var (
	happened = job.DefineEvent[note]("note.happened", job.Topic{Name: "happenings"})
	inTurn   = job.DefineEvent[note]("note.changed", job.Topic{Name: "changes", FIFO: true})

	feeds = job.Queue{Name: "feeds", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: 2 * time.Minute, Batch: 3, Bound: 2}

	hear       = job.On(happened, subscriber("note.hear", notes))
	feed       = job.On(happened, subscriber("note.feed", feeds))
	hearInTurn = job.On(inTurn, subscriber("note.hear-in-turn", ordered))
)

func subscriber(name string, q job.Queue) job.Task[note] {
	return job.Define[note](name, job.Policy{Queue: q, Timeout: taskTime, MaxAttempts: 4, Backoff: quick})
}

// subscribers are the tasks that are done for an event.
func subscribers(event string) []job.Definition {
	if event == inTurn.Definition().Name {
		return []job.Definition{hearInTurn.Task().Definition()}
	}
	return []job.Definition{hear.Task().Definition(), feed.Task().Definition()}
}

// on is the handler of a subscriber.
func (w *world) on(p *process, s job.Subscription[note]) worker.Handler {
	do := w.handler(p)
	return worker.On(s, func(ctx context.Context, j *job.Job[note]) error {
		_, err := do(ctx, j)
		return err
	})
}

// traceOf is the trace of the request in which an event happened; the event's name can be
// read in it, by named.
func traceOf(name string) string {
	return fmt.Sprintf("00-%x-00f067aa0ba902b7-01", fmt.Sprintf("%-16s", name))
}

func named(trace string) string {
	_, id, _ := strings.Cut(trace, "-")
	id, _, _ = strings.Cut(id, "-")
	name, err := hex.DecodeString(id)
	if err != nil || len(name) != 16 {
		return "?" + trace
	}
	return strings.TrimRight(string(name), " ") + " "
}

// A trackedEvent is what the test knows of an event.
type trackedEvent struct {
	nth int // in the order in which rows were made
	row store.Event
}

// String names the event.
func (e *trackedEvent) String() string { return "event " + named(e.row.Trace) }

// jobs are the ids of the jobs that stand for the event.
func (e *trackedEvent) jobs() (ids []job.ID) {
	for _, task := range subscribers(e.row.Name) {
		ids = append(ids, e.jobOf(task))
	}
	return ids
}

func (e *trackedEvent) jobOf(task job.Definition) job.ID {
	id := queue.Event{ID: e.row.ID}.Job(task.Name)
	if task.Policy.Queue.FIFO {
		return id.InGroup(task.Policy.Queue.Name, e.row.Key)
	}
	return id
}

// changedEvent judges a change of an event's row; false where the row is none.
func (w *world) changedEvent(p *process, c memstore.Change) bool {
	row, err := store.DecodeEvent(c.New)
	if c.New == nil || errors.Is(err, store.ErrNotAnEvent) {
		return false
	}
	if err != nil {
		w.failLocked("an event can't be read: %v", err)
		return true
	}
	e := w.events[row.ID]
	if e == nil {
		e = &trackedEvent{nth: len(w.events)}
		w.events[row.ID] = e
	} else if row.N < e.row.N || row.Publication != nil && row.Publication.N != row.N {
		w.failLocked("%s: n went from %d to %d, and what is published is %+v", e, e.row.N, row.N, row.Publication)
	}
	// Where the relay could not note that it is out, the scan sends it once more.
	if e.row.N > 0 && row.N > e.row.N && p.Name == "sweep" && e.row.Due.IsZero() && !w.faulty {
		w.healed = append(w.healed, e.String())
	}
	e.row = row
	w.logLocked("%s: %s, n %d, waits %v, refused %v", p, e, row.N, row.Publication != nil, row.Refused != nil)
	return true
}

// nameOfJob names a job that stands for an event: "a hear".
func (w *world) nameOfJob(id job.ID) string {
	for _, e := range w.events {
		for _, task := range subscribers(e.row.Name) {
			if e.jobOf(task) == id {
				return named(e.row.Trace) + strings.TrimPrefix(task.Name, "note.")
			}
		}
	}
	return ""
}

// publish writes a row and the event that tells of it, as an API does that was given
// an idempotency key: the row is there once.
func publish(at time.Duration, name string, event job.Event[note], key string, does ...string) step {
	return step{at, "publisher", func(w *world, p *process, ctx context.Context) error {
		box, err := outbox.New(outbox.Config{Jobs: p.jobs})
		if err != nil {
			return err
		}
		err = box.Transact(ctx, outbox.Write(businessRow(name)), outbox.Publish(event.With(key, note{Does: does}).Traced(traceOf(name))))
		var there *store.ConditionError
		if errors.As(err, &there) && there.Index == 0 {
			err = nil // by an earlier try
		}
		if err == nil {
			w.mu.Lock()
			w.published[name+" "] = true
			w.mu.Unlock()
		}
		return err
	}}
}

// businessRow is what an event tells of.
func businessRow(name string) store.Write {
	return store.Write{
		Op: store.Put, Condition: "attribute_not_exists(pk)",
		Item: store.Item{
			store.PartitionKey: &types.AttributeValueMemberS{Value: "recipe#" + name}, store.SortKey: &types.AttributeValueMemberS{Value: "recipe"},
		},
	}
}

// publishLost is publish, and the relay never sees the record.
func publishLost(name string, does ...string) step {
	s := publish(0, name, happened, "", does...)
	do := s.do
	s.do = func(w *world, p *process, ctx context.Context) error {
		err := do(w, p, ctx)
		w.skip()
		return err
	}
	return s
}

// resendRefused is an operator who sends again what topics refused, once there is
// something and they take it.
func resendRefused(at time.Duration) step {
	return step{at, "operator", func(w *world, p *process, ctx context.Context) error {
		refused, err := p.jobs.RefusedEvents(ctx)
		if err != nil {
			return err
		}
		if len(refused) == 0 {
			return errors.New("no event was refused yet")
		}
		for _, e := range refused {
			if e, err = p.jobs.GetEvent(ctx, e.NewEvent); err != nil {
				return err
			}
			if _, err := w.exact.Resend(ctx, e); err != nil {
				return err
			}
		}
		return nil
	}}
}

// checkEvents: each event that was published is there once, and so is the job of
// each of its subscribers, unless the topic refused it. No job is of no event.
func (w *world) checkEvents() {
	told := map[string]int{}
	jobs := 0
	for _, e := range w.events {
		told[named(e.row.Trace)]++
		for _, id := range e.jobs() {
			j := w.jobs[id]
			switch {
			case j == nil && e.row.Refused == nil:
				w.failf("%s did not reach a subscriber", e)
			case j != nil && e.row.Refused != nil && !w.faulty:
				w.failf("%s was refused, and is %s", e, j)
			}
			if j != nil {
				jobs++
			}
		}
	}
	for name := range w.published {
		if told[name] != 1 {
			w.failf("event %s is there %d times", name, told[name])
		}
	}
	for name, n := range told {
		if _, err := w.exactRow("recipe#" + strings.TrimSpace(name)); n != 1 || err != nil {
			w.failf("event %s is there %d times; what it tells of: %v", name, n, err)
		}
	}
	for _, j := range w.jobs {
		if j.ofEvent {
			jobs--
		}
	}
	if jobs != 0 {
		w.failf("there are %d jobs less than events for subscribers", jobs)
	}
	w.checkKeys()
}

func (w *world) exactRow(pk string) (store.Item, error) {
	row, err := w.table.Get(context.Background(), store.Item{
		store.PartitionKey: &types.AttributeValueMemberS{Value: pk}, store.SortKey: &types.AttributeValueMemberS{Value: "recipe"},
	})
	if err == nil && row == nil {
		err = fmt.Errorf("there is no row %s", pk)
	}
	return row, err
}

// checkKeys: the events of one key of a FIFO topic began in the order in which they
// happened.
func (w *world) checkKeys() {
	for _, a := range w.events {
		for _, b := range w.events {
			if !a.row.FIFO || !b.row.FIFO || a.row.Key != b.row.Key || a.nth >= b.nth {
				continue
			}
			first, second := w.jobs[a.jobs()[0]], w.jobs[b.jobs()[0]]
			if first != nil && second != nil && first.nth > second.nth {
				w.failf("%s overtook %s", b, a)
			}
		}
	}
}

// heard judges that an event's message was deleted from a queue: the job that it
// stands for may not need it any more.
func (w *world) heard(q *simulatedQueue, m queue.Message) {
	e := w.events[m.Event.ID]
	if e == nil {
		w.failLocked("queue %s had a message of an event that never happened", q.name)
		return
	}
	for _, task := range subscribers(e.row.Name) {
		if q != w.backstop && strings.TrimSuffix(q.name, ".fifo") != task.Policy.Queue.Name {
			continue
		}
		j := w.jobs[e.jobOf(task)]
		if q == w.backstop && j == nil {
			continue // it may have been another subscriber's
		}
		if j == nil || j.rec.N == 0 && (j.rec.State == lifecycle.Queued || j.rec.State == lifecycle.Running) && q != w.backstop {
			w.failLocked("the message of %s to %s was deleted, and %v is not at its end", e, q.name, j)
		}
	}
}

// happenings are about events: a row in the outbox, a topic, and subscribers.
func happenings() []scenario {
	heard := func(states []lifecycle.State) ends { return ends{"a hear": states, "a feed": states} }
	return []scenario{
		{name: "event", steps: []step{publish(0, "a", happened, "note/1", "commit")}, ends: heard(done)},
		{
			name: "event: two of them, retried and dead",
			steps: []step{
				publish(0, "a", happened, "", "fail", "later", "commit"),
				publish(0, "b", happened, "", "permanent"),
			},
			ends: ends{"a hear": done, "a feed": done, "b hear": dead, "b feed": dead},
		},
		{
			name: "event: redriven",
			steps: []step{
				publish(0, "a", happened, "", "mortal"),
				when(sendBack(time.Minute, theLetters, theNotes), "a hear", isDead),
			},
			ends: ends{"a hear": done, "a feed": {lifecycle.Dead, lifecycle.Done}},
		},
		{name: "event: killer", steps: []step{publish(0, "a", happened, "", "ok die", "commit"), enqueue(0, "b", write, []string{"ok"})}, ends: heard(done)},
		{
			name:  "event: refused by its topic",
			begin: func(w *world) { w.happenings.refuses = badMessage },
			steps: []step{
				publish(0, "a", happened, "", "commit"),
				mishap(3*time.Minute, func(w *world) error { w.happenings.refuses = ""; return nil }),
				resendRefused(4 * time.Minute),
			},
			ends: heard(done),
		},
		{
			name:  "event: topic takes nothing",
			begin: func(w *world) { w.happenings.refuses = "KMSThrottled" },
			steps: []step{
				publish(0, "a", happened, "", "commit"), publish(time.Second, "b", happened, "", "quick"),
				mishap(5*time.Minute, func(w *world) error { w.happenings.refuses = ""; return nil }),
			},
			ends: ends{"a hear": done, "a feed": done, "b hear": done, "b feed": done},
		},
		{name: "event: relay record lost", loses: true, steps: []step{publishLost("a", "commit")}, ends: heard(done)},
		{
			// A message that nobody has received stands for no job yet: SQS is
			// trusted not to lose it.
			name:  "event: messages lost",
			loses: true,
			steps: []step{
				publish(0, "a", happened, "", "fail", "ok die", "commit"),
				when(lose(17*time.Second, theNotes), "a hear", func(store.Record) bool { return true }),
			},
			ends: heard(done),
		},
		{
			name: "event: order of a key",
			steps: []step{
				// Two in one batch of the relay: where the first fails, the second waits.
				publish(0, "a", inTurn, "k", "fail", "commit"), publish(0, "b", inTurn, "k", "permanent"),
				publish(2*time.Second, "c", inTurn, "k", "commit"), publish(2*time.Second, "d", inTurn, "l", "quick"),
			},
			ends: ends{"a hear-in-turn": done, "b hear-in-turn": dead, "c hear-in-turn": done, "d hear-in-turn": done},
		},
		{
			name:  "event: to the backstop",
			begin: func(w *world) { w.hideNotes = true },
			steps: []step{
				publish(0, "a", happened, "", "commit"), moveAll(time.Second, theNotes, theBackstop),
				mishap(time.Second, func(w *world) error { w.hideNotes = false; return nil }),
				publish(30*time.Second, "b", happened, "", "ok commit"), moveAll(35*time.Second, theNotes, theBackstop),
			},
			ends: ends{"a hear": done, "a feed": done, "b hear": done, "b feed": done},
		},
	}
}
