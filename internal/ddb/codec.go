package ddb

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt tells that DecodeItem was given bytes that AppendItem never wrote.
var ErrCorrupt = errors.New("ddb: corrupt item encoding")

// AppendItem appends a compact binary form of an item for storage. Equal items
// have equal bytes.
func AppendItem(dst []byte, item Item) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(item)))
	for _, name := range item.names() {
		dst = appendText(dst, name)
		dst = appendValue(dst, item[name])
	}
	return dst
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

func appendValue(dst []byte, v Value) []byte {
	dst = append(dst, byte(v.kind))
	switch v.kind {
	case KindS, KindB:
		return appendText(dst, v.text)
	case KindN:
		dst = binary.AppendVarint(append(dst, flagByte(v.flag)), int64(v.exp))
		return appendText(dst, v.text)
	case KindBOOL:
		return append(dst, flagByte(v.flag))
	case KindM:
		return AppendItem(dst, v.fields)
	case KindL, KindSS, KindNS, KindBS:
		dst = binary.AppendUvarint(dst, uint64(len(v.list)))
		for _, member := range v.list {
			dst = appendValue(dst, member)
		}
	}
	return dst
}

func flagByte(flag bool) byte {
	if flag {
		return 1
	}
	return 0
}

// DecodeItem reads what AppendItem wrote; it keeps no reference to data.
// Other bytes are an error that wraps ErrCorrupt.
func DecodeItem(data []byte) (Item, error) {
	r := reader{rest: string(data)} // one copy, of which all texts are parts
	item := r.item(0)
	if r.bad || r.rest != "" {
		return nil, ErrCorrupt
	}
	return item, nil
}

// A reader takes an encoding apart. After the first mistake it is bad and
// reads nothing more.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) fail() { r.bad, r.rest = true, "" }

func (r *reader) byte() byte {
	if r.rest == "" {
		r.fail()
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	var value uint64
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		value |= uint64(b&0x7F) << shift
		if b < 0x80 {
			return value
		}
	}
	r.fail()
	return 0
}

// count reads a number of members, each of which takes a byte at least.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func (r *reader) item(depth int) Item {
	n := r.count()
	item := make(Item, n)
	for range n {
		name := r.text()
		item[name] = r.value(depth)
		if r.bad {
			return nil
		}
	}
	return item
}

func (r *reader) value(depth int) Value {
	v := Value{kind: Kind(r.byte())}
	switch v.kind {
	case KindS, KindB:
		v.text = r.text()
	case KindN:
		v.flag = r.byte() == 1
		zigzag := r.uvarint()
		v.exp = int16(int64(zigzag>>1) ^ -int64(zigzag&1))
		v.text = r.text()
	case KindBOOL:
		v.flag = r.byte() == 1
	case KindNULL:
	case KindM, KindL, KindSS, KindNS, KindBS:
		if depth > MaxDepth {
			r.fail()
			return Value{}
		}
		if v.kind == KindM {
			v.fields = r.item(depth + 1)
			break
		}
		n := r.count()
		v.list = make([]Value, 0, n)
		for range n {
			v.list = append(v.list, r.value(depth+1))
			if r.bad {
				return Value{}
			}
		}
	default:
		r.fail()
	}
	return v
}
