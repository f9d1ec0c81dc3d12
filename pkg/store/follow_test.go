package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

var told = store.FollowUp{Always: true, Task: "mail.tell", Queue: "mails", MaxAttempts: 1, Args: []byte(`{}`)}

// follow is what a job's row says of its end.
func follow(t *testing.T, member *store.Member, followUps ...store.FollowUp) *store.Follow {
	t.Helper()
	f, err := store.NewFollow(followUps, member)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A job that nothing follows ends in the one call in which it always did; what
// follows costs a transaction instead, and the last of a batch two that are refused.
func TestCallsOfAnEnd(t *testing.T) {
	driver := &fault.Driver{Inner: memstore.New(memstore.Config{})}
	jobs := jobsOn(t, driver)
	b, _, err := jobs.CreateBatch(t.Context(), store.NewBatch{ID: "b", Total: 4, After: told})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	claimed := func(f *store.Follow) store.Record {
		t.Helper()
		made++
		id := job.IDOf([16]byte{byte(made)})
		if _, _, err := jobs.Create(t.Context(), store.NewJob{ID: id, Task: "t", Queue: "q", Args: []byte(`{}`), MaxAttempts: 1, Follow: f}); err != nil {
			t.Fatal(err)
		}
		claim, err := jobs.Claim(t.Context(), id, store.Lease{Token: fmt.Sprint(made), Until: time.Now().Add(time.Minute)})
		if err != nil || !claim.Granted {
			t.Fatal(claim.Finding, err)
		}
		return claim.Record
	}
	done, dies := lifecycle.Outcome{To: lifecycle.Done}, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("broken")}
	finish := func(o lifecycle.Outcome, f *store.Follow) func() error {
		rec := claimed(f)
		return func() error { _, err := jobs.Finish(t.Context(), rec, o); return err }
	}
	commit := func(f *store.Follow) func() error {
		rec := claimed(f)
		return func() error { _, err := jobs.Commit(t.Context(), rec, done); return err }
	}
	cancel := func(f *store.Follow) func() error {
		made++
		id := job.IDOf([16]byte{byte(made)})
		if _, _, err := jobs.Create(t.Context(), store.NewJob{ID: id, Task: "t", Queue: "q", Args: []byte(`{}`), MaxAttempts: 1, Follow: f}); err != nil {
			t.Fatal(err)
		}
		return func() error { _, err := jobs.Cancel(t.Context(), id, ""); return err }
	}
	for _, c := range []struct {
		name string
		end  func() error
		want int
	}{
		{"done", finish(done, nil), 1},
		{"dead", finish(dies, nil), 1},
		{"committed", commit(nil), 1},
		{"cancelled", cancel(nil), 1},
		{"done, and followed", finish(done, follow(t, nil, told)), 1},
		{"dead, and followed", finish(dies, follow(t, nil, told)), 1},
		{"committed, and followed", commit(follow(t, nil, told)), 1},
		{"cancelled, and followed", cancel(follow(t, nil, told)), 2},
		{"a member", finish(done, follow(t, b.Member(0))), 1},
		{"a member, and followed", finish(done, follow(t, b.Member(1), told)), 1},
		{"a member, committed", commit(follow(t, b.Member(2))), 1},
		{"the last member", finish(done, follow(t, b.Member(3))), 3},
	} {
		before := driver.Calls()
		if err := c.end(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if calls := driver.Calls() - before; calls != c.want {
			t.Errorf("%s: %d calls, want %d", c.name, calls, c.want)
		}
	}
}

// Whatever a row says that follows, reading it does no harm, and it is kept as it is.
func FuzzFollow(f *testing.F) {
	f.Add(`[{"place":0,"task":"t","queue":"q","max_attempts":1,"args":{}}]`)
	f.Add(`[{"place":1,"always":true,"args":"<>","follow":[{"delay_ns":5}]}]`)
	f.Add(`{`)
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		row := store.KeyOf(job.IDOf([16]byte{1}))
		row["state"] = attribute("queued")
		row["follow"] = attributes(map[string]string{"jobs": text})
		rec, err := store.Decode(row)
		if err != nil {
			t.Fatal(err)
		}
		followUps, err := rec.Follow.FollowUps()
		if err != nil {
			if !errors.Is(err, store.ErrUnreadable) {
				t.Fatalf("%v is not ErrUnreadable", err)
			}
			return
		}
		again, err := store.NewFollow(followUps, nil)
		if err != nil || len(followUps) == 0 {
			return
		}
		same, err := again.FollowUps()
		if err != nil || len(same) != len(followUps) {
			t.Fatalf("%d follow-ups became %d, %v", len(followUps), len(same), err)
		}
	})
}

func attribute(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }

func attributes(texts map[string]string) types.AttributeValue {
	m := store.Item{}
	for name, text := range texts {
		m[name] = attribute(text)
	}
	return &types.AttributeValueMemberM{Value: m}
}
