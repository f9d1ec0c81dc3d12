package ddb

import (
	"slices"
	"strings"
)

// A Kind is one of DynamoDB's ten data types. The zero Kind is no type.
type Kind uint8

// The ten kinds, by the names that the wire protocol gives them.
const (
	KindS Kind = iota + 1
	KindN
	KindB
	KindBOOL
	KindNULL
	KindL
	KindM
	KindSS
	KindNS
	KindBS
)

var kindNames = [...]string{"", "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}

// String gives the wire name, such as "S" or "BOOL".
func (k Kind) String() string { return kindNames[k] }

// KindOf finds a kind by its wire name; it is the zero Kind for any other text.
func KindOf(name string) Kind {
	for k, n := range kindNames[1:] {
		if n == name {
			return Kind(k + 1)
		}
	}
	return 0
}

// IsSet tells whether the kind is a set.
func (k Kind) IsSet() bool { return k == KindSS || k == KindNS || k == KindBS }

// An Item is a row: its attributes by name.
type Item map[string]Value

// A Value is one attribute's value. The zero Value is no value at all: its
// Kind is zero. Values are immutable.
type Value struct {
	kind   Kind
	flag   bool    // BOOL: the truth; N: negative
	exp    int16   // N
	text   string  // S; B as bytes; N as digits
	list   []Value // L; the sorted members of a set
	fields Item    // M
}

// S makes a string.
func S(text string) Value { return Value{kind: KindS, text: text} }

// N makes a number.
func N(n Number) Value {
	return Value{kind: KindN, flag: n.negative, exp: n.exp, text: n.digits}
}

// Int makes a number from an integer.
func Int(n int64) Value { return N(NumberOf(n)) }

// B makes a binary; the bytes are copied.
func B(data []byte) Value { return Value{kind: KindB, text: string(data)} }

// Bool makes a truth value.
func Bool(truth bool) Value { return Value{kind: KindBOOL, flag: truth} }

// Null makes the null value.
func Null() Value { return Value{kind: KindNULL} }

// L makes a list, which keeps the slice.
func L(members ...Value) Value { return Value{kind: KindL, list: members} }

// M makes a map, which keeps the item.
func M(fields Item) Value {
	if fields == nil {
		fields = Item{}
	}
	return Value{kind: KindM, fields: fields}
}

// Set makes the set of the kind that its members make: strings, numbers or
// binaries. It fails with a *ValidationError for no members, for members of
// different or other kinds, and for duplicates.
func Set(members ...Value) (Value, error) {
	if len(members) == 0 {
		return Value{}, Invalidf("One or more parameter values were invalid: An set may not be empty")
	}
	kind, ok := map[Kind]Kind{KindS: KindSS, KindN: KindNS, KindB: KindBS}[members[0].kind]
	if !ok {
		return Value{}, Invalidf("One or more parameter values were invalid: A set cannot hold the type %s", members[0].kind)
	}
	sorted := slices.Clone(members)
	for _, m := range sorted {
		if m.kind != members[0].kind {
			return Value{}, Invalidf("One or more parameter values were invalid: The members of a set must have one type")
		}
	}
	slices.SortFunc(sorted, compareScalars)
	for i := 1; i < len(sorted); i++ {
		if compareScalars(sorted[i-1], sorted[i]) == 0 {
			return Value{}, Invalidf("One or more parameter values were invalid: Input collection [%s] contains duplicates", joinScalars(members))
		}
	}
	return Value{kind: kind, list: sorted}, nil
}

func joinScalars(values []Value) string {
	var texts []string
	for _, v := range values {
		if v.kind == KindN {
			texts = append(texts, v.Number().String())
		} else {
			texts = append(texts, v.text)
		}
	}
	return strings.Join(texts, ", ")
}

// Kind is the value's kind.
func (v Value) Kind() Kind { return v.kind }

// Exists tells a value from the zero Value.
func (v Value) Exists() bool { return v.kind != 0 }

// Str is the text of an S, else empty.
func (v Value) Str() string {
	if v.kind != KindS {
		return ""
	}
	return v.text
}

// Bytes is a copy of the bytes of a B, else nil.
func (v Value) Bytes() []byte {
	if v.kind != KindB {
		return nil
	}
	return []byte(v.text)
}

// Number is the number of an N, else zero.
func (v Value) Number() Number {
	if v.kind != KindN {
		return Number{}
	}
	return Number{negative: v.flag, exp: v.exp, digits: v.text}
}

// Bool is the truth of a BOOL, else false.
func (v Value) Bool() bool { return v.kind == KindBOOL && v.flag }

// List is the members of an L or, in ascending order, of a set. It must not be
// changed.
func (v Value) List() []Value { return v.list }

// Map is the fields of an M, else nil. It must not be changed.
func (v Value) Map() Item { return v.fields }

// Equal tells whether two values are the same: of one kind, numbers by their
// value, sets whatever their order.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case KindM:
		return EqualItems(a.fields, b.fields)
	case KindL, KindSS, KindNS, KindBS:
		return slices.EqualFunc(a.list, b.list, Equal)
	default:
		return a.flag == b.flag && a.exp == b.exp && a.text == b.text
	}
}

// EqualItems tells whether two items have the same attributes.
func EqualItems(a, b Item) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		if other, ok := b[name]; !ok || !Equal(value, other) {
			return false
		}
	}
	return true
}

// Compare orders two strings, numbers or binaries of one kind: strings by
// their UTF-8 bytes, binaries by unsigned bytes. Anything else has no order,
// and ok is false.
func Compare(a, b Value) (order int, ok bool) {
	if a.kind != b.kind || (a.kind != KindS && a.kind != KindN && a.kind != KindB) {
		return 0, false
	}
	return compareScalars(a, b), true
}

func compareScalars(a, b Value) int {
	if a.kind == KindN {
		return a.Number().Compare(b.Number())
	}
	return strings.Compare(a.text, b.text)
}
