package batchcall_test

import (
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/internal/batchcall"
)

func TestLength(t *testing.T) {
	for _, tt := range []struct {
		sizes []int
		want  int
	}{
		{nil, 0},
		{[]int{200}, 1}, // at least one
		{[]int{50, 50}, 2},
		{[]int{50, 51}, 1},
		{[]int{200, 1}, 1},
		{[]int{1, 1, 1, 1}, 3},
	} {
		if got := batchcall.Length(len(tt.sizes), 3, 100, func(i int) int { return tt.sizes[i] }); got != tt.want {
			t.Errorf("Length of %v = %d, want %d", tt.sizes, got, tt.want)
		}
	}
}

func TestResults(t *testing.T) {
	silent, refused := errors.New("not mentioned"), errors.New("refused")
	results := make([]error, 3)
	batchcall.Fill(results, func(int) error { return silent })
	batchcall.Set(results, batchcall.ID(0), nil)
	batchcall.Set(results, batchcall.ID(2), refused)
	foreign := "x"
	for _, id := range []*string{nil, &foreign, batchcall.ID(3), batchcall.ID(-1)} {
		batchcall.Set(results, id, nil)
	}
	if results[0] != nil || results[1] != silent || results[2] != refused {
		t.Errorf("results %v", results)
	}
}
