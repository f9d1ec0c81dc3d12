package idempotency_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
)

type hollow struct{ inner *receipt }

func (h hollow) MarshalJSON() ([]byte, error) { return []byte{byte(h.inner.Number)}, nil }

// The effect is done, and only then it turns out that its answer panics when it is
// stored: the effect is not repeated for that.
func TestAnAnswerThatPanicsIsNotRepeated(t *testing.T) {
	w := newWorld(t)
	runs := 0
	for range 3 {
		_, err := idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (hollow, error) {
			runs++
			return hollow{}, nil
		})
		if !errors.Is(err, idempotency.ErrNotKept) {
			t.Errorf("the error is %v", err)
		}
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
}
