package simulation

import (
	"math"
	"math/bits"
	"time"
)

// A histogram counts durations in classes that are a thirty-second of their value
// wide, so that quantiles are right to 3 % in a few kilobytes.
type histogram struct {
	counts [64 * 32]int64
	n      int64
	sum    float64 // of seconds
	most   time.Duration
}

func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.n++
	h.sum += d.Seconds()
	h.most = max(h.most, d)
	h.counts[class(d)]++
}

// class gives the class of a duration, by its highest bit and the five below it.
func class(d time.Duration) int {
	v := uint64(d)
	if v < 32 {
		return int(v)
	}
	high := bits.Len64(v) - 1
	return (high-4)*32 + int(v>>(high-5))&31
}

// upper is the greatest duration of a class.
func upper(class int) time.Duration {
	if class < 32 {
		return time.Duration(class)
	}
	high := class/32 + 4
	low := uint64(class%32+32) << (high - 5)
	return time.Duration(low + 1<<(high-5) - 1)
}

// quantile gives the duration that a share of those counted does not exceed.
func (h *histogram) quantile(share float64) time.Duration {
	rank := int64(math.Ceil(share * float64(h.n)))
	seen := int64(0)
	for class, count := range h.counts {
		if seen += count; seen >= rank && seen > 0 {
			return min(upper(class), h.most)
		}
	}
	return h.most
}

func (h *histogram) mean() time.Duration {
	if h.n == 0 {
		return 0
	}
	return time.Duration(h.sum / float64(h.n) * float64(time.Second))
}
