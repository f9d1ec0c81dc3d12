package relay_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// dueSoon gives what is due within the next minutes.
func (w *world) dueSoon() []store.DueJob {
	w.t.Helper()
	var all []store.DueJob
	now := time.Now().UTC().Truncate(time.Minute)
	for minute := range 4 {
		for shard := range store.DueShards {
			due, _, err := w.jobs.Due(w.t.Context(), now.Add(time.Duration(minute)*time.Minute), shard, now.Add(time.Hour), nil)
			if err != nil {
				w.t.Fatal(err)
			}
			all = append(all, due...)
		}
	}
	return all
}

// lettersDown refuses what goes to a dead-letter queue.
func lettersDown(url string, _ queue.Outgoing) error {
	if url == "notes letters" {
		return errors.New("down")
	}
	return nil
}

// A letter that could not be sent goes out with what is due, a minute or two later.
func TestALetterThatWasPutOffGoesOut(t *testing.T) {
	w := newWorld(t)
	id := w.enqueue("notes", "", nil)
	w.die(id)
	event := w.batch()
	w.sqs.refuse = lettersDown
	if failed := w.handle(event); len(failed) != 0 {
		t.Fatalf("failed: %v", failed)
	}
	w.sqs.refuse = nil
	if failed := w.handle(w.batch()); len(failed) != 0 || w.sqs.count("notes letters") != 0 {
		t.Errorf("putting off asked for the letter at once: %v, %d letters", failed, w.sqs.count("notes letters"))
	}
	for _, due := range w.dueSoon() {
		if ok, err := w.jobs.Promote(t.Context(), due); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	w.handle(w.batch())
	if rec := w.get(id); w.sqs.count("notes letters") != 1 || rec.Publication != nil || rec.State != lifecycle.Dead || len(w.dueSoon()) != 0 {
		t.Errorf("%d letters, the row %+v", w.sqs.count("notes letters"), rec)
	}
}

// Where the letter can't be put off either, its row asks on.
func TestALetterThatCanNotBePutOff(t *testing.T) {
	w := newWorld(t)
	id := w.enqueue("notes", "", nil)
	w.die(id)
	event := w.batch()
	w.sqs.refuse = lettersDown
	w.faults.At = func(int) fault.Kind { return fault.Down }
	if failed := w.handle(event); len(failed) != 0 {
		t.Errorf("a letter held the stream up: %v", failed)
	}
	if rec := w.get(id); rec.Publication == nil {
		t.Errorf("the row no longer asks: %+v", rec)
	}
}
