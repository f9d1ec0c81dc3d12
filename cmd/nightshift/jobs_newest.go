package main

import (
	"container/heap"
	"slices"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// newest keeps the youngest of many jobs, so many at most.
type newest struct {
	most int
	kept oldestFirst
	// seen counts all.
	seen int
}

func (n *newest) add(rec store.Record) {
	n.seen++
	if len(n.kept) == n.most {
		if !older(&n.kept[0], &rec) {
			return
		}
		n.kept[0] = rec
		heap.Fix(&n.kept, 0)
		return
	}
	heap.Push(&n.kept, rec)
}

// sorted gives them, the youngest first.
func (n *newest) sorted() []store.Record {
	return slices.SortedFunc(slices.Values(n.kept), func(a, b store.Record) int {
		if older(&a, &b) {
			return 1
		}
		return -1
	})
}

// older tells which of two jobs was made first; of two of one moment, by their ids.
func older(a, b *store.Record) bool {
	if order := a.Created.Compare(b.Created); order != 0 {
		return order < 0
	}
	return a.ID > b.ID
}

// oldestFirst is a heap with the oldest job on top.
type oldestFirst []store.Record

func (h oldestFirst) Len() int           { return len(h) }
func (h oldestFirst) Less(i, j int) bool { return older(&h[i], &h[j]) }
func (h oldestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *oldestFirst) Push(v any)        { *h = append(*h, v.(store.Record)) }
func (h *oldestFirst) Pop() any {
	last := len(*h) - 1
	v := (*h)[last]
	*h = (*h)[:last]
	return v
}
