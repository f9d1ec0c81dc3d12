package sizing_test

import (
	"container/heap"
	"math/rand/v2"
)

// simulate serves jobs one after the other by the worker who is free first: arrivals
// and service times are exponential. It gives the share that waited, and the mean wait
// in seconds.
func simulate(arrivals, perWorker float64, workers, jobs int) (waited, mean float64) {
	random := rand.New(rand.NewPCG(1, 2))
	free := make(times, workers)
	var now, total float64
	for range jobs {
		now += random.ExpFloat64() / arrivals
		start := max(now, free[0])
		if start > now {
			waited++
		}
		total += start - now
		free[0] = start + random.ExpFloat64()/perWorker
		heap.Fix(&free, 0)
	}
	return waited / float64(jobs), total / float64(jobs)
}

// times are when workers are free, the earliest first.
type times []float64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)        { *t = append(*t, x.(float64)) }
func (t *times) Pop() any {
	last := (*t)[len(*t)-1]
	*t = (*t)[:len(*t)-1]
	return last
}
