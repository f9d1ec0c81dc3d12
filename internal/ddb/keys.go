package ddb

// AppendKey appends a form of an S, N or B whose bytes sort as the values do
// and which is its own end: keys written one after another sort by the first,
// then by the second, and two different sequences never look the same. A value
// of another kind appends nothing.
//
// Strings and binaries: 0x00 becomes 0x00 0xFF, and 0x00 0x01 is the end.
// Numbers: a sign byte, the exponent, two digits a byte, 0x00 as the end; all
// but the sign inverted where the number is negative.
func AppendKey(dst []byte, v Value) []byte {
	switch v.kind {
	case KindS, KindB:
		return append(AppendKeyPrefix(dst, v), 0x00, 0x01)
	case KindN:
		return appendNumberKey(dst, v.Number())
	default:
		return dst
	}
}

// AppendKeyPrefix appends what the keys of all strings (binaries) that begin
// with v have in common.
func AppendKeyPrefix(dst []byte, v Value) []byte {
	for i := range len(v.text) {
		dst = append(dst, v.text[i])
		if v.text[i] == 0x00 {
			dst = append(dst, 0xFF)
		}
	}
	return dst
}

func appendNumberKey(dst []byte, n Number) []byte {
	const negative, zero, positive = 0x01, 0x02, 0x03
	if n.digits == "" {
		return append(dst, zero)
	}
	sign, flip := byte(positive), byte(0x00)
	if n.negative {
		sign, flip = negative, 0xFF
	}
	exp := uint16(int(n.exp) + 1<<15)
	dst = append(dst, sign, byte(exp>>8)^flip, byte(exp)^flip)
	for i := 0; i < len(n.digits); i += 2 {
		pair := 10 * (n.digits[i] - '0')
		if i+1 < len(n.digits) {
			pair += n.digits[i+1] - '0'
		}
		dst = append(dst, (pair+1)^flip)
	}
	return append(dst, flip)
}

// PrefixEnd gives the first byte string that sorts after everything that
// begins with prefix, or nil where there is none.
func PrefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}
