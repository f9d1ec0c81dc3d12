package ddb

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// errShape is a JSON value of a type that its place does not allow. AWS answers
// SerializationException.
var errShape = errors.New("ddb: unexpected JSON type")

// UnmarshalJSON reads DynamoDB's JSON form, {"S":"text"}: exactly one kind,
// numbers as strings, binaries in base64. A value that DynamoDB refuses is a
// *ValidationError; JSON of another shape is another error.
func (v *Value) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, v) }

// UnmarshalJSONFrom does the same on a stream.
func (v *Value) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := readValue(dec, 0)
	if err == nil {
		*v = value
	}
	return err
}

func readValue(dec *jsontext.Decoder, depth int) (Value, error) {
	if depth > MaxDepth {
		return Value{}, Invalidf("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
	}
	if dec.PeekKind() == 'n' {
		return Value{}, errEmpty()
	}
	if err := expect(dec, '{'); err != nil {
		return Value{}, err
	}
	if dec.PeekKind() == '}' {
		return Value{}, errEmpty()
	}
	name, err := readString(dec)
	if err != nil {
		return Value{}, err
	}
	value, err := readKind(dec, KindOf(name), depth)
	if err != nil {
		return Value{}, err
	}
	if dec.PeekKind() != '}' {
		return Value{}, Invalidf("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
	}
	return value, expect(dec, '}')
}

func errEmpty() error {
	return Invalidf("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

func readKind(dec *jsontext.Decoder, kind Kind, depth int) (Value, error) {
	switch kind {
	case KindS, KindN, KindB:
		return readScalar(dec, kind)
	case KindBOOL, KindNULL:
		tok, err := dec.ReadToken()
		if err != nil {
			return Value{}, err
		}
		if k := tok.Kind(); k != 't' && k != 'f' {
			return Value{}, fmt.Errorf("%w: %s needs true or false", errShape, kind)
		}
		if kind == KindBOOL {
			return Bool(tok.Bool()), nil
		}
		if !tok.Bool() {
			return Value{}, Invalidf("One or more parameter values were invalid: Null attribute value types must have the value of true")
		}
		return Null(), nil
	case KindL:
		members, err := readList(dec, func() (Value, error) { return readValue(dec, depth+1) })
		return L(members...), err
	case KindM:
		return readMap(dec, depth)
	case KindSS, KindNS, KindBS:
		element := map[Kind]Kind{KindSS: KindS, KindNS: KindN, KindBS: KindB}[kind]
		members, err := readList(dec, func() (Value, error) { return readScalar(dec, element) })
		if err != nil {
			return Value{}, err
		}
		if len(members) == 0 {
			return Value{}, Invalidf("One or more parameter values were invalid: An %s set  may not be empty", map[Kind]string{KindSS: "string", KindNS: "number", KindBS: "binary"}[kind])
		}
		return Set(members...)
	default:
		return Value{}, errEmpty()
	}
}

func readScalar(dec *jsontext.Decoder, kind Kind) (Value, error) {
	text, err := readString(dec)
	if err != nil {
		return Value{}, err
	}
	switch kind {
	case KindN:
		number, err := ParseNumber(text)
		return N(number), err
	case KindB:
		data, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil {
			return Value{}, fmt.Errorf("%w: a binary must be base64: %v", errShape, err)
		}
		return B(data), nil
	default:
		return S(text), nil
	}
}

func readList(dec *jsontext.Decoder, read func() (Value, error)) ([]Value, error) {
	if err := expect(dec, '['); err != nil {
		return nil, err
	}
	var members []Value
	for dec.PeekKind() != ']' {
		member, err := read()
		if err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	return members, expect(dec, ']')
}

func readMap(dec *jsontext.Decoder, depth int) (Value, error) {
	if err := expect(dec, '{'); err != nil {
		return Value{}, err
	}
	fields := Item{}
	for dec.PeekKind() != '}' {
		name, err := readString(dec)
		if err != nil {
			return Value{}, err
		}
		if fields[name], err = readValue(dec, depth+1); err != nil {
			return Value{}, err
		}
	}
	return M(fields), expect(dec, '}')
}

func readString(dec *jsontext.Decoder) (string, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return "", err
	}
	if tok.Kind() != '"' {
		return "", fmt.Errorf("%w: need a string, not %s", errShape, tok.Kind())
	}
	return tok.String(), nil
}

func expect(dec *jsontext.Decoder, kind jsontext.Kind) error {
	tok, err := dec.ReadToken()
	if err == nil && tok.Kind() != kind {
		err = fmt.Errorf("%w: need %s, not %s", errShape, kind, tok.Kind())
	}
	return err
}

// MarshalJSON writes the form that UnmarshalJSON reads, the fields of maps in
// order. The zero Value and text that is not UTF-8 are errors.
func (v Value) MarshalJSON() ([]byte, error) { return v.appendJSON(nil) }

// MarshalJSON writes the item as a JSON object, names in order.
func (item Item) MarshalJSON() ([]byte, error) {
	if item == nil {
		return []byte("null"), nil
	}
	return item.appendJSON(nil)
}

func (item Item) appendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	var err error
	for i, name := range item.names() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = jsontext.AppendQuote(dst, name); err != nil {
			return nil, fmt.Errorf("ddb: the attribute name %q: %w", name, err)
		}
		dst = append(dst, ':')
		if dst, err = item[name].appendJSON(dst); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// names are the attributes' names in order.
func (item Item) names() []string {
	names := make([]string, 0, len(item))
	for name := range item {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (v Value) appendJSON(dst []byte) (_ []byte, err error) {
	dst = append(dst, `{"`...)
	dst = append(dst, v.kind.String()...)
	dst = append(dst, `":`...)
	switch v.kind {
	case KindS, KindN, KindB:
		dst, err = v.appendScalar(dst)
	case KindBOOL:
		dst = fmt.Appendf(dst, "%t", v.flag)
	case KindNULL:
		dst = append(dst, "true"...)
	case KindM:
		dst, err = v.fields.appendJSON(dst)
	case KindL:
		dst, err = appendList(dst, v.list, Value.appendJSON)
	case KindSS, KindNS, KindBS:
		dst, err = appendList(dst, v.list, Value.appendScalar)
	default:
		err = errors.New("ddb: a value of no kind")
	}
	return append(dst, '}'), err
}

func appendList(dst []byte, members []Value, one func(Value, []byte) ([]byte, error)) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, member := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = one(member, dst); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func (v Value) appendScalar(dst []byte) ([]byte, error) {
	switch v.kind {
	case KindN:
		return append(append(append(dst, '"'), v.Number().String()...), '"'), nil
	case KindB:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), []byte(v.text)), '"'), nil
	default:
		dst, err := jsontext.AppendQuote(dst, v.text)
		if err != nil {
			return nil, fmt.Errorf("ddb: the string %q: %w", v.text, err)
		}
		return dst, nil
	}
}
