package nightshifttest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// More receives than a queue allows bring a message to the backstop, which heals it.
func TestMoreRunsThanReceives(t *testing.T) {
	for _, task := range []job.Task[Count]{counting, job.Define[Count]("tally", job.Policy{Queue: mails})} {
		k := nightshifttest.New(t, nightshifttest.Config{}, task)
		k.Serve(worker.Handle(task, func(_ context.Context, j *job.Job[Count]) error {
			n, _, err := job.Cursor[int](j)
			if err != nil || n == 1100 {
				return err
			}
			return job.Continue(n + 1)
		}))
		var options []job.Option
		if task.Definition().Policy.Queue.FIFO {
			options = append(options, job.Group("soups"))
		}
		id := enqueue(t, k, task.With(Count{Shelf: "soups"}), options...)
		k.RunAll(t.Context())
		k.WantState(id, lifecycle.Done)
	}
}

// In a bubble the kit's clock may go on while handlers sleep; nothing waits in earnest.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := nightshifttest.New(t, nightshifttest.Config{Now: time.Now}, index)
		k.Serve(worker.Handle(index, func(ctx context.Context, j *job.Job[Mail]) error {
			if j.Attempt == 1 {
				<-ctx.Done() // its time is up after five seconds
				return ctx.Err()
			}
			time.Sleep(time.Second)
			return nil
		}))
		start := k.Now()
		id := enqueue(t, k, index.With(Mail{To: "ada"}))
		k.Drain(t.Context())
		if took := k.Now().Sub(start); took != 5*time.Second {
			t.Errorf("the first attempt took %v", took)
		}
		if rec := k.Record(id); rec.Error == nil || rec.Error.Code != "timeout" {
			t.Errorf("its error is %v", rec.Error)
		}
		k.RunAll(t.Context())
		k.WantState(id, lifecycle.Done)
	})
}

func TestAHandlerThatIgnoresItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		wantFailure(t, func(t testing.TB) {
			k := nightshifttest.New(t, nightshifttest.Config{}, index)
			k.Serve(worker.Handle(index, func(context.Context, *job.Job[Mail]) error { <-goOn; return nil }))
			enqueue(t, k, index.With(Mail{To: "ada"}))
			k.Drain(context.Background())
		}, `a handler of queue "mails" ignored the end of its context`, "of mail.index", "attempt 1 begins")
		close(goOn)
	})
}

// A kit is the same each time, whatever is drawn in it.
func TestTheSameEachTime(t *testing.T) {
	run := func(seed uint64) (history string) {
		k := nightshifttest.New(t, nightshifttest.Config{Seed: seed, Shuffle: true, Duplicates: true}, index, counting)
		k.Serve(worker.Handle(index, func(_ context.Context, j *job.Job[Mail]) error {
			history += "index " + j.Args.To + " "
			if j.Attempt < 4 {
				return errAway
			}
			return nil
		}))
		k.Serve(worker.Handle(counting, func(_ context.Context, j *job.Job[Count]) error {
			history += fmt.Sprint("count ", j.Args.N, " ")
			return nil
		}))
		for i := range 5 {
			enqueue(t, k, index.With(Mail{To: fmt.Sprint(i)}))
			enqueue(t, k, counting.With(Count{N: i}), job.Group(fmt.Sprint("g", i)))
		}
		k.RunAll(t.Context())
		for _, j := range nightshifttest.Enqueued(k, index) {
			history += string(j.ID) + fmt.Sprint(k.History(j.ID))
		}
		return history
	}
	first := run(1)
	if again := run(1); again != first {
		t.Errorf("the same seed gave\n%s\nand\n%s", first, again)
	}
	if run(2) == first {
		t.Error("another seed gave the same run")
	}
}

// An effect in a third party's hands happens once with idempotency.Once, however often
// its job runs.
func TestDuplicatesFindWhatIsNotIdempotent(t *testing.T) {
	for _, safe := range []bool{false, true} {
		k := nightshifttest.New(t, nightshifttest.Config{Duplicates: true}, sendMail)
		records := k.Idempotency()
		mailed := 0
		mail := func(context.Context) (Sent, error) { mailed++; return Sent{Receipt: fmt.Sprint(mailed)}, nil }
		k.Serve(worker.HandleResult(sendMail, func(ctx context.Context, j *job.Job[Mail]) (Sent, error) {
			if !safe {
				return mail(ctx)
			}
			return idempotency.Once(ctx, records, idempotency.Key{Scope: "mail", ID: j.Key("mail")}, mail)
		}))
		id := enqueue(t, k, sendMail.With(Mail{To: "ada"}))
		k.Drain(t.Context())
		k.WantState(id, lifecycle.Done)
		if want := map[bool]int{false: 2, true: 1}[safe]; mailed != want {
			t.Errorf("safe %v: %d mails, want %d", safe, mailed, want)
		}
		if rec := k.Record(id); rec.Attempt != 2 || rec.Deaths != 1 {
			t.Errorf("the row is %+v", rec)
		}
	}
}

// Nothing is ever delivered out of its group's order.
func TestOrderInGroups(t *testing.T) {
	for seed := range uint64(20) {
		for _, c := range []nightshifttest.Config{{}, {Shuffle: true}, {Duplicates: true, Shuffle: true}, {Batches: true}} {
			c.Seed = seed
			k := nightshifttest.New(t, c, counting)
			var mu sync.Mutex
			done := map[string][]int{}
			k.Serve(worker.Handle(counting, func(_ context.Context, j *job.Job[Count]) error {
				if j.Attempt == 1 && j.Args.N == 1 {
					return errAway // its successors wait for it
				}
				mu.Lock()
				defer mu.Unlock()
				done[j.Args.Shelf] = append(done[j.Args.Shelf], j.Args.N)
				return nil
			}))
			for n := range 4 {
				for _, shelf := range []string{"soups", "cakes"} {
					enqueue(t, k, counting.With(Count{Shelf: shelf, N: n}), job.Group(shelf))
				}
			}
			k.RunAll(t.Context())
			if len(done["soups"]) < 4 || len(done["cakes"]) < 4 {
				t.Fatalf("%+v: not all ran: %v", c, done)
			}
			for shelf, order := range done {
				for i := range len(order) - 1 {
					if order[i+1] < order[i] {
						t.Fatalf("%+v: %s ran in order %v", c, shelf, order)
					}
				}
			}
			for _, j := range nightshifttest.Enqueued(k, counting) {
				k.WantState(j.ID, lifecycle.Done)
			}
		}
	}
}

func TestShuffleFindsWhatRestsOnOrder(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(40) {
		k := nightshifttest.New(t, nightshifttest.Config{Seed: seed, Shuffle: true}, index)
		order := ""
		k.Serve(worker.Handle(index, func(_ context.Context, j *job.Job[Mail]) error { order += j.Args.To; return nil }))
		for _, to := range []string{"a", "b", "c"} {
			enqueue(t, k, index.With(Mail{To: to}))
		}
		k.Drain(t.Context())
		orders[order] = true
	}
	if len(orders) != 6 {
		t.Errorf("40 seeds gave %d of 6 orders: %v", len(orders), orders)
	}
}

func BenchmarkKit(b *testing.B) {
	for b.Loop() {
		k := nightshifttest.New(b, nightshifttest.Config{}, sendMail)
		k.Serve(worker.HandleResult(sendMail, sent))
		enqueue(b, k, sendMail.With(Mail{To: "ada"}))
		k.RunAll(context.Background())
	}
}
