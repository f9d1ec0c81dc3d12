package cloudwatch

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// prefix is the service's name on the wire.
const prefix = "GraniteServiceVersion20100801"

// maxBody bounds a request, in bytes, as it comes and unpacked.
const maxBody = 4 << 20

// Operation gives the operation that a request of the RPC protocol asks for, "" for
// another request; see https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html.
func Operation(r *http.Request) string {
	operation, ok := strings.CutPrefix(r.URL.Path, "/service/"+prefix+"/operation/")
	if !ok || r.Header.Get("Smithy-Protocol") != "rpc-v2-cbor" {
		return ""
	}
	return operation
}

// ServeHTTP answers a call of the RPC protocol.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := Operation(r)
	operation := db.service.Operations[name]
	if operation == nil {
		Refuse(w, awsjson.Errorf("UnknownOperationException", "CloudWatch: the local endpoint does not support the operation %q", name))
		return
	}
	body, err := read(w, r)
	if err != nil {
		Refuse(w, awsjson.Errorf("SerializationException", "%s: reading the request: %v", name, err))
		return
	}
	answer, err := operation(r.Context(), body)
	if err != nil {
		Refuse(w, err)
		return
	}
	if answer == nil {
		answer = empty{}
	}
	write(w, http.StatusOK, encode(reflect.ValueOf(answer)))
}

// Refuse answers with an error; one that is no *awsjson.Error is an InternalServiceFault.
func Refuse(w http.ResponseWriter, err error) {
	var e *awsjson.Error
	if !errors.As(err, &e) {
		e = &awsjson.Error{Code: "InternalServiceFault", Message: err.Error(), Status: http.StatusInternalServerError}
	}
	status, fault := e.Status, "Sender"
	if status == 0 {
		status = http.StatusBadRequest
	}
	if status >= 500 {
		fault = "Receiver"
	}
	if e.QueryCode != "" {
		w.Header().Set("X-Amzn-Query-Error", e.QueryCode+";"+fault)
	}
	write(w, status, cbor.Map{"__type": cbor.String("com.amazonaws.cloudwatch#" + e.Code), "message": cbor.String(e.Message)})
}

func write(w http.ResponseWriter, status int, document cbor.Value) {
	w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
	w.Header().Set("Content-Type", "application/cbor")
	w.WriteHeader(status)
	_, _ = w.Write(cbor.Encode(document)) // the caller is gone: nobody is left to tell
}

// read gives a request's document as JSON, which is what operations take. The SDK packs
// large ones.
func read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	from := io.Reader(http.MaxBytesReader(w, r.Body, maxBody))
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return nil, err
		}
		from = io.LimitReader(unpacked, maxBody)
	}
	body, err := io.ReadAll(from)
	if err != nil || len(body) == 0 {
		return nil, err
	}
	document, err := cbor.Decode(body)
	if err != nil {
		return nil, err
	}
	plain, err := decode(document)
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

// decode turns a value into what encoding/json writes as the same.
func decode(v cbor.Value) (any, error) {
	switch v := v.(type) {
	case cbor.String:
		return string(v), nil
	case cbor.Bool:
		return bool(v), nil
	case cbor.Uint:
		return uint64(v), nil
	case cbor.NegInt, cbor.Float32, cbor.Float64:
		return cbor.AsFloat64(v)
	case *cbor.Nil, *cbor.Undefined:
		return nil, nil
	case *cbor.Tag: // of a time: the seconds
		return decode(v.Value)
	case cbor.List:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = decode(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case cbor.Map:
		members := make(map[string]any, len(v))
		for name, member := range v {
			var err error
			if members[name], err = decode(member); err != nil {
				return nil, err
			}
		}
		return members, nil
	}
	return nil, fmt.Errorf("a value of type %T has no meaning here", v)
}

// secondsTag says of a number that it is a time.
const secondsTag = 1

// encode turns an answer into a value, by the names and the rules of its JSON tags.
func encode(v reflect.Value) cbor.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return &cbor.Nil{}
		}
		return encode(v.Elem())
	case reflect.String:
		return cbor.String(v.String())
	case reflect.Float64:
		return cbor.Float64(v.Float())
	case reflect.Slice:
		list := make(cbor.List, v.Len())
		for i := range list {
			list[i] = encode(v.Index(i))
		}
		return list
	case reflect.Map:
		members := cbor.Map{}
		for name, member := range v.Seq2() {
			members[name.String()] = encode(member)
		}
		return members
	case reflect.Struct:
		if t, ok := v.Interface().(timestamp); ok {
			return &cbor.Tag{ID: secondsTag, Value: cbor.Float64(t.seconds())}
		}
		members := cbor.Map{}
		for field, member := range v.Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" {
				name = field.Name
			}
			if options != "omitempty" || !member.IsZero() {
				members[name] = encode(member)
			}
		}
		return members
	}
	panic("cloudwatch: an answer has a " + v.Type().String()) // a mistake of this package's
}
