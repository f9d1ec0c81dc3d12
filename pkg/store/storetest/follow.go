package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func runFollow(t *testing.T, construct Constructor) {
	tests := map[string]func(fixture){
		"the end of a job enqueues what follows":        followDone,
		"a dead job's follow-up waits for its redrive":  followRedriven,
		"a waiting job that is cancelled":               followCancelled,
		"a running job that is cancelled":               followCancelledRun,
		"a chain goes on":                               followChain,
		"a run's writes, its end and what follows":      followCommit,
		"a former owner entails nothing":                followFenced,
		"deaths entail as well":                         followDeaths,
		"a message that its queue refuses":              followUndeliverable,
		"who does not know the row can't pass it by":    followUnknown,
		"the newest job's follow-ups win":               followReplaced,
		"follow-ups wait, and have groups":              followOptions,
		"an id that is taken keeps no job from its end": followTaken,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(setup(t, construct)) })
	}
}

// publishing is a job that runs when another is done, telling one that runs however
// that ends.
var (
	publishing = store.FollowUp{Place: 0, Task: "photo.publish", Queue: "photos", MaxAttempts: 3, Args: []byte(`{"of":"<1>"}`)}
	telling    = store.FollowUp{Place: 1, Always: true, Task: "mail.tell", Queue: "mails", MaxAttempts: 5, Version: 2, Args: []byte(`{}`)}
)

// followed makes a job that others follow.
func (f fixture) followed(followUps ...store.FollowUp) store.Record {
	f.Helper()
	follow, err := store.NewFollow(followUps, nil)
	if err != nil {
		f.Fatal(err)
	}
	return f.enqueue(func(n *store.NewJob) { n.Follow, n.Client, n.Trace = follow, "ann", "Root=1" })
}

// wantFollowers fails unless exactly the follow-ups of these places are there. It
// gives their records.
func (f fixture) wantFollowers(id job.ID, places ...int) (all []store.Record) {
	f.Helper()
	wanted := map[int]bool{}
	for _, place := range places {
		wanted[place] = true
		all = append(all, f.get(id.Follow(place)))
	}
	for place := range 3 {
		if _, err := f.jobs.Get(f.Context(), id.Follow(place)); !wanted[place] && !errors.Is(err, store.ErrNotFound) {
			f.Errorf("follow-up %d is there (%v)", place, err)
		}
	}
	return all
}

// wantFollow fails unless a row still has so many follow-ups.
func (f fixture) wantFollow(id job.ID, want int) {
	f.Helper()
	if left, err := f.get(id).Follow.FollowUps(); len(left) != want || err != nil {
		f.Errorf("%d follow-ups are left on the row (%v), want %d", len(left), err, want)
	}
}

func followDone(f fixture) {
	made := f.followed(publishing, telling)
	f.wantFollow(made.ID, 2)
	f.wantFollowers(made.ID)
	rec := f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Done, Result: 7})
	if rec.State != lifecycle.Done || string(rec.Result) != "7" || rec.Expires.IsZero() || rec.Finished.IsZero() || !rec.LeaseUntil.IsZero() {
		f.Errorf("finished %+v", rec)
	}
	if stored := f.want(made.ID, lifecycle.Done); string(stored.Result) != "7" || !stored.Expires.Equal(rec.Expires) || stored.Follow != nil {
		f.Errorf("done %+v", stored)
	}
	all := f.wantFollowers(made.ID, 0, 1)
	first, second := all[0], all[1]
	if first.State != lifecycle.Queued || first.Publication == nil || first.Publication.To != store.ToQueue("photos") ||
		first.Task != "photo.publish" || string(first.Args) != `{"of":"<1>"}` || first.MaxAttempts != 3 || first.Version != 1 ||
		first.Client != "ann" || first.Trace != "Root=1" || first.Follow != nil {
		f.Errorf("the first follow-up is %+v", first)
	}
	if second.Task != "mail.tell" || second.Version != 2 || second.Follows == nil || *second.Follows != (job.Follows{Job: made.ID, State: "done"}) {
		f.Errorf("the second follow-up is %+v", second)
	}
	if claimed := f.claim(second.ID); claimed.Follows == nil || claimed.Follows.Job != made.ID {
		f.Errorf("claimed, it follows %+v", claimed.Follows)
	}
}

func followRedriven(f fixture) {
	made := f.followed(publishing, telling)
	rec := f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("broken")})
	if rec.Error == nil || rec.Error.Message != "broken" || rec.Publication == nil {
		f.Errorf("finished %+v", rec)
	}
	if told := f.wantFollowers(made.ID, 1)[0]; told.Follows.State != "dead" {
		f.Errorf("told of %+v", told.Follows)
	}
	f.wantFollow(made.ID, 1)
	f.must(f.jobs.Redrive(f.Context(), f.want(made.ID, lifecycle.Dead)))
	f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Done})
	f.wantFollowers(made.ID, 0, 1)
	f.wantFollow(made.ID, 0)
}

func followCancelled(f fixture) {
	made := f.followed(publishing, telling)
	if _, err := f.jobs.Cancel(f.Context(), made.ID, "bob"); !errors.Is(err, store.ErrNotFound) {
		f.Errorf("a stranger cancelled: %v", err)
	}
	f.wantFollowers(made.ID)
	rec, err := f.jobs.Cancel(f.Context(), made.ID, "ann")
	if err != nil || rec.State != lifecycle.Cancelled || rec.Finished.IsZero() || rec.Publication != nil || rec.Task != made.Task {
		f.Errorf("Cancel = %+v, %v", rec, err)
	}
	if told := f.wantFollowers(made.ID, 1)[0]; told.Follows.State != "cancelled" {
		f.Errorf("told of %+v", told.Follows)
	}
	f.wantFollow(made.ID, 0)
	if _, err := f.jobs.Cancel(f.Context(), made.ID, ""); err != nil {
		f.Errorf("cancelling twice: %v", err)
	}
}

func followCancelledRun(f fixture) {
	made := f.followed(publishing, telling)
	claimed := f.claim(made.ID)
	if _, err := f.jobs.Cancel(f.Context(), made.ID, ""); err != nil {
		f.Fatal(err)
	}
	f.wantFollowers(made.ID)
	if rec := f.finish(claimed, lifecycle.Outcome{To: lifecycle.Queued, Err: errors.New("again")}); rec.State != lifecycle.Cancelled {
		f.Errorf("then %+v", rec)
	}
	f.wantFollowers(made.ID, 1)
}

func followChain(f fixture) {
	last := publishing
	last.Task = "photo.tell"
	middle := publishing
	middle.FollowUps = []store.FollowUp{last, telling}
	made := f.followed(middle)
	f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Done})
	second := f.wantFollowers(made.ID, 0)[0]
	f.finish(f.claim(second.ID), lifecycle.Outcome{To: lifecycle.Done})
	third := f.wantFollowers(second.ID, 0, 1)[0]
	if third.Task != "photo.tell" || third.Follows.Job != second.ID || third.Client != "ann" {
		f.Errorf("the third is %+v", third)
	}
}

func followCommit(f fixture) {
	made := f.followed(publishing, telling)
	claimed := f.claim(made.ID)
	never := effect("b")
	never.Condition = "#count = :one"
	_, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, effect("a"), never)
	var failed *store.ConditionError
	if !errors.As(err, &failed) || failed.Index != 1 {
		f.Errorf("Commit = %v, want the condition of action 1", err)
	}
	f.wantFollowers(made.ID)
	if _, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, make([]store.Write, store.MaxActions)...); !errors.Is(err, store.ErrInvalid) {
		f.Errorf("102 writes: %v, want ErrInvalid", err)
	}
	if rec, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, effect("a")); err != nil || rec.State != lifecycle.Done {
		f.Errorf("Commit = %+v, %v", rec, err)
	}
	f.wantEffects("a", "1")
	f.wantFollowers(made.ID, 0, 1)
	f.wantFollow(made.ID, 0)
}

func followFenced(f fixture) {
	made := f.followed(publishing, telling)
	former := f.orphan(made.ID, true)
	successor := f.takeOver(made.ID)
	if _, err := f.jobs.Finish(f.Context(), former, lifecycle.Outcome{To: lifecycle.Done}); !errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("a former owner's end: %v, want ErrLeaseLost", err)
	}
	f.wantFollowers(made.ID)
	f.finish(successor.Record, lifecycle.Outcome{To: lifecycle.Done})
	if rec, err := f.jobs.Finish(f.Context(), successor.Record, lifecycle.Outcome{To: lifecycle.Done}); err != nil || rec.State != lifecycle.Done {
		f.Errorf("an end whose answer was lost: %+v, %v", rec, err)
	}
	f.wantFollowers(made.ID, 0, 1)
}

func followDeaths(f fixture) {
	follow, err := store.NewFollow([]store.FollowUp{publishing, telling}, nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, requeue := range []bool{false, true} {
		made := f.enqueue(func(n *store.NewJob) { n.Follow, n.MaxAttempts = follow, 1 })
		found := f.orphan(made.ID, true)
		if requeue {
			f.must(f.jobs.Requeue(f.Context(), found))
		} else if claim := f.takeOver(made.ID); claim.Finding != lifecycle.Finished || claim.Record.State != lifecycle.Dead {
			f.Errorf("taken over %+v", claim)
		}
		f.want(made.ID, lifecycle.Dead)
		f.wantFollowers(made.ID, 1)
		f.wantFollow(made.ID, 1)
	}
}

func followUndeliverable(f fixture) {
	made := f.followed(publishing, telling)
	if err := f.jobs.Undeliverable(f.Context(), made, errors.New("InvalidMessageContents")); err != nil {
		f.Fatal(err)
	}
	if rec := f.want(made.ID, lifecycle.Dead); rec.Error == nil || rec.Publication == nil || rec.Publication.To != store.ToLetters("photos") {
		f.Errorf("dead %+v", rec)
	}
	f.wantFollowers(made.ID, 1)
	unknown := f.followed(telling)
	unknown.Follow = nil
	if err := f.jobs.Undeliverable(f.Context(), unknown, errors.New("InvalidMessageContents")); err != nil {
		f.Fatal(err)
	}
	f.want(unknown.ID, lifecycle.Dead)
	f.wantFollowers(unknown.ID, 1)
}

func followUnknown(f fixture) {
	made := f.followed(publishing, telling)
	claimed := f.claim(made.ID)
	unknown := store.Record{ID: made.ID, Queue: made.Queue, Row: lifecycle.Row{Token: claimed.Token}}
	f.finish(unknown, lifecycle.Outcome{To: lifecycle.Done})
	f.want(made.ID, lifecycle.Done)
	f.wantFollowers(made.ID, 0, 1)
}

func followReplaced(f fixture) {
	made := f.followed(publishing, telling)
	newer, err := store.NewFollow([]store.FollowUp{publishing}, nil)
	if err != nil {
		f.Fatal(err)
	}
	_, replaced, err := f.jobs.Replace(f.Context(), made.ID, store.NewJob{Args: []byte(`{}`), Follow: newer})
	f.must(replaced, err)
	// made is what somebody saw before: what follows is looked at again.
	if err := f.jobs.Undeliverable(f.Context(), made, errors.New("InvalidMessageContents")); err != nil {
		f.Fatal(err)
	}
	f.want(made.ID, lifecycle.Dead)
	f.wantFollowers(made.ID)
	f.wantFollow(made.ID, 1)

	other := f.followed(publishing, telling)
	_, replaced, err = f.jobs.Replace(f.Context(), other.ID, store.NewJob{Args: []byte(`{}`)})
	f.must(replaced, err)
	f.finish(f.claim(other.ID), lifecycle.Outcome{To: lifecycle.Done})
	f.wantFollowers(other.ID)
}

func followOptions(f fixture) {
	later, at, grouped := telling, telling, telling
	later.Place, later.Delay = 0, time.Hour
	at.Place, at.NotBefore = 1, f.clock.Now().Add(5*time.Minute)
	grouped.Place, grouped.Queue, grouped.FIFO, grouped.Group = 2, "orders", true, "customer/7"
	made := f.followed(later, at, grouped)
	claimed := f.claim(made.ID)
	f.clock.Advance(time.Minute)
	f.finish(claimed, lifecycle.Outcome{To: lifecycle.Done})
	all := f.wantFollowers(made.ID, 0, 1)
	if all[0].State != lifecycle.Scheduled || !all[0].NotBefore.Equal(f.clock.Now().Add(time.Hour)) {
		f.Errorf("an hour later: %s at %v", all[0].State, all[0].NotBefore)
	}
	if all[1].State != lifecycle.Queued || !all[1].NotBefore.Equal(f.clock.Now().Add(4*time.Minute)) {
		f.Errorf("at its time: %s at %v", all[1].State, all[1].NotBefore)
	}
	if rec := f.want(made.ID.Follow(2).InGroup("orders", "customer/7"), lifecycle.Queued); rec.Follows == nil || rec.Follows.Job != made.ID {
		f.Errorf("in its group: %+v", rec)
	}
}

func followTaken(f fixture) {
	made := f.followed(publishing, telling)
	f.enqueue(func(n *store.NewJob) { n.ID = made.ID.Follow(0) })
	f.finish(f.claim(made.ID), lifecycle.Outcome{To: lifecycle.Done})
	if all := f.wantFollowers(made.ID, 0, 1); all[0].Task == publishing.Task || all[1].Task != telling.Task {
		f.Errorf("then %+v", all)
	}
}
