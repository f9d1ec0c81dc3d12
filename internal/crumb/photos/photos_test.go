package photos_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
)

func TestBlockList(t *testing.T) {
	table := rowstest.New(t)
	one, two := photos.Hash{1}, photos.Hash{2}
	blocked := func(want bool) {
		t.Helper()
		if got, err := photos.IsBlocked(t.Context(), table, one); got != want || err != nil {
			t.Errorf("blocked: %v, %v", got, err)
		}
	}
	blocked(false)
	if err := photos.Block(t.Context(), table, two, "an advertisement"); err != nil {
		t.Fatal(err)
	}
	blocked(false)
	if err := photos.Block(t.Context(), table, one, ""); err == nil {
		t.Error("blocked without a reason")
	}
	for range 2 {
		if err := photos.Block(t.Context(), table, one, "an advertisement"); err != nil {
			t.Fatal(err)
		}
		blocked(true)
	}
	for range 2 {
		if err := photos.Unblock(t.Context(), table, one); err != nil {
			t.Fatal(err)
		}
		blocked(false)
	}
}
