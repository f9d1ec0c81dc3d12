package store

import (
	"slices"
	"testing"
)

// Shards with the most room are asked first, those without any not at all, and where all
// have as much everybody begins elsewhere.
func TestTheRoomiestShards(t *testing.T) {
	for name, c := range map[string]struct {
		limit, by, from int
		used, want      []int
	}{
		"the most room first":     {40, 1, 0, []int{9, 5, 10, 1}, []int{3, 1, 0}},
		"none of three":           {40, 1, 0, []int{10, 10, 10, 1}, []int{3}},
		"no room for two":         {40, 2, 0, []int{9, 9, 9, 8}, []int{3}},
		"three at most":           {50, 1, 0, []int{4, 3, 2, 1, 0}, []int{4, 3, 2}},
		"equals, from the second": {40, 1, 1, []int{5, 5, 5, 5}, []int{1, 2, 3}},
		"equals, from the last":   {40, 1, 3, []int{5, 5, 5, 5}, []int{3, 0, 1}},
		"shares that differ":      {41, 1, 0, []int{10, 10, 10, 10}, []int{0}},
		"full":                    {4, 1, 2, []int{1, 1, 1, 1}, nil},
		"above its share":         {4, 1, 0, []int{7, 0, 1, 1}, []int{1}}, // a version before had more
	} {
		t.Run(name, func(t *testing.T) {
			s := &seat{bound: Bound{Limit: c.limit, Shards: len(c.used)}, by: c.by, from: c.from}
			counters := []Counter{{Shard: len(c.used), Used: 1}} // of that version, too
			for shard, used := range c.used {
				counters = append(counters, Counter{Shard: shard, Used: used})
			}
			if got := s.roomiest(counters); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
