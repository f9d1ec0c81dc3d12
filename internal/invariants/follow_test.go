package invariants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// An entailment is what the test knows of what a job's end entails.
type entailment struct {
	// followUps are as the job was made, or as a newer one replaced them.
	followUps []store.FollowUp
	// member is its place in a batch.
	member *store.Member
	// first is how it ended the first time, and isDone tells that it was done.
	first  lifecycle.State
	isDone bool
}

// entails takes note of what a row says of its end, and of that end.
func (w *world) entails(j *tracked, old, now store.Record) {
	if waits := func(s lifecycle.State) bool { return s == lifecycle.Queued || s == lifecycle.Scheduled }; waits(now.State) && (old.State == lifecycle.None || waits(old.State)) && !j.redriven {
		followUps, err := now.Follow.FollowUps()
		if err != nil {
			w.failLocked("%s: %v", j, err)
		}
		j.entailment.followUps = followUps
	}
	if now.Follow != nil && now.Follow.Member != nil {
		j.member = now.Follow.Member
	}
	if now.State.Final() && j.first == lifecycle.None {
		j.first = now.State
	}
	j.isDone = j.isDone || now.State == lifecycle.Done
	if old.State == lifecycle.None && now.Follows != nil {
		w.followsLocked(j, *now.Follows)
	}
}

// followsLocked judges that a job was made by an end: what it follows has ended as it
// says, and every member of the batch has.
func (w *world) followsLocked(j *tracked, f job.Follows) {
	if f.Batch != "" {
		j.name = "after " + f.Batch
		members := 0
		for _, m := range w.jobs {
			if m.member == nil || m.member.Batch != f.Batch {
				continue
			}
			members++
			if m.first == lifecycle.None {
				w.failLocked("%s was made, and %s is %s", j, m, m.rec.State)
			}
		}
		if want := w.batches[f.Batch]; members != want {
			w.failLocked("%s was made after %d members, and there are %d", j, members, want)
		}
		return
	}
	before := w.jobs[f.Job]
	if before == nil || string(before.rec.State) != f.State || !before.rec.State.Final() {
		w.failLocked("%s was made by the end of %s as %s", j, before, f.State)
		return
	}
	for _, u := range before.followUps {
		if f.Job.Follow(u.Place) == j.id {
			j.name = fmt.Sprintf("%s.%d", before.name, u.Place)
			return
		}
	}
	w.failLocked("%s was made by the end of %s, which does not entail it", j, before)
}

// checkEntailed: what follows a job is there if and only if that ended so, and what
// follows a batch if its members have ended.
func (w *world) checkEntailed() {
	for _, j := range w.everyJob() {
		for _, u := range j.followUps {
			is := w.jobs[j.id.Follow(u.Place)] != nil
			if should := u.Always && j.first != lifecycle.None || j.isDone; is != should {
				w.failf("%s is %s, and that its follow-up %d exists is %v", j, j.rec.State, u.Place, is)
			}
		}
		if j.member != nil && j.first == lifecycle.None {
			w.failf("%s never ended", j)
		}
		if j.rec.Follow != nil && j.rec.State != lifecycle.Dead {
			w.failf("%s is %s, and something is to follow still", j, j.rec.State)
		}
	}
	for id, members := range w.batches {
		b, err := w.exact.Batch(context.Background(), id)
		if err != nil {
			w.failf("batch %s: %v", id, err)
			continue
		}
		ended := map[lifecycle.State]int{}
		for _, j := range w.jobs {
			if j.member != nil && j.member.Batch == id {
				ended[j.first]++
			}
		}
		if b.Finished.IsZero() || b.Pending() != 0 || b.Skipped != b.Total-members || w.jobs[b.Job] == nil ||
			b.Done != ended[lifecycle.Done] || b.Dead != ended[lifecycle.Dead] || b.Cancelled != ended[lifecycle.Cancelled] {
			w.failf("batch %s is %+v, and its members ended as %v", id, b, ended)
		}
	}
}

// fill makes a batch that has room for two more than there are members, adds those
// and closes it, each time that it is tried anew from the beginning.
func fill(at time.Duration, id string, members ...[]string) step {
	return step{at, "producer", func(w *world, p *process, ctx context.Context) error {
		w.mu.Lock()
		w.batches[id] = len(members)
		w.mu.Unlock()
		make, err := producer.New(producer.Config{Jobs: p.jobs}, write)
		if err != nil {
			return err
		}
		b, err := make.NewBatch(ctx, id, len(members)+2, write.With(note{Does: []string{"tally"}}))
		if err != nil {
			return err
		}
		var requests []job.Request
		for _, does := range members {
			requests = append(requests, write.With(note{Does: does}))
		}
		if err := b.Add(ctx, 0, requests); err != nil {
			return err
		}
		for i := range members {
			if rec, err := w.exact.Get(context.Background(), b.Member(i)); err != nil {
				w.failf("member %d of %s was added: %v", i, id, err)
			} else {
				w.accept(rec, fmt.Sprintf("%s.%d", id, i), true)
			}
		}
		return b.Close(ctx, len(members))
	}}
}

// watch asks how a batch stands until it has ended.
func watch(at time.Duration, id string) step {
	return step{at, "watcher", func(w *world, p *process, ctx context.Context) error {
		make, err := producer.New(producer.Config{Jobs: p.jobs}, write)
		if err != nil {
			return err
		}
		b, err := make.Batch(ctx, id)
		if err == nil && b.Pending() > 0 {
			err = fmt.Errorf("%d members are pending", b.Pending())
		}
		return err
	}}
}

// tally is what the job after a batch does.
func (w *world) tally(ctx context.Context, j *job.Job[note]) error {
	b, err := worker.Batch(ctx, j)
	if err == nil && (b.Pending() != 0 || b.Finished.IsZero()) {
		w.failf("the job after batch %s finds %+v", b.ID, b)
	}
	return err
}

// cancelIt lets an application cancel a job. That it has ended is an answer, too.
func cancelIt(at time.Duration, name string) step {
	return step{at, "application", func(w *world, p *process, ctx context.Context) error {
		make, err := producer.New(producer.Config{Jobs: p.jobs}, write)
		if err != nil {
			return err
		}
		_, err = make.Cancel(ctx, idOf(name))
		if errors.Is(err, store.ErrFinished) {
			err = nil
		}
		return err
	}}
}

// followingUp is the task of follow-ups.
var followingUp = define("note.follow", notes, taskTime, job.Uniqueness{})

// followed are the options of a job that one follows when it is done, and another one
// whatever becomes of it.
func followed() []job.Option {
	return []job.Option{
		job.Then(followingUp.With(note{Does: []string{"quick"}}), job.Then(followingUp.With(note{Does: []string{"commit"}}))),
		job.Finally(followingUp.With(note{Does: []string{"quick"}})),
	}
}

// consequences are about chains, completion hooks and batches.
func consequences() []scenario {
	return []scenario{
		{
			name:  "chain",
			steps: []step{enqueue(0, "a", write, []string{"commit"}, followed()...)},
			ends:  ends{"a": done, "a.0": done, "a.0.0": done, "a.1": done},
		},
		{
			name: "chain: redriven",
			steps: []step{
				enqueue(0, "a", write, []string{"mortal"}, followed()...),
				when(sendBack(time.Minute, theLetters, theNotes), "a", isDead),
			},
			ends: ends{"a": done, "a.0": done, "a.0.0": done, "a.1": done},
		},
		{
			name: "chain: cancelled",
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}, append(followed(), job.In(2*time.Minute))...),
				enqueue(0, "b", write, []string{"ok"}, append(followed(), job.In(2*time.Minute))...),
				enqueue(0, "c", write, []string{"ok fail"}, followed()...),
				remove(5*time.Second, "a"), cancelIt(6*time.Second, "b"), cancelIt(7*time.Second, "c"),
			},
			ends: ends{"a": cancelled, "a.1": done, "b": cancelled, "b.1": done, "c": {lifecycle.Cancelled, lifecycle.Dead}, "c.1": done},
		},
		{
			name:  "chain: refused message",
			begin: func(w *world) { w.refuse(w.notes, refused) },
			steps: []step{enqueue(0, "a", write, []string{"ok"}, followed()...)},
			ends:  ends{"a": dead, "a.1": dead},
		},
		{
			name:  "chain: killer",
			steps: []step{enqueue(0, "a", write, []string{"ok die"}, followed()...)},
			ends:  ends{"a": dead, "a.1": done},
		},
		{
			name:  "chain: orphan",
			loses: true,
			steps: []step{
				enqueue(0, "a", write, []string{"ok die", "ok"}, followed()...),
				remove(13*time.Second, "a"), lose(20*time.Second, theNotes),
			},
			ends: ends{"a": either, "a.1": done},
		},
		{
			name: "chain: orphan in the backstop",
			steps: []step{
				enqueue(0, "a", write, []string{"ok die"}, followed()...), remove(5*time.Second, "a"),
				moveAll(13*time.Second, theNotes, theBackstop),
			},
			ends: ends{"a": {lifecycle.Cancelled, lifecycle.Dead}, "a.1": done},
		},
		{
			name: "chain: newest wins",
			steps: []step{
				enqueueUnique(0, "a", replace, []string{"quick"}, append(followed(), job.In(30*time.Second))...),
				enqueueUnique(5*time.Second, "b", replace, []string{"ok"}, job.In(30*time.Second)),
			},
		},
		{
			name:  "members",
			steps: []step{fill(0, "news", []string{"ok"}, []string{"commit"}, []string{"permanent"}), watch(time.Second, "news")},
			ends:  ends{"news.0": done, "news.1": done, "news.2": dead, "after news": done},
		},
		{
			name: "members: none, and redriven",
			steps: []step{
				fill(0, "none"), fill(0, "news", []string{"mortal"}),
				when(sendBack(time.Minute, theLetters, theNotes), "news.0", isDead),
			},
			ends: ends{"after none": done, "news.0": done, "after news": done},
		},
	}
}
