package simulation

// A slab holds values that come and go, by number, and uses the places of those that
// have gone again: what a run needs grows with what there is at once, and not with
// what there ever was.
type slab[T any] struct {
	values []T
	free   []int32
}

func (s *slab[T]) add(v T) int32 {
	if last := len(s.free) - 1; last >= 0 {
		at := s.free[last]
		s.free = s.free[:last]
		s.values[at] = v
		return at
	}
	s.values = append(s.values, v)
	return int32(len(s.values) - 1)
}

func (s *slab[T]) at(i int32) *T { return &s.values[i] }

func (s *slab[T]) remove(i int32) { s.free = append(s.free, i) }

// A ring is a queue of pairs of numbers, first in, first out.
type ring struct {
	pairs []pair
	first int
	n     int
}

type pair struct{ a, b int32 }

func (r *ring) push(p pair) {
	if r.n == len(r.pairs) {
		grown := make([]pair, max(2*r.n, 64))
		for i := range r.n {
			grown[i] = r.pairs[(r.first+i)%r.n]
		}
		r.pairs, r.first = grown, 0
	}
	r.pairs[(r.first+r.n)%len(r.pairs)] = p
	r.n++
}

// peek gives the first; there must be one.
func (r *ring) peek() pair { return r.pairs[r.first] }

func (r *ring) pop() pair {
	p := r.pairs[r.first]
	r.first = (r.first + 1) % len(r.pairs)
	r.n--
	return p
}
