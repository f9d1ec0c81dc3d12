package deadletter_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestMistakes(t *testing.T) {
	if _, err := deadletter.New(deadletter.Config{Hold: time.Second}); err == nil {
		t.Error("no error")
	} else {
		for _, want := range []string{"Jobs is missing", "SQS is missing", "Letters is missing", "Hold is 1s"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
	w := newWorld(t, nil)
	now := time.Now()
	for name, o := range map[string]deadletter.Options{
		"Max is -1": {Max: -1}, "Rate is -1": {Rate: -1}, "Rate is NaN": {Rate: math.NaN()}, "Rate is +Inf": {Rate: math.Inf(1)},
		"nothing lies": {Filter: deadletter.Filter{Since: now, Before: now}},
	} {
		if _, err := w.queue.List(t.Context(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.queue.Drop(t.Context(), deadletter.Options{}); !errors.Is(err, deadletter.ErrNoFilter) {
		t.Errorf("dropping all unasked: %v", err)
	}
	if w.sqs.receives != 0 {
		t.Error("SQS was asked")
	}
}

// list gives what a listing shows.
func (w *world) list(o deadletter.Options) (deadletter.Summary, []deadletter.Letter) {
	w.t.Helper()
	var all []deadletter.Letter
	o.Each = func(r deadletter.Result) { all = append(all, r.Letter) }
	summary, err := w.queue.List(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return summary, all
}

func TestListGivesEachLetterOnceAndChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		want := map[job.ID]deadletter.Standing{}
		for i := range 35 {
			id := w.dead(nil)
			want[id] = deadletter.Current
			if i%3 == 0 {
				if _, err := deadletter.RedriveJob(t.Context(), w.jobs, id); err != nil {
					t.Fatal(err)
				}
				want[id] = deadletter.Stale
			}
		}
		lost, err := w.jobs.NewID()
		if err != nil {
			t.Fatal(err)
		}
		want[lost] = deadletter.Gone
		body, err := queue.Message{ID: lost, N: 2, Letter: &queue.Letter{Reason: "boom"}}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		w.put(queue.Incoming{Body: body})
		for range 2 {
			summary, all := w.list(deadletter.Options{})
			got := map[job.ID]deadletter.Standing{}
			for _, l := range all {
				got[l.Job] = l.Standing
			}
			if len(all) != 36 || !reflect.DeepEqual(got, want) || summary.Seen != 36 || summary.By[deadletter.Listed] != 36 || w.left() != 36 {
				t.Errorf("%+v: %d letters, %v", summary, len(all), got)
			}
		}
	})
}

// A receive may bring nothing although there are letters.
func TestEmptyReceivesAreNotTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 95 {
			w.dead(nil)
		}
		w.sqs.empty = map[int]bool{3: true, 4: true, 9: true}
		if summary, _ := w.redrive(deadletter.Options{}); summary.By[deadletter.Redriven] != 95 || w.left() != 0 || summary.Unseen != 0 {
			t.Errorf("%+v", summary)
		}
		w.dead(nil)
		w.sqs.receives, w.sqs.empty = 0, map[int]bool{}
		for i := range 100 {
			w.sqs.empty[i] = true
		}
		if summary, _ := w.redrive(deadletter.Options{}); summary.Unseen != 1 || w.sqs.receives > 15 {
			t.Errorf("a queue that keeps its letter: %+v after %d receives", summary, w.sqs.receives)
		}
	})
}

// As many messages are in flight as SQS permits: the run does what it can, and
// says that there are more.
func TestTooManyInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 15 {
			w.dead(nil)
		}
		calls := 0
		w.sqs.fail = func(call string) error {
			if call == "receive" {
				if calls++; calls > 1 {
					return fmt.Errorf("receiving: %w", &types.OverLimit{})
				}
			}
			return nil
		}
		if summary, all := w.list(deadletter.Options{}); len(all) != 10 || summary.Unseen != 5 || calls != 2 || w.left() != 15 {
			t.Errorf("%+v: %d letters, %d receives", summary, len(all), calls)
		}
	})
}

func TestDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		ann, bob := w.dead(nil), w.dead(func(n *store.NewJob) { n.Client = "bob" })
		o := deadletter.Options{Filter: deadletter.Filter{Client: "bob"}, DryRun: true}
		if summary, err := w.queue.Drop(t.Context(), o); err != nil || summary.By[deadletter.Dropped] != 1 || w.left() != 2 {
			t.Errorf("a dry run: %+v, %v", summary, err)
		}
		o.DryRun = false
		if summary, err := w.queue.Drop(t.Context(), o); err != nil || summary.By[deadletter.Dropped] != 1 || summary.Seen != 2 || w.left() != 1 {
			t.Errorf("%+v, %v", summary, err)
		}
		for _, id := range []job.ID{ann, bob} {
			if rec := w.get(id); rec.State != "dead" {
				t.Errorf("a row is %s", rec.State)
			}
		}
		w.put(queue.Incoming{Body: "Hello?"})
		if summary, err := w.queue.Drop(t.Context(), deadletter.Options{All: true}); err != nil || summary.By[deadletter.Dropped] != 2 || w.left() != 0 {
			t.Errorf("all: %+v, %v", summary, err)
		}
	})
}

func TestMaxAndDryRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 23 {
			w.dead(nil)
		}
		if summary, _ := w.redrive(deadletter.Options{Max: 12, DryRun: true}); summary.By[deadletter.Redriven] != 12 || w.left() != 23 {
			t.Errorf("a dry run: %+v", summary)
		}
		if _, all := w.list(deadletter.Options{}); len(all) != 23 || all[0].Standing != deadletter.Current {
			t.Errorf("the dry run changed something: %+v", all)
		}
		if summary, _ := w.redrive(deadletter.Options{Max: 12}); summary.By[deadletter.Redriven] != 12 || summary.Matched != 12 || w.left() != 11 {
			t.Errorf("%+v", summary)
		}
	})
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 21 {
			w.dead(nil)
		}
		began := time.Now()
		w.redrive(deadletter.Options{Rate: 2, Max: 21})
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("21 letters at 2 a second took %v", took)
		}
	})
}

// A run that lasts much longer than a hold keeps its letters hidden, and acts on
// each once: those that wait for their turn, and those that it only holds.
func TestHoldsAreRenewed(t *testing.T) {
	for name, c := range map[string]struct {
		rate float64
		slow time.Duration // each call to the table
	}{"a slow rate": {1.0 / 20, 0}, "a slow table": {0, 5 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(c *deadletter.Config) { c.Hold = 30 * time.Second })
				for i := range 60 {
					w.dead(func(n *store.NewJob) { n.Client = fmt.Sprint("c", min(i/10, 1)) })
				}
				w.faults.At = func(int) fault.Kind {
					time.Sleep(c.slow)
					return fault.None
				}
				summary, _ := w.redrive(deadletter.Options{Rate: c.rate, Filter: deadletter.Filter{Client: "c1"}})
				receives := 0
				for _, m := range w.sqs.messages {
					receives = max(receives, m.Receives)
				}
				if summary.Seen != 60 || summary.By[deadletter.Redriven] != 50 || w.left() != 10 || receives != 1 {
					t.Errorf("%+v: received up to %d times", summary, receives)
				}
			})
		})
	}
}

// Where holds can't be renewed, letters come again and are known.
func TestLettersThatComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(c *deadletter.Config) { c.Hold = 30 * time.Second })
		for i := range 20 {
			w.dead(func(n *store.NewJob) { n.Client = fmt.Sprint("c", i%2) })
		}
		w.sqs.fail = func(call string) error {
			if call == "hide" {
				return errors.New("longer than twelve hours")
			}
			return nil
		}
		summary, all := w.list(deadletter.Options{Rate: 0.05, Filter: deadletter.Filter{Client: "c1"}})
		again := 0
		for _, m := range w.sqs.messages {
			again = max(again, m.Receives)
		}
		if len(all) != 10 || summary.Seen != 20 || again < 2 || summary.Hidden == 0 {
			t.Errorf("%+v: %d letters, received up to %d times", summary, len(all), again)
		}
	})
}

// Letters that can't be made visible are counted.
func TestLettersThatStayHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.dead(nil)
		w.sqs.fail = func(call string) error {
			if call == "hide" {
				return errors.New("down")
			}
			return nil
		}
		if summary, _ := w.list(deadletter.Options{}); summary.Hidden != 1 {
			t.Errorf("%+v", summary)
		}
		time.Sleep(deadletter.DefaultHold)
		if w.left() != 1 {
			t.Error("the letter is not back")
		}
	})
}

// Jobs of a FIFO queue start anew in their order, however
// SQS hands out their letters.
func TestAFIFOQueueKeepsItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		var made []job.ID
		for range 15 {
			made = append(made, w.enqueue(nil))
			time.Sleep(time.Second)
		}
		for i := range made {
			w.die(made[len(made)-1-i])
		}
		fifo, err := deadletter.New(deadletter.Config{Jobs: w.jobs, SQS: fifoDouble{w.sqs}, Address: queue.Address{URL: source + ".fifo", Letters: letters + ".fifo"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []job.ID
		summary, err := fifo.Redrive(t.Context(), deadletter.Options{Max: 12, Each: func(r deadletter.Result) { got = append(got, r.Letter.Job) }})
		if err != nil || !reflect.DeepEqual(got, made[:12]) || w.left() != 3 {
			t.Errorf("%+v, %v: %v, made %v", summary, err, got, made)
		}
	})
}

// fifoDouble answers for the FIFO queue of another name.
type fifoDouble struct{ *sqsDouble }

func (f fifoDouble) Receive(ctx context.Context, url string, ask queue.Ask) ([]queue.Incoming, error) {
	return f.sqsDouble.Receive(ctx, strings.TrimSuffix(url, ".fifo"), ask)
}
