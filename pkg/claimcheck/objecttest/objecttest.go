// Package objecttest is the suite that every claimcheck driver passes.
//
//	func TestConformance(t *testing.T) {
//		objecttest.Run(t, func(t *testing.T) claimcheck.Driver { return mydriver.New(…) })
//	}
//
// Each call of the constructor gives a driver without objects.
package objecttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A Constructor makes a driver without objects.
type Constructor func(t *testing.T) claimcheck.Driver

// Run runs the whole suite.
func Run(t *testing.T, construct Constructor) {
	for name, test := range map[string]func(*testing.T, claimcheck.Driver){
		"Values":        values,
		"Missing":       missing,
		"NotAsTheRow":   notAsTheRow,
		"TooLarge":      tooLarge,
		"Keys":          keys,
		"Pages":         pages,
		"Delete":        deletion,
		"DeleteMany":    deleteMany,
		"NoTime":        noTime,
		"Link":          link,
		"CallersMemory": callersMemory,
	} {
		t.Run(name, func(t *testing.T) { test(t, construct(t)) })
	}
}

func objects(t *testing.T, d claimcheck.Driver) *claimcheck.Objects {
	t.Helper()
	o, err := claimcheck.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func put(t *testing.T, o *claimcheck.Objects, key string, value []byte) lifecycle.Object {
	t.Helper()
	claim, err := o.Put(t.Context(), key, value)
	if err != nil {
		t.Fatal(err)
	}
	return claim
}

const id job.ID = "01hz7vq3k8m5n9p2r4s6t8w0xy"

// values come back as they were, whatever they hold.
func values(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	random := rand.NewChaCha8([32]byte{1})
	for i, size := range []int{0, 1, 4095, 64 << 10, 1<<20 + 7} {
		value := make([]byte, size)
		_, _ = random.Read(value) // never fails
		claim := put(t, o, claimcheck.ArgsKey(id, fmt.Sprint(i)), value)
		if claim.Bytes != int64(size) {
			t.Errorf("%d bytes: the claim says %d", size, claim.Bytes)
		}
		if got, err := o.Get(t.Context(), claim); err != nil || !bytes.Equal(got, value) {
			t.Errorf("%d bytes came back as %d others: %v", size, len(got), err)
		}
	}
}

func missing(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	if _, err := o.Get(t.Context(), lifecycle.Object{Key: claimcheck.ArgsKey(id, "a"), Bytes: 1}); !errors.Is(err, claimcheck.ErrNotFound) {
		t.Errorf("%v is not ErrNotFound", err)
	}
}

// notAsTheRow: a length that is not the row's is damage, in both directions.
func notAsTheRow(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	claim := put(t, o, claimcheck.ArgsKey(id, "a"), []byte("twelve bytes"))
	for _, says := range []int64{-1, 0, 11, 13, claimcheck.MaxBytes + 1} {
		if _, err := o.Get(t.Context(), lifecycle.Object{Key: claim.Key, Bytes: says}); !errors.Is(err, claimcheck.ErrDamaged) {
			t.Errorf("12 bytes, the row says %d: %v is not ErrDamaged", says, err)
		}
	}
}

func tooLarge(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	key := claimcheck.ResultKey(id, "a")
	if _, err := o.Put(t.Context(), key, make([]byte, claimcheck.MaxBytes+1)); !errors.Is(err, claimcheck.ErrTooLarge) {
		t.Errorf("writing: %v is not ErrTooLarge", err)
	}
	put(t, o, key, []byte("twelve bytes"))
	if got, err := d.Get(t.Context(), key, 12); err != nil || len(got) != 12 {
		t.Errorf("at the limit: %d bytes, %v", len(got), err)
	}
	if _, err := d.Get(t.Context(), key, 11); !errors.Is(err, claimcheck.ErrTooLarge) {
		t.Errorf("over the limit: %v is not ErrTooLarge", err)
	}
}

// keys of every kind of id are safe, and lead back to the job.
func keys(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	for _, group := range []string{"a", "..", "../..", "/", "%2e%2e", "a b", "é~?&#+=", "\xff\xfe", strings.Repeat("~", 128)} {
		grouped := id.InGroup("ledger-1", group)
		for _, key := range []string{claimcheck.ArgsKey(grouped, "x1"), claimcheck.ResultKey(grouped, "x1")} {
			value := []byte(key)
			claim := put(t, o, key, value)
			if got, err := o.Get(t.Context(), claim); err != nil || !bytes.Equal(got, value) {
				t.Errorf("group %q: %q, %v", group, got, err)
			}
			if owner, ok := claimcheck.JobOf(key); !ok || owner != grouped {
				t.Errorf("group %q: %s belongs to %q, %v", group, key, owner, ok)
			}
			page, _, err := o.List(t.Context(), "", 1000)
			if err != nil || !slices.ContainsFunc(page, func(l claimcheck.Listed) bool { return l.Key == key }) {
				t.Errorf("group %q: %s is not listed, %v", group, key, err)
			}
		}
	}
}

// pages give every object once, in the order of the keys, and none of others.
func pages(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	var want []string
	for i := range 7 {
		key := claimcheck.ArgsKey(id, fmt.Sprintf("%c", "zA0-_a9"[i]))
		put(t, o, key, []byte("x"))
		want = append(want, key)
	}
	slices.Sort(want)
	for _, stranger := range []string{"job", "jobs", "jobs0", "uploads/jobs/a", "jobr/z"} {
		if err := d.Put(t.Context(), stranger, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int{1, 2, 3, 7, 1000} {
		var got []string
		after, more := "", true
		for more {
			page, further, err := o.List(t.Context(), after, limit)
			if err != nil || len(page) == 0 || len(page) > limit {
				t.Fatalf("limit %d: a page of %d, %v", limit, len(page), err)
			}
			for _, l := range page {
				got = append(got, l.Key)
				if l.Bytes != 1 || l.Modified.IsZero() {
					t.Errorf("%+v", l)
				}
			}
			after, more = got[len(got)-1], further
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
	if page, more, err := o.List(t.Context(), want[6], 10); len(page) != 0 || more || err != nil {
		t.Errorf("after the last: %v, %v, %v", page, more, err)
	}
}

func deletion(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	kept := put(t, o, claimcheck.ArgsKey(id, "kept"), []byte("x"))
	gone := put(t, o, claimcheck.ArgsKey(id, "gone"), []byte("x"))
	for range 2 { // the second time it is gone already
		if err := o.Delete(t.Context(), []string{gone.Key, claimcheck.ArgsKey(id, "never")}); err != nil {
			t.Error(err)
		}
	}
	if _, err := o.Get(t.Context(), gone); !errors.Is(err, claimcheck.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if _, err := o.Get(t.Context(), kept); err != nil {
		t.Errorf("not deleted: %v", err)
	}
	if err := o.Delete(t.Context(), nil); err != nil {
		t.Errorf("deleting nothing: %v", err)
	}
}

// deleteMany: more than S3 takes in one call.
func deleteMany(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	last := put(t, o, claimcheck.ArgsKey(id, "n1000"), []byte("x"))
	var all []string
	for i := range 1001 {
		all = append(all, claimcheck.ArgsKey(id, fmt.Sprintf("n%d", i)))
	}
	if err := o.Delete(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Get(t.Context(), last); !errors.Is(err, claimcheck.ErrNotFound) {
		t.Errorf("the last of 1,001 is still there: %v", err)
	}
}

// noTime: nothing is done for a caller who has gone, and that is no verdict on the
// object.
func noTime(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	claim := put(t, o, claimcheck.ArgsKey(id, "a"), []byte("x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := o.Put(ctx, claimcheck.ArgsKey(id, "b"), []byte("x"))
	problems := map[string]error{"Put": err, "Delete": o.Delete(ctx, []string{claim.Key})}
	_, problems["Get"] = o.Get(ctx, claim)
	_, _, problems["List"] = o.List(ctx, "", 1)
	for call, err := range problems {
		if !errors.Is(err, claimcheck.ErrUnavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", call, err)
		}
	}
	if page, _, err := o.List(t.Context(), "", 10); err != nil || len(page) != 1 {
		t.Errorf("%v, %v; want the one object", page, err)
	}
}

func link(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	claim := put(t, o, claimcheck.ResultKey(id.InGroup("q", "a"), "t"), []byte("x"))
	url, err := o.Link(t.Context(), claim, time.Minute)
	if err != nil || !strings.Contains(url, "://") || !strings.Contains(url, claim.Key) {
		t.Errorf("%q, %v", url, err)
	}
}

// callersMemory: what a driver was given and what it gave out are the caller's.
func callersMemory(t *testing.T, d claimcheck.Driver) {
	o := objects(t, d)
	value := []byte("before")
	claim := put(t, o, claimcheck.ArgsKey(id, "a"), value)
	copy(value, "after!")
	got, err := o.Get(t.Context(), claim)
	if err != nil || string(got) != "before" {
		t.Fatalf("%q, %v", got, err)
	}
	copy(got, "after!")
	if again, err := o.Get(t.Context(), claim); err != nil || string(again) != "before" {
		t.Errorf("%q, %v", again, err)
	}
}
