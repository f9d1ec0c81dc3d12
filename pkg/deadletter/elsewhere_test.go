package deadletter_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// What another run holds, or one that died a moment ago, is told of.
func TestLettersInOtherHandsAreToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		for range 5 {
			w.dead(nil)
		}
		if _, err := w.sqs.Receive(t.Context(), letters, queue.Ask{Most: 3, Hide: 5 * time.Minute}); err != nil {
			t.Fatal(err)
		}
		if summary, all := w.list(deadletter.Options{}); len(all) != 2 || summary.Elsewhere != 3 || summary.Unseen != 0 {
			t.Errorf("%+v: %d letters", summary, len(all))
		}
		time.Sleep(5 * time.Minute)
		if summary, all := w.list(deadletter.Options{}); len(all) != 5 || summary.Elsewhere != 0 {
			t.Errorf("%+v: %d letters", summary, len(all))
		}
	})
}
