package scaling_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/scaling"
)

func TestShare(t *testing.T) {
	small := bounds(t, func(q *job.Queue) { q.PeakArrivals, q.ServiceTime = 1, 7*time.Second }) // 10 workers at least
	four := bounds(t, func(q *job.Queue) { q.PeakArrivals, q.ServiceTime, q.Batch, q.Bound = 1, 7*time.Second, 10, 4 })
	if small.Least != 10 || four.Least != 3 {
		t.Fatalf("%d, %d", small.Least, four.Least)
	}
	for _, c := range []struct {
		name   string
		budget int
		wants  []scaling.Want
		given  []int
	}{
		{"no budget", 0, []scaling.Want{{small, 300}, {small, 5}}, []int{300, 10}},
		{"enough", 100, []scaling.Want{{small, 50}, {small, 50}}, []int{50, 50}},
		{"alike", 61, []scaling.Want{{small, 50}, {small, 50}}, []int{31, 30}},
		{"who wants little gets it", 60, []scaling.Want{{small, 400}, {small, 15}}, []int{45, 15}},
		{"only the least", 20, []scaling.Want{{small, 400}, {small, 400}}, []int{10, 10}},
		{"invocations of four", 41, []scaling.Want{{small, 400}, {four, 90}}, []int{21, 5}},
	} {
		if got := scaling.Share(c.budget, c.wants); !slices.Equal(got, c.given) {
			t.Errorf("%s: %v, want %v", c.name, got, c.given)
		}
	}
}

func FuzzShareKeepsWithinTheBudget(f *testing.F) {
	f.Add(500, 10, 20, 300)
	f.Fuzz(func(t *testing.T, budget, a, b, c int) {
		photos, four := bounds(t, nil), bounds(t, func(q *job.Queue) { q.Batch, q.Bound = 10, 4 })
		wants := []scaling.Want{{photos, min(a, 400)}, {four, min(b, 100)}, {photos, min(c, 400)}}
		least := 2*photos.Workers(photos.Least) + four.Workers(four.Least)
		budget = least + max(budget, 0)%1000
		sum := 0
		for i, given := range scaling.Share(budget, wants) {
			if given < wants[i].Bounds.Least || given > max(wants[i].Concurrency, wants[i].Bounds.Least) {
				t.Fatalf("%d of %+v", given, wants[i])
			}
			sum += wants[i].Bounds.Workers(given)
		}
		if sum > budget {
			t.Fatalf("%d workers of %d", sum, budget)
		}
	})
}
