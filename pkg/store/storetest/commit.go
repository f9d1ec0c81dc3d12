package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func runCommit(t *testing.T, construct Constructor) {
	tests := map[string]func(fixture){
		"the effect and the end are one":                commitDone,
		"a former owner has no effect":                  commitFenced,
		"an action's own condition is told apart":       commitCondition,
		"progress and its effect are one":               commitContinue,
		"no effect where a cancellation was asked for":  commitCancelled,
		"a run ends once":                               commitTwice,
		"progress is kept, and learns of cancellations": report,
		"results and arguments may lie elsewhere":       objects,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(setup(t, construct)) })
	}
}

// An effect is a row that a handler writes: it counts how often it did.
func effect(name string) store.Write {
	return store.Write{
		Op: store.Update, Key: effectKey(name), Update: "ADD #count :one",
		Names: map[string]string{"#count": "count"}, Values: store.Item{":one": &types.AttributeValueMemberN{Value: "1"}},
	}
}

func effectKey(name string) store.Item {
	return store.Item{
		store.PartitionKey: &types.AttributeValueMemberS{Value: "effect#" + name},
		store.SortKey:      &types.AttributeValueMemberS{Value: "effect"},
	}
}

// effects tells how often an effect happened.
func (f fixture) effects(name string) string {
	f.Helper()
	row, err := f.driver.Get(f.Context(), effectKey(name))
	if err != nil {
		f.Fatal(err)
	}
	if n, ok := row["count"].(*types.AttributeValueMemberN); ok {
		return n.Value
	}
	return "0"
}

func (f fixture) wantEffects(name, want string) {
	f.Helper()
	if got := f.effects(name); got != want {
		f.Errorf("the effect %q happened %s times, want %s", name, got, want)
	}
}

func commitDone(f fixture) {
	claimed := f.claim(f.enqueue().ID)
	outcome := lifecycle.Outcome{To: lifecycle.Done, Result: 7}
	rec, err := f.jobs.Commit(f.Context(), claimed, outcome, effect("a"), effect("b"))
	if err != nil || rec.State != lifecycle.Done {
		f.Fatalf("Commit = %+v, %v", rec, err)
	}
	if rec := f.want(claimed.ID, lifecycle.Done); string(rec.Result) != "7" || rec.Expires.IsZero() {
		f.Errorf("done %+v", rec)
	}
	f.wantEffects("a", "1")
	f.wantEffects("b", "1")
}

func commitFenced(f fixture) {
	made := f.enqueue()
	former := f.orphan(made.ID, true)
	successor := f.takeOver(made.ID)
	if _, err := f.jobs.Commit(f.Context(), former, lifecycle.Outcome{To: lifecycle.Done}, effect("a")); !errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("a former owner's commit: %v, want ErrLeaseLost", err)
	}
	f.wantEffects("a", "0")
	if _, err := f.jobs.Commit(f.Context(), successor.Record, lifecycle.Outcome{To: lifecycle.Done}, effect("a")); err != nil {
		f.Error(err)
	}
	f.wantEffects("a", "1")
}

func commitCondition(f fixture) {
	claimed := f.claim(f.enqueue().ID)
	never := effect("b")
	never.Condition = "#count = :one"
	_, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, effect("a"), never)
	var failed *store.ConditionError
	if !errors.As(err, &failed) || failed.Index != 1 || errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("Commit = %v, want the condition of action 1", err)
	}
	f.wantEffects("a", "0")
	f.want(claimed.ID, lifecycle.Running)
	f.finish(claimed, lifecycle.Outcome{To: lifecycle.Dead, Err: err})
}

func commitContinue(f fixture) {
	made := f.enqueue()
	for n := range 3 {
		claimed := f.claim(made.ID)
		rec, err := f.jobs.Commit(f.Context(), claimed, lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true, Cursor: n}, effect("page"))
		if err != nil || rec.State != lifecycle.Queued || rec.NotBefore.After(f.clock.Now()) {
			f.Fatalf("Commit = %+v, %v", rec, err)
		}
	}
	f.wantEffects("page", "3")
	if rec := f.get(made.ID); string(rec.Cursor) != "2" || rec.Attempt != 0 {
		f.Errorf("continued %+v", rec)
	}
}

func commitCancelled(f fixture) {
	claimed := f.claim(f.enqueue().ID)
	if _, err := f.jobs.Cancel(f.Context(), claimed.ID, ""); err != nil {
		f.Fatal(err)
	}
	again := lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true, Cursor: 1}
	if _, err := f.jobs.Commit(f.Context(), claimed, again, effect("a")); !errors.Is(err, store.ErrCancelRequested) {
		f.Errorf("Commit = %v, want ErrCancelRequested", err)
	}
	f.wantEffects("a", "0")
	if rec := f.finish(claimed, again); rec.State != lifecycle.Cancelled {
		f.Errorf("then %s", rec.State)
	}
}

func commitTwice(f fixture) {
	claimed := f.claim(f.enqueue().ID)
	done := lifecycle.Outcome{To: lifecycle.Done}
	if _, err := f.jobs.Commit(f.Context(), claimed, done, effect("a")); err != nil {
		f.Fatal(err)
	}
	if _, err := f.jobs.Commit(f.Context(), claimed, done, effect("a")); !errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("a second commit: %v, want ErrLeaseLost", err)
	}
	f.wantEffects("a", "1")
	claimed = f.claim(f.enqueue().ID)
	if _, err := f.jobs.Commit(f.Context(), claimed, done, effect("b"), effect("b")); !errors.Is(err, store.ErrInvalid) {
		f.Errorf("two actions on one row: %v, want ErrInvalid", err)
	}
	f.want(claimed.ID, lifecycle.Running)
	_, err := f.jobs.Commit(f.Context(), claimed, done, make([]store.Write, store.MaxActions+1)...)
	if err == nil {
		f.Error("100 actions were taken")
	}
}

func report(f fixture) {
	claimed := f.claim(f.enqueue().ID)
	until := claimed.LeaseUntil
	rec, err := f.jobs.Report(f.Context(), claimed, []byte(`{"of":10,"done":3}`), time.Time{})
	if err != nil || string(rec.Progress) != `{"of":10,"done":3}` || !rec.LeaseUntil.Equal(until) || rec.CancelRequested {
		f.Errorf("Report = %+v, %v", rec, err)
	}
	if _, err := f.jobs.Cancel(f.Context(), claimed.ID, ""); err != nil {
		f.Fatal(err)
	}
	later := until.Add(time.Minute)
	rec, err = f.jobs.Report(f.Context(), claimed, nil, later)
	if err != nil || string(rec.Progress) != `{"of":10,"done":3}` || !rec.LeaseUntil.Equal(later) || !rec.CancelRequested {
		f.Errorf("Report = %+v, %v", rec, err)
	}
	f.finish(claimed, lifecycle.Outcome{To: lifecycle.Done})
	if _, err := f.jobs.Report(f.Context(), claimed, []byte(`1`), time.Time{}); !errors.Is(err, store.ErrLeaseLost) {
		f.Errorf("progress after the end: %v, want ErrLeaseLost", err)
	}
}

func objects(f fixture) {
	at := lifecycle.Object{Key: "jobs/1/args", Bytes: 1 << 20}
	made := f.enqueue(func(n *store.NewJob) { n.Args, n.ArgsObject, n.Version = nil, &at, 3 })
	claimed := f.claim(made.ID)
	if claimed.Args != nil || claimed.ArgsObject == nil || *claimed.ArgsObject != at || claimed.Version != 3 {
		f.Errorf("claimed %+v", claimed)
	}
	result := lifecycle.Object{Key: "jobs/1/result", Bytes: 2 << 20}
	rec := f.finish(claimed, lifecycle.Outcome{To: lifecycle.Done, ResultObject: &result})
	if rec.Result != nil || rec.ResultObject == nil || *rec.ResultObject != result || rec.ArgsObject == nil {
		f.Errorf("done %+v", rec)
	}
	if plain := f.get(f.enqueue().ID); plain.Version != 1 || plain.ArgsObject != nil {
		f.Errorf("an ordinary job %+v", plain)
	}
}
