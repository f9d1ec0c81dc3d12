package scaling

// A Want is what a queue would like to have of what all queues share.
type Want struct {
	// Bounds are the queue's: it is given its least in any case.
	Bounds Bounds
	// Concurrency is what it wants.
	Concurrency int
}

// Share gives each queue a concurrency, so that all workers together are no more than
// budget: what the database behind them bears. Zero means that there is no such bound.
// Each is given its least, and the rest goes to whoever has been given fewest workers
// above it, until nobody wants more or nothing fits: so that a queue that wants little
// gets it, and large ones share alike.
func Share(budget int, wants []Want) []int {
	given := make([]int, len(wants))
	left := budget
	for i, w := range wants {
		given[i] = w.Bounds.Least
		if budget == 0 {
			given[i] = max(w.Concurrency, w.Bounds.Least)
		}
		left -= w.Bounds.Workers(w.Bounds.Least)
	}
	for budget > 0 {
		next := -1
		for i, w := range wants {
			fits := given[i] < w.Concurrency && w.Bounds.Workers(1) <= left
			if fits && (next < 0 || w.Bounds.Workers(given[i]-w.Bounds.Least) < wants[next].Bounds.Workers(given[next]-wants[next].Bounds.Least)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		given[next]++
		left -= wants[next].Bounds.Workers(1)
	}
	return given
}
