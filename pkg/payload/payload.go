// Package payload encodes and decodes what jobs carry: arguments, and the
// documents that come over HTTP.
//
// Decoding is strict, so that a mistake shows where it was made and not in the
// middle of the night: unknown fields, names in the wrong case, duplicate names
// and trailing text are errors that say where they are. Numbers keep all their
// digits where the Go type can hold them.
package payload

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrInvalid is wrapped by every decoding error: the text is at fault and
// decoding it again can't help.
var ErrInvalid = errors.New("payload: invalid")

// Decode reads one JSON value into a T.
func Decode[T any](data []byte) (T, error) {
	var value T
	if err := decode(data, &value); err != nil {
		return value, err
	}
	return value, nil
}

// DecodeType reads one JSON value into a new value of the type.
func DecodeType(data []byte, t reflect.Type) (any, error) {
	pointer := reflect.New(t)
	if err := decode(data, pointer.Interface()); err != nil {
		return nil, err
	}
	return pointer.Elem().Interface(), nil
}

var strict = json.RejectUnknownMembers(true)

func decode(data []byte, pointer any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return fmt.Errorf("%w: the text is empty; a JSON value was expected", ErrInvalid)
	}
	if err := json.Unmarshal(data, pointer, strict); err != nil {
		return fmt.Errorf("%w: %s", ErrInvalid, explain(err))
	}
	return nil
}

// explain says in a person's words what is wrong and where.
func explain(err error) string {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		where := at(semantic.JSONPointer)
		switch {
		case errors.Is(err, json.ErrUnknownName):
			return fmt.Sprintf("there is no field %s", where)
		case semantic.Err != nil:
			return fmt.Sprintf("%s: %v", where, semantic.Err)
		case semantic.GoType != nil:
			return fmt.Sprintf("%s is a JSON %s; a %s was expected", where, kind(semantic.JSONKind), semantic.GoType)
		}
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return fmt.Sprintf("%s, byte %d: %v", at(syntactic.JSONPointer), syntactic.ByteOffset, syntactic.Err)
	}
	return err.Error()
}

// mostPlace bounds the place that an error names, in bytes: names and depths are
// the sender's, and the error goes into logs, letters and answers.
const mostPlace = 200

func at(pointer jsontext.Pointer) string {
	switch {
	case pointer == "":
		return "the document"
	case len(pointer) > mostPlace:
		return strings.ToValidUTF8(string(pointer[:mostPlace]), "") + "…"
	}
	return string(pointer)
}

func kind(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 'f', 't':
		return "boolean"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "value"
}

// Encode writes a value as JSON, the same bytes each time. A value whose own code
// panics meanwhile is one that can't be encoded.
func Encode(value any) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, fmt.Errorf("payload: encoding a %T: it panicked: %v", value, p)
		}
	}()
	data, err = json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("payload: encoding a %T: %w", value, err)
	}
	return data, nil
}
