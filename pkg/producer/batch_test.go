package producer_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// requests are as many notes, each with its number.
func requests(from, n int) []job.Request {
	all := make([]job.Request, n)
	for i := range all {
		all[i] = write.With(note{Text: "to a reader", N: int64(from + i)})
	}
	return all
}

func TestABatchIsMadeAndFilledOnce(t *testing.T) {
	p, jobs, _ := newProducer(t)
	make := func() *producer.Batch {
		b, err := p.NewBatch(t.Context(), "news/2026-W49", 250, write.With(note{Text: "all sent"}), job.In(time.Minute), job.ByClient("ann"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := make()
	if err := first.Add(t.Context(), 0, requests(0, 130)); err != nil { // and then its producer died
		t.Fatal(err)
	}
	again := make()
	if first.Member(7) != again.Member(7) || first.Last() != again.Last() || again.ID() != "news/2026-W49" {
		t.Error("the same call gave another batch")
	}
	if err := again.Add(t.Context(), 0, requests(0, 250), job.In(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for i := range 250 {
		rec, err := jobs.Get(t.Context(), first.Member(i))
		if err != nil || !strings.Contains(string(rec.Args), fmt.Sprintf(`"n":%d`, i)) && i > 0 {
			t.Fatalf("member %d: %+v, %v", i, rec, err)
		}
		if added := i < 130; added != (rec.State == lifecycle.Queued) {
			t.Errorf("member %d, added before %v, is %s", i, added, rec.State)
		}
		if _, err := jobs.Cancel(t.Context(), rec.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	b, err := p.Batch(t.Context(), "news/2026-W49")
	if err != nil || b.Cancelled != 250 || b.Finished.IsZero() {
		t.Errorf("it stands at %+v, %v", b, err)
	}
	last, err := jobs.Get(t.Context(), first.Last())
	if err != nil || last.Follows == nil || last.Follows.Batch != b.ID || last.Client != "ann" || !last.NotBefore.Equal(now.Add(time.Minute)) {
		t.Errorf("the last is %+v, %v", last, err)
	}
	if err := make().Add(t.Context(), 0, requests(0, 250)); err != nil { // it has ended
		t.Fatal(err)
	}
}

func TestWritesAddMembersInSomebodysTransaction(t *testing.T) {
	p, jobs, _ := newProducer(t)
	b, err := p.NewBatch(t.Context(), "b", 3, write.With(note{Text: "after"}))
	if err != nil {
		t.Fatal(err)
	}
	writes, err := b.Writes(t.Context(), 1, requests(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if err := jobs.Transact(t.Context(), writes...); err != nil {
		t.Fatal(err)
	}
	var failed *store.ConditionError
	if err := jobs.Transact(t.Context(), writes...); !errors.As(err, &failed) {
		t.Errorf("a second time: %v, want a condition", err)
	}
	if err := b.Add(t.Context(), 0, requests(0, 3)); err != nil {
		t.Fatal(err)
	}
	if rec, err := jobs.Get(t.Context(), b.Member(0)); err != nil || rec.Follow == nil || rec.Follow.Member.Batch != "b" {
		t.Errorf("a member is %+v, %v", rec, err)
	}
}

func TestABatchThatNobodyFillsIsClosed(t *testing.T) {
	p, jobs, _ := newProducer(t)
	b, err := p.NewBatch(t.Context(), "b", producer.MaxMembers, write.With(note{Text: "after"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(t.Context(), 0, requests(0, 3)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Close(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := p.Batch(t.Context(), "b"); err != nil || s.Pending() != 3 || s.Skipped != producer.MaxMembers-3 {
		t.Errorf("it stands at %+v, %v", s, err)
	}
	for i := range 3 {
		if _, err := jobs.Cancel(t.Context(), b.Member(i), ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := jobs.Get(t.Context(), b.Last()); err != nil {
		t.Errorf("the last: %v", err)
	}
}

// A run that dies within Close is followed by one that meets more members: none is
// added, since a shard would take the end of one for the end of another, and the job
// after the batch would be early.
func TestACloseThatDiesIsGoneOnWith(t *testing.T) {
	const members = 130
	for survived := range 5 { // shards, of five
		p, jobs, d := newProducer(t)
		open := func() *producer.Batch {
			b, err := p.NewBatch(t.Context(), "b", 300, write.With(note{Text: "after"}))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		b := open()
		if err := b.Add(t.Context(), 0, requests(0, members)); err != nil {
			t.Fatal(err)
		}
		if _, closed := open().Closed(); closed {
			t.Error("closed before Close")
		}
		dying, die := context.WithCancel(t.Context())
		d.transacted = func() {
			if survived--; survived < -1 { // the first transaction is the batch's
				die()
			}
		}
		if err := b.Close(dying, members); err == nil {
			t.Fatal("it did not die")
		}
		d.transacted = nil
		b = open()
		if n, closed := b.Closed(); !closed || n != members {
			t.Errorf("closed %v, with %d members", closed, n)
		}
		_, writes := b.Writes(t.Context(), members, requests(0, 1))
		if added := b.Add(t.Context(), members, requests(0, 1)); !errors.Is(added, producer.ErrOptions) || !errors.Is(writes, producer.ErrOptions) {
			t.Errorf("one more was added: %v, %v", added, writes)
		}
		if err := b.Close(t.Context(), members+1); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("closed with another number: %v", err)
		}
		if err := b.Close(t.Context(), members); err != nil {
			t.Fatal(err)
		}
		for i := range members {
			if _, err := jobs.Get(t.Context(), b.Last()); !errors.Is(err, store.ErrNotFound) {
				t.Fatalf("%d members have ended, and the job after them: %v", i, err)
			}
			if _, err := jobs.Cancel(t.Context(), b.Member(i), ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := jobs.Get(t.Context(), b.Last()); err != nil {
			t.Errorf("the job after the batch: %v", err)
		}
	}
}

func TestWhatABatchRefuses(t *testing.T) {
	p, _, _ := newProducer(t)
	after := write.With(note{Text: "after"})
	b, err := p.NewBatch(t.Context(), "b", 2, after)
	if err != nil {
		t.Fatal(err)
	}
	ended, err := p.NewBatch(t.Context(), "of none", 0, after)
	if err != nil {
		t.Fatal(err)
	}
	_, none := p.Batch(t.Context(), "none")
	add := func(from int, r job.Request, options ...job.Option) error {
		return b.Add(t.Context(), from, []job.Request{r}, options...)
	}
	_, noID := p.NewBatch(t.Context(), "", 2, after)
	_, longID := p.NewBatch(t.Context(), strings.Repeat("x", 257), 2, after)
	_, tooMany := p.NewBatch(t.Context(), "c", producer.MaxMembers+1, after)
	_, negative := p.NewBatch(t.Context(), "c", -1, after)
	_, other := p.NewBatch(t.Context(), "b", 3, after)
	_, otherArgs := p.NewBatch(t.Context(), "b", 2, write.With(note{Text: "other"}))
	_, unique := p.NewBatch(t.Context(), "c", 2, after, job.Unique("k"))
	_, badArgs := p.NewBatch(t.Context(), "c", 2, write.With(note{}))
	for name, c := range map[string]struct{ got, want error }{
		"no id": {noID, producer.ErrOptions}, "long id": {longID, producer.ErrOptions}, "too many": {tooMany, producer.ErrOptions},
		"negative": {negative, producer.ErrOptions}, "another size": {other, producer.ErrOtherRequest}, "other arguments": {otherArgs, producer.ErrOtherRequest},
		"a unique last job": {unique, producer.ErrOptions}, "bad arguments": {badArgs, producer.ErrArguments}, "no such batch": {none, store.ErrNoBatch},
		"beyond the end":   {add(2, after), producer.ErrOptions},
		"a member of none": {ended.Add(t.Context(), 0, requests(0, 1)), producer.ErrOptions},
		"before the start": {add(-1, after), producer.ErrOptions},
		"a FIFO member":    {add(0, post.With(note{Text: "x"}), job.Group("g")), producer.ErrOptions},
		"a unique member":  {add(0, after, job.Unique("k")), producer.ErrOptions},
		"a member's id":    {add(0, after, job.WithID(job.IDOf([16]byte{1}), "")), producer.ErrOptions},
		"a bad member":     {add(0, write.With(note{})), producer.ErrArguments},
		"closed beyond":    {b.Close(t.Context(), 3), producer.ErrOptions},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// large is how many jobs the largest batch of the tests has: as many as a batch may
// have take half a minute.
var large = flag.Int("members", 10_000, "how many members the large batch has")

// Thousands of jobs end side by side, in any order and as they like; the one after
// them is made when the last of them has ended, and not before. All of them:
//
//	go test ./pkg/producer -run TestALargeBatch -members 100000
func TestALargeBatch(t *testing.T) {
	members := *large
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{Streamless: true})})
	if err != nil {
		t.Fatal(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs}, write)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.NewBatch(t.Context(), "b", members, write.With(note{Text: "after"}))
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < members; from += 1000 {
		if err := b.Add(t.Context(), from, requests(from, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	ends := []lifecycle.Outcome{{To: lifecycle.Done}, {To: lifecycle.Done}, {To: lifecycle.Dead, Err: errors.New("broken")}, {To: lifecycle.Cancelled}}
	var next atomic.Int64
	end := func(i int) {
		lease := store.Lease{Token: fmt.Sprint(i), Until: time.Now().Add(time.Hour)}
		claim, err := jobs.Claim(t.Context(), b.Member(i), lease)
		if err == nil {
			_, err = jobs.Finish(t.Context(), claim.Record, ends[i%len(ends)])
		}
		if err != nil {
			t.Error(err)
		}
	}
	var beside sync.WaitGroup
	for range 4 {
		beside.Go(func() {
			for i := next.Add(1); i < int64(members); i = next.Add(1) {
				end(int(i))
			}
		})
	}
	beside.Wait()
	if _, err := jobs.Get(t.Context(), b.Last()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("one member has not ended, and the job after them: %v", err)
	}
	end(0)
	if _, err := jobs.Get(t.Context(), b.Last()); err != nil {
		t.Errorf("all have ended, and the job after them: %v", err)
	}
	if s, err := p.Batch(t.Context(), "b"); err != nil || !slices.Equal([]int{s.Done, s.Dead, s.Cancelled, s.Pending()}, []int{members / 2, members / 4, members / 4, 0}) {
		t.Errorf("it stands at %+v, %v", s, err)
	}
}
