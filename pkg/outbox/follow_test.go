package outbox_test

import (
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A job that a transaction enqueues takes what follows it along; a follow-up that may
// not be refuses all of it.
func TestJobsOfATransactionAreFollowed(t *testing.T) {
	box, jobs, _ := newOutbox()
	id := job.IDOf([16]byte{7})
	enqueue := func(options ...job.Option) outbox.Action {
		return outbox.Enqueue(Thumbnail.With(Recipe{ID: "1"}), append(options, job.WithID(id, ""))...)
	}
	err := box.Transact(t.Context(), save("1"), enqueue(job.Then(Thumbnail.With(Recipe{ID: "2"}), job.Unique("k"))))
	if err == nil {
		t.Fatal("a unique follow-up was taken")
	}
	if _, err := jobs.Get(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("the refused job: %v", err)
	}
	if err := box.Transact(t.Context(), save("1"), enqueue(job.Finally(Thumbnail.With(Recipe{ID: "2"})))); err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.Cancel(t.Context(), id, ""); err != nil {
		t.Fatal(err)
	}
	if rec, err := jobs.Get(t.Context(), id.Follow(0)); err != nil || rec.Follows.State != "cancelled" {
		t.Errorf("its follow-up is %+v, %v", rec, err)
	}
}
