package claimcheck_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func Example() {
	ctx := context.Background()
	objects, err := claimcheck.New(memobjects.New(nil))
	if err != nil {
		panic(err)
	}
	id := job.IDOf([16]byte{1})
	claim, err := objects.Put(ctx, claimcheck.ArgsKey(id, "7f3k"), []byte(`{"text":"a long one"}`))
	if err != nil {
		panic(err)
	}
	value, err := objects.Get(ctx, claim)
	fmt.Println(claim.Key, claim.Bytes, string(value), err)
	// Output: jobs/04000000000000000000000000/args-7f3k 21 {"text":"a long one"} <nil>
}

func TestNewWantsADriver(t *testing.T) {
	if _, err := claimcheck.New(nil); err == nil || !strings.Contains(err.Error(), "s3objects.New") {
		t.Error(err)
	}
}

// Whatever else is in the bucket is nobody's object, and is left alone.
func TestKeysOfOthers(t *testing.T) {
	const id = "01hz7vq3k8m5n9p2r4s6t8w0xy"
	for _, key := range []string{
		"", "jobs", "jobs/", "jobs/" + id, "jobs/" + id + "/", "jobs/" + id + "/args", "jobs/" + id + "/args-",
		"jobs/" + id + "/notes-a", "jobs/" + id + "/args-a/b", "jobs/" + id + "/args-a.b", "jobs/x/args-a",
		"jobs/../args-a", "jobs/" + id + "/../args-a", "uploads/jobs/" + id + "/args-a", "Jobs/" + id + "/args-a",
	} {
		if owner, ok := claimcheck.JobOf(key); ok {
			t.Errorf("%q belongs to %q", key, owner)
		}
	}
}

// Every id that is one makes safe keys, which lead back to it.
func FuzzKeys(f *testing.F) {
	const id = "01hz7vq3k8m5n9p2r4s6t8w0xy"
	f.Add(id)
	f.Add(string(job.ID(id).InGroup("ledger", "../\xff é")))
	f.Add("q.Lg." + id)
	f.Add("../" + id)
	f.Fuzz(func(t *testing.T, text string) {
		id, err := job.ParseID(text)
		for _, key := range []string{claimcheck.ArgsKey(job.ID(text), "a1"), claimcheck.ResultKey(job.ID(text), "a1")} {
			owner, ok := claimcheck.JobOf(key)
			if ok != (err == nil) || ok && owner != id {
				t.Fatalf("%q belongs to %q, %v; the id: %v", key, owner, ok, err)
			}
			if !ok {
				continue
			}
			if strings.Count(key, "/") != 2 || strings.Contains(key, "/./") || strings.Contains(key, "/../") || len(key) > 1024 {
				t.Fatalf("%q is not safe", key)
			}
			for _, c := range []byte(key) {
				if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("/.-_", c) >= 0) {
					t.Fatalf("%q has a %q", key, c)
				}
			}
		}
	})
}
