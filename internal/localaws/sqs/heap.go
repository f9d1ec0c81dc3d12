package sqs

// A heapOf is a binary heap whose items know their place in it, so that any of
// them can be taken out. Not safe for concurrent use.
type heapOf[T any] struct {
	items  []T
	before func(a, b T) bool
	moved  func(item T, index int) // index is -1 for an item that left
}

func (h *heapOf[T]) len() int { return len(h.items) }

func (h *heapOf[T]) push(item T) {
	h.items = append(h.items, item)
	h.moved(item, len(h.items)-1)
	h.up(len(h.items) - 1)
}

// first gives the item that comes before all others; the heap must not be empty.
func (h *heapOf[T]) first() T { return h.items[0] }

func (h *heapOf[T]) pop() T {
	item := h.items[0]
	h.remove(0)
	return item
}

func (h *heapOf[T]) remove(i int) {
	last := len(h.items) - 1
	item := h.items[i]
	h.swap(i, last)
	var zero T
	h.items[last] = zero
	h.items = h.items[:last]
	h.moved(item, -1)
	if i < last {
		h.down(i)
		h.up(i)
	}
}

func (h *heapOf[T]) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(h.items[i], h.items[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *heapOf[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			return
		}
		if right := child + 1; right < len(h.items) && h.before(h.items[right], h.items[child]) {
			child = right
		}
		if !h.before(h.items[child], h.items[i]) {
			return
		}
		h.swap(i, child)
		i = child
	}
}

func (h *heapOf[T]) swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.moved(h.items[i], i)
	h.moved(h.items[j], j)
}
