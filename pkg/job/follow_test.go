package job_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestIDsOfFollowUpsAreDistinct(t *testing.T) {
	a, b := job.IDOf([16]byte{1}), job.IDOf([16]byte{2})
	seen := map[job.ID]string{}
	for name, id := range map[string]job.ID{
		"a": a, "b": b, "a's first": a.Follow(0), "a's second": a.Follow(1), "b's first": b.Follow(0), "a's first's first": a.Follow(0).Follow(0),
		"in a group": a.InGroup("photos", "g").Follow(0), "member": job.Member(string(a), 0), "11": job.Member(string(a), 11),
		"another batch": job.Member(string(b), 0), "after": job.AfterMembers(string(a)),
	} {
		if _, err := job.ParseID(string(id)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if seen[id] != "" {
			t.Errorf("%s and %s have the id %s", name, seen[id], id)
		}
		seen[id] = name
	}
	for name, again := range map[string]job.ID{"a follow-up": a.Follow(0), "a member": job.Member(string(a), 0)} {
		if seen[again] == "" {
			t.Errorf("the id of %s is not the same each time", name)
		}
	}
}

func TestFollowUpsAreInTheirOrder(t *testing.T) {
	var d = job.Definition{Name: "x"}
	o := job.Apply(job.Then(job.Request{Definition: d}), job.Finally(job.Request{}, job.Group("g")))
	if len(o.FollowUps) != 2 || o.FollowUps[0].Always || !o.FollowUps[1].Always || o.FollowUps[0].Request.Definition.Name != "x" ||
		job.Apply(o.FollowUps[1].Options...).Group != "g" {
		t.Errorf("follow-ups %+v", o.FollowUps)
	}
}
