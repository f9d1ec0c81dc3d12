package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// batch makes a batch with so many of its members added.
func (d *deadStack) batch(id string, members, added int) store.Batch {
	d.t.Helper()
	b, _, err := d.jobs.CreateBatch(d.t.Context(), store.NewBatch{
		ID: id, Total: members, After: store.FollowUp{Task: "letters.sent", Queue: "photos", MaxAttempts: 1, Args: []byte(`{}`)},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	for i := range added {
		follow, err := store.NewFollow([]store.FollowUp{{Always: true, Task: "mail.tell", Queue: "photos", MaxAttempts: 1, Args: []byte(`{}`)}}, b.Member(i))
		if err != nil {
			d.t.Fatal(err)
		}
		n := store.NewJob{ID: job.Member(b.Seed, i), Task: "letter.send", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 1, Follow: follow}
		if err := d.jobs.CreateAll(d.t.Context(), []store.NewJob{n}); err != nil {
			d.t.Fatal(err)
		}
	}
	return b
}

func (d *deadStack) cancel(id job.ID) {
	d.t.Helper()
	if _, err := d.jobs.Cancel(d.t.Context(), id, ""); err != nil {
		d.t.Fatal(err)
	}
}

func TestBatchesOfARunningStack(t *testing.T) {
	d := startDeadStack(t)
	open, ended := d.batch("news/49", 5, 3), d.batch("news/48", 1, 1)
	d.cancel(job.Member(open.Seed, 1))
	d.cancel(job.Member(ended.Seed, 0))

	t.Run("list", func(t *testing.T) {
		d := d.on(t)
		got := d.run("batches", "list")
		d.want(got, 0, "news/49  5        0     0     1          4", "")
		if strings.Contains(got.out, "news/48") {
			t.Errorf("one that has ended is listed\n%s", got.out)
		}
		d.want(d.run("batches", "list", "--all"), 0, "news/48  1        0     0     1          0", "")
	})

	t.Run("show", func(t *testing.T) {
		d := d.on(t)
		got := d.run("batches", "show", "news/49", "--pending", "3")
		for _, want := range []string{"4 of 5 members are pending", "0 done, 0 dead, 1 cancelled", "job " + string(open.Job), "member 0", string(job.Member(open.Seed, 0)) + " letter.send", "member 2", "member 3     is not there"} {
			d.want(got, 0, want, "")
		}
		if strings.Contains(got.out, "member 1") || strings.Contains(got.out, "member 4") {
			t.Errorf("shown\n%s", got.out)
		}
		d.want(d.run("batches", "show", "news/48"), 0, "all members have ended", "")
		var shown batchDetails
		line := d.run("batches", "show", "news/48", "--json")
		if err := json.Unmarshal([]byte(line.out), &shown); err != nil || shown.ID != "news/48" || shown.Cancelled != 1 || shown.Pending != 0 || shown.Job != ended.Job || shown.Finished == nil {
			t.Errorf("%v: %s", err, line.out)
		}
		d.want(d.run("batches", "show", "news/47"), exitFailure, "", `there is no batch "news/47"`)
	})

	t.Run("show one that was closed", func(t *testing.T) {
		d := d.on(t)
		closed := d.batch("news/50", 200, 2)
		if err := d.jobs.SkipFrom(t.Context(), closed, 2); err != nil {
			t.Fatal(err)
		}
		got := d.run("batches", "show", "news/50", "--pending", "5")
		for _, want := range []string{"2 of 2 members are pending", "198 of 200 were said not to come\n", "member 1"} {
			d.want(got, 0, want, "")
		}
		if strings.Contains(got.out, "is not there") {
			t.Errorf("members that will not come are waited for\n%s", got.out)
		}
	})

	t.Run("jobs show", func(t *testing.T) {
		d := d.on(t)
		d.want(d.run("jobs", "show", string(ended.Job)), 0, "batch news/48", "")
		d.want(d.run("jobs", "show", string(job.Member(open.Seed, 0))), 0, "mail.tell when ended, counted by batch news/49", "")
		d.want(d.run("jobs", "show", string(job.Member(ended.Seed, 0).Follow(0))), 0, "job "+string(job.Member(ended.Seed, 0))+", which ended as cancelled", "")
		d.want(d.run("jobs", "show", string(ended.Job), "--json"), 0, `"follows":{"batch":"news/48"}`, "")
	})
}

func TestBatchesMisuse(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"batches", exitMisuse, "it takes a command: list or show"},
		{"batches list b1", exitMisuse, "it takes no arguments"},
		{"batches list --rate 0", exitMisuse, "--rate is 0"},
		{"batches show", exitMisuse, "the id of one batch"},
		{"batches show b1 b2", exitMisuse, "the id of one batch"},
		{"batches show b1 --pending -1", exitMisuse, "--pending is -1"},
		{"batches list --data /nonexistent/folder", exitFailure, "no stack runs"},
	} {
		var out, errs strings.Builder
		code := run(t.Context(), streams{strings.NewReader(""), &out, &errs}, strings.Fields(c.args))
		if code != c.code || !strings.Contains(errs.String(), c.says) {
			t.Errorf("%s: %d, %s%s", c.args, code, out.String(), errs.String())
		}
	}
}

func TestABatchWhoseCloseDied(t *testing.T) {
	show := &jobShow{view: new(stack).here()}
	show.batch(store.Batch{ID: "b", Total: 200, Members: 50, Shards: 4, Skipped: 110})
	if got := show.text.String(); !strings.Contains(got, "150 of 200 were said not to come; 40 of them are waited for") {
		t.Errorf("shown\n%s", got)
	}
}
