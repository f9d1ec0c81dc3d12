package store_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// A shard has the size that each of its members says, whatever the batch's size.
func TestShardsCountEveryMember(t *testing.T) {
	for _, total := range []int{1, 2, 31, 63, 64, 65, 127, 128, 129, 1000, 4095, 4096, 4097, 99_999, store.MaxMembers} {
		b := store.Batch{ID: "b", Seed: "s", Total: total, Shards: store.ShardsFor(total)}
		if b.Shards < 1 || b.Shards > store.MaxShards || b.Shards > total {
			t.Errorf("%d members in %d shards", total, b.Shards)
		}
		sizes, said := make([]int, b.Shards), make([]int, b.Shards)
		for i := range total {
			m := b.Member(i)
			sizes[m.Shard]++
			if said[m.Shard] == 0 {
				said[m.Shard] = m.Size
			}
			if m.Size != said[m.Shard] {
				t.Fatalf("of %d members, two of shard %d say %d and %d", total, m.Shard, m.Size, said[m.Shard])
			}
		}
		for shard, size := range sizes {
			if size != said[shard] {
				t.Errorf("of %d members, shard %d has %d and is said to have %d", total, shard, size, said[shard])
			}
		}
	}
}
