package storetest

import (
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func batchSkipped(f fixture) {
	for _, filled := range []int{0, 1, 2, 3, 40, 99, 100} {
		n := newBatch(100)
		n.ID, n.Shards = fmt.Sprint("filled to ", filled), 4
		b, made, err := f.jobs.CreateBatch(f.Context(), n)
		f.must(made, err)
		f.fill(b, 0, filled)
		for i := range filled / 2 {
			f.end(b, i, lifecycle.Done)
		}
		for range 2 {
			if err := f.jobs.SkipFrom(f.Context(), b, filled); err != nil {
				f.Fatal(err)
			}
			f.wantBatch(b, filled/2, 0, 0, 100-filled)
		}
		for i := filled / 2; i < filled; i++ {
			f.end(b, i, lifecycle.Done)
		}
		if err := f.jobs.SkipFrom(f.Context(), b, filled); err != nil {
			f.Fatal(err)
		}
		f.wantBatch(b, filled, 0, 0, 100-filled)
	}
}

func batchSkippedWrongly(f fixture) {
	b := f.batch(3)
	f.end(b, 0, lifecycle.Done)
	f.end(b, 2, lifecycle.Done)
	if err := f.jobs.SkipFrom(f.Context(), b, 1); !errors.Is(err, store.ErrInvalid) {
		f.Errorf("two of three have ended, and two are said not to come: %v, want ErrInvalid", err)
	}
	f.wantBatch(b, 2, 0, 0, 0)
}

func batchClosed(f fixture) {
	b, made, err := f.jobs.CreateBatch(f.Context(), newBatch(100))
	f.must(made, err)
	f.fill(b, 0, 3)
	if err := f.jobs.SkipFrom(f.Context(), b, 100); err != nil || b.Members != 100 {
		f.Errorf("of %d members all come: %v", b.Members, err)
	}
	if err := f.jobs.SkipFrom(f.Context(), b, 99); err != nil { // of one shard only
		f.Fatal(err)
	}
	for _, other := range []int{0, 3, 98} {
		if err := f.jobs.SkipFrom(f.Context(), b, other); !errors.Is(err, store.ErrInvalid) {
			f.Errorf("closed with 99 members, and then with %d: %v, want ErrInvalid", other, err)
		}
	}
	again, made, err := f.jobs.CreateBatch(f.Context(), newBatch(100))
	f.mustNot(made, err)
	if now := f.wantBatch(b, 0, 0, 0, 1); now.Members != 99 || again.Members != 99 {
		f.Errorf("it has %d and %d members, want 99", now.Members, again.Members)
	}
}
