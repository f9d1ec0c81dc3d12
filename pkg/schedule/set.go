package schedule

import "math/bits"

// A set holds small numbers, 0 to 255.
type set [4]uint64

func (s *set) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s set) has(n int) bool { return n >= 0 && n < 256 && s[n/64]&(1<<(n%64)) != 0 }

// from gives the smallest number of the set that is at least n; ok is false where
// there is none.
func (s set) from(n int) (least int, ok bool) {
	for word := n / 64; word < len(s); word++ {
		rest := s[word]
		if word == n/64 {
			rest &= ^uint64(0) << (n % 64)
		}
		if rest != 0 {
			return word*64 + bits.TrailingZeros64(rest), true
		}
	}
	return 0, false
}
