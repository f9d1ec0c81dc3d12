package producer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func TestWhatFollowsIsPartOfTheJobsOneWrite(t *testing.T) {
	p, jobs, d := newProducer(t)
	id, err := p.Enqueue(t.Context(), write.With(note{Text: "first"}),
		job.Then(write.With(note{Text: "<second>"}), job.In(time.Hour), job.Then(post.With(note{Text: "third"}), job.Group("g"))),
		job.Finally(write.With(note{Text: "told"}), job.ByClient("bob")), job.ByClient("ann"))
	if err != nil || d.writes != 1 {
		t.Fatalf("Enqueue: %d writes, %v", d.writes, err)
	}
	if all, err := jobs.Get(t.Context(), id); err != nil || all.Follow.Bytes() > 500 {
		t.Errorf("follow-ups of %d bytes, %v", all.Follow.Bytes(), err)
	}
	if _, err := jobs.Get(t.Context(), id.Follow(0)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the second is there before the first has ended: %v", err)
	}
	end := func(id job.ID) {
		t.Helper()
		claim, err := jobs.Claim(t.Context(), id, store.Lease{Token: string(id), Until: now.Add(time.Minute)})
		if err == nil {
			_, err = jobs.Finish(t.Context(), claim.Record, lifecycle.Outcome{To: lifecycle.Done})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	end(id)
	second, err := jobs.Get(t.Context(), id.Follow(0))
	if err != nil || string(second.Args) != `{"text":"<second>"}` || second.Client != "ann" || second.MaxAttempts != 7 ||
		second.State != lifecycle.Scheduled || !second.NotBefore.Equal(now.Add(time.Hour)) {
		t.Errorf("the second is %+v, %v", second, err)
	}
	told, err := jobs.Get(t.Context(), id.Follow(1))
	if err != nil || told.Client != "bob" || *told.Follows != (job.Follows{Job: id, State: "done"}) {
		t.Errorf("the other is %+v, %v", told, err)
	}
	third, err := second.Follow.FollowUps()
	if err != nil || len(third) != 1 || third[0].Group != "g" || !third[0].FIFO || string(third[0].Args) != `{"text":"third"}` {
		t.Errorf("the third is to be %+v, %v", third, err)
	}
}

func TestWhatMayNotFollow(t *testing.T) {
	p, _, d := newProducer(t)
	second := write.With(note{Text: "second"})
	ten := make([]job.Option, producer.MostFollowUps+1)
	for i := range ten {
		ten[i] = job.Then(second)
	}
	stranger := job.Define[note]("note.other", job.Policy{Queue: load("notes")})
	for name, c := range map[string]struct {
		option job.Option
		want   error
	}{
		"an unknown task":   {job.Then(stranger.With(note{Text: "x"})), producer.ErrUnknownTask},
		"bad arguments":     {job.Finally(write.With(note{})), producer.ErrArguments},
		"large arguments":   {job.Then(write.With(note{Text: strings.Repeat("x", 65)})), producer.ErrTooLarge},
		"an id":             {job.Then(second, job.WithID(job.IDOf([16]byte{1}), "")), producer.ErrOptions},
		"a unique job":      {job.Then(second, job.Unique("k")), producer.ErrOptions},
		"no group":          {job.Then(post.With(note{Text: "x"})), producer.ErrOptions},
		"a group":           {job.Then(second, job.Group("g")), producer.ErrOptions},
		"a negative delay":  {job.Then(second, job.In(-1)), producer.ErrOptions},
		"two times":         {job.Then(second, job.In(1), job.At(now)), producer.ErrOptions},
		"too many":          {func(o *job.Options) { *o = job.Apply(ten...) }, producer.ErrOptions},
		"a bad one in turn": {job.Then(second, job.Finally(write.With(note{}))), producer.ErrArguments},
	} {
		if _, err := p.Enqueue(t.Context(), write.With(note{Text: "first"}), c.option); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if d.writes != 0 {
		t.Errorf("%d writes", d.writes)
	}
	_, err := p.Enqueue(t.Context(), write.With(note{Text: "first"}), job.Then(write.With(note{})), job.Then(second, job.Unique("k")))
	if err == nil || !strings.Contains(err.Error(), "follow-up 0") || !strings.Contains(err.Error(), "follow-up 1") {
		t.Errorf("two mistakes: %v", err)
	}
}

func TestFollowUpsHaveASize(t *testing.T) {
	large := job.Define[note]("note.large", job.Policy{Queue: load("notes")})
	_, jobs, _ := newProducer(t)
	p, err := producer.New(producer.Config{Jobs: jobs}, write, large)
	if err != nil {
		t.Fatal(err)
	}
	second := large.With(note{Text: strings.Repeat("x", 40<<10)})
	if _, err := p.Enqueue(t.Context(), write.With(note{Text: "first"}), job.Then(second)); err != nil {
		t.Error(err)
	}
	if _, err := p.Enqueue(t.Context(), write.With(note{Text: "first"}), job.Then(second), job.Then(second)); !errors.Is(err, producer.ErrTooLarge) {
		t.Errorf("80 KiB that follow: %v, want ErrTooLarge", err)
	}
	if _, err := p.NewBatch(t.Context(), "b", 1, large.With(note{Text: strings.Repeat("x", 70<<10)})); !errors.Is(err, producer.ErrTooLarge) {
		t.Errorf("70 KiB after a batch: %v, want ErrTooLarge", err)
	}
}
