package nightshifttest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

var (
	follows = job.Queue{Name: "follows", PeakArrivals: 5, ServiceTime: time.Second, LongestWait: time.Minute}
	fetch   = job.Define[Mail]("mail.fetch", job.Policy{Queue: follows, MaxAttempts: 3})
	archive = job.Define[Mail]("mail.archive", job.Policy{Queue: follows, MaxAttempts: 3})
	tell    = job.Define[Mail]("mail.tell", job.Policy{Queue: follows, MaxAttempts: 3})
)

// A follower is an application whose jobs follow one another; it notes what it does.
type follower struct {
	kit  *nightshifttest.Kit
	did  []string
	fail bool
}

func newFollower(t *testing.T, config nightshifttest.Config) *follower {
	f := &follower{kit: nightshifttest.New(t, config, fetch, archive, tell)}
	note := func(_ context.Context, j *job.Job[Mail]) error {
		if f.fail && j.Task == fetch.Definition().Name {
			return job.Fail(errAway)
		}
		f.did = append(f.did, j.Task)
		return nil
	}
	f.kit.Serve(worker.Handle(fetch, note), worker.Handle(archive, note), worker.Handle(tell, func(ctx context.Context, j *job.Job[Mail]) error {
		if j.Follows.Batch == "" {
			f.did = append(f.did, fmt.Sprintf("told that it is %s", j.Follows.State))
			return nil
		}
		b, err := worker.Batch(ctx, j)
		f.did = append(f.did, fmt.Sprintf("told that %d of %d are done", b.Done, b.Total))
		return err
	}))
	return f
}

// What follows a job is enqueued with its end, also by processes that die, and by RunAll.
func TestJobsThatFollow(t *testing.T) {
	for _, c := range []struct {
		name       string
		duplicates bool
		fail       bool
		want       []string
	}{
		{"done", false, false, []string{"mail.fetch", "told that it is done", "mail.archive"}},
		{"dead", false, true, []string{"told that it is dead"}},
		{"done, and processes die", true, false, []string{"mail.fetch", "mail.fetch", "told that it is done", "told that it is done", "mail.archive", "mail.archive"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFollower(t, nightshifttest.Config{Duplicates: c.duplicates})
			f.fail = c.fail
			start := f.kit.Now()
			id, err := f.kit.Producer.Enqueue(t.Context(), fetch.With(Mail{To: "ada"}),
				job.Then(archive.With(Mail{To: "ada"}), job.In(time.Hour)), job.Finally(tell.With(Mail{To: "ada"})))
			if err != nil {
				t.Fatal(err)
			}
			f.kit.RunAll(t.Context())
			if !slices.Equal(f.did, c.want) {
				t.Errorf("did %q, want %q", f.did, c.want)
			}
			want := lifecycle.Done
			if c.fail {
				want = lifecycle.Dead
			}
			f.kit.WantState(id, want)
			if later := f.kit.Now().Sub(start); !c.fail && later < time.Hour {
				t.Errorf("what was to follow in an hour ran after %v", later)
			}
		})
	}
}

// A batch's last member, and only that, brings about the job after it; also where each
// process dies once.
func TestBatches(t *testing.T) {
	for _, duplicates := range []bool{false, true} {
		f := newFollower(t, nightshifttest.Config{Duplicates: duplicates, Shuffle: true, Seed: 3})
		b, err := f.kit.Producer.NewBatch(t.Context(), "issue/2026-W49", 3, tell.With(Mail{To: "editor"}))
		if err != nil {
			t.Fatal(err)
		}
		var letters []job.Request
		for _, to := range []string{"ada", "bob", "eve"} {
			letters = append(letters, archive.With(Mail{To: to}))
		}
		if err := b.Add(t.Context(), 0, letters); err != nil {
			t.Fatal(err)
		}
		f.kit.RunAll(t.Context())
		runs, times := 3, 1
		if duplicates {
			runs, times = 6, 2
		}
		want := append(slices.Repeat([]string{"mail.archive"}, runs), slices.Repeat([]string{"told that 3 of 3 are done"}, times)...)
		if !slices.Equal(f.did, want) {
			t.Errorf("duplicates %v: did %q", duplicates, f.did)
		}
		nightshifttest.WantEnqueued(f.kit, tell, Mail{To: "editor"})
		if ended, err := f.kit.Producer.Batch(t.Context(), "issue/2026-W49"); err != nil || ended.Done != 3 {
			t.Errorf("the batch: %+v, %v", ended, err)
		}
	}
}

// A handler's own commit counts as the end of its run, with what follows.
func TestACommitWithWhatFollows(t *testing.T) {
	kit := nightshifttest.New(t, nightshifttest.Config{Duplicates: true, Tables: map[string][]string{"notes": {"id"}}}, fetch, archive)
	runs := 0
	kit.Serve(worker.Handle(fetch, func(ctx context.Context, j *job.Job[Mail]) error {
		runs++
		return worker.Commit(ctx, j, store.Write{Op: store.Put, Table: "notes", Item: store.Item{"id": &types.AttributeValueMemberS{Value: j.Args.To}}, Condition: "attribute_not_exists(id)"})
	}), worker.Handle(archive, func(context.Context, *job.Job[Mail]) error { return nil }))
	id, err := kit.Producer.Enqueue(t.Context(), fetch.With(Mail{To: "ada"}), job.Then(archive.With(Mail{To: "ada"})))
	if err != nil {
		t.Fatal(err)
	}
	kit.RunAll(t.Context())
	if kit.WantState(id, lifecycle.Done); runs != 1 || len(kit.Rows("notes")) != 1 {
		t.Errorf("%d runs, %d rows", runs, len(kit.Rows("notes")))
	}
	kit.WantState(id.Follow(0), lifecycle.Done)
}
