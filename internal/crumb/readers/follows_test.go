package readers_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
)

func TestFollowersAreCountedOnce(t *testing.T) {
	table := rowstest.New(t)
	r := on(t, table, cheap)
	ada, bob, eve := signUp(t, r, "Ada").ID, signUp(t, r, "Bob").ID, signUp(t, r, "Eve").ID
	var all sync.WaitGroup
	for _, reader := range []string{bob, bob, bob, eve} {
		all.Go(func() {
			if err := r.Follow(t.Context(), reader, ada, false); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	count := func(want int) {
		t.Helper()
		if n, err := r.Followers(t.Context(), ada); n != want || err != nil {
			t.Errorf("%d followers, want %d (%v)", n, want, err)
		}
	}
	count(2)
	if err := r.Follow(t.Context(), bob, ada, true); err != nil {
		t.Fatal(err)
	}
	follower, ok, err := rows.Get[readers.Follower](t.Context(), table, readers.FollowerKey(ada, bob))
	if err != nil || !ok || !follower.Notify {
		t.Errorf("Bob follows as %+v, %v, %v", follower, ok, err)
	}
	for range 2 {
		if err := r.Unfollow(t.Context(), bob, ada); err != nil {
			t.Fatal(err)
		}
	}
	count(1)
	if yes, err := r.Follows(t.Context(), bob, ada); yes || err != nil {
		t.Errorf("Bob still follows: %v, %v", yes, err)
	}
	if yes, err := r.Follows(t.Context(), eve, ada); !yes || err != nil {
		t.Errorf("Eve does not follow: %v, %v", yes, err)
	}
	if err := r.Follow(t.Context(), ada, ada, false); !errors.Is(err, readers.ErrSelf) {
		t.Error("herself:", err)
	}
	if err := r.Follow(t.Context(), ada, "nobody", false); !errors.Is(err, readers.ErrNobody) {
		t.Error("nobody:", err)
	}
}
