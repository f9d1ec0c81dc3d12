// Package batchcall is what the batch calls of SQS and SNS have in common: how many
// entries fit into one, and how the answer is read.
package batchcall

import (
	"strconv"
)

// Length tells how many of n entries fit into one call, at least one: at most most,
// and in sum at most bytes.
func Length(n, most, bytes int, size func(i int) int) int {
	sum := 0
	for i := range n {
		sum += size(i)
		if i == most || i > 0 && sum > bytes {
			return i
		}
	}
	return n
}

// ID is the id of the entry in a place.
func ID(place int) *string {
	id := strconv.Itoa(place)
	return &id
}

// Fill gives every entry its result: an answer that did not come, or, before it is
// read, that it does not mention the entry. What is named nowhere was not confirmed.
func Fill(results []error, of func(place int) error) {
	for i := range results {
		results[i] = of(i)
	}
}

// Set gives an entry of the answer its result. An id that is none of the call's is
// passed over.
func Set(results []error, id *string, result error) {
	if id == nil {
		return
	}
	if i, err := strconv.Atoi(*id); err == nil && i >= 0 && i < len(results) {
		results[i] = result
	}
}
