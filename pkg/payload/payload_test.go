package payload_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/payload"
)

type order struct {
	Key   string `json:"key"`
	Count int64  `json:"count"`
	Inner struct {
		Tags []string `json:"tags"`
	} `json:"inner"`
}

func TestDecode(t *testing.T) {
	got, err := payload.Decode[order]([]byte(` {"key":"a","count":9007199254740993,"inner":{"tags":["x"]}} `))
	if err != nil || got.Key != "a" || got.Count != 9007199254740993 || len(got.Inner.Tags) != 1 {
		t.Errorf("Decode = %+v, %v", got, err)
	}
}

func TestMistakesSayWhereTheyAre(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "  ", "empty"},
		{"unknown field", `{"key":"a","colour":1}`, "/colour"},
		{"wrong case", `{"Key":"a"}`, "/Key"},
		{"duplicate name", `{"key":"a","key":"b"}`, "/key"},
		{"wrong type", `{"key":7}`, "/key is a JSON number"},
		{"nested", `{"inner":{"tags":[1]}}`, "/inner/tags/0"},
		{"fraction", `{"count":1.5}`, "/count"},
		{"too large a number", `{"count":99999999999999999999}`, "/count"},
		{"trailing text", `{"key":"a"} {}`, "byte"},
		{"cut off", `{"key":"a`, "byte"},
		{"bad text", "{\"key\":\"\xff\"}", "byte"},
		{"an array", `[1]`, "the document is a JSON array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := payload.Decode[order]([]byte(tt.text))
			if !errors.Is(err, payload.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Decode = %v, want it to mention %q", err, tt.want)
			}
		})
	}
}

// What a sender calls his fields, and how deep they lie, doesn't fill the logs.
func TestMistakesAreShort(t *testing.T) {
	for name, text := range map[string]string{
		"a long name": `{"` + strings.Repeat("é", 1<<16) + `":1}`,
		"deep":        `{"key":` + strings.Repeat("[", 1<<16),
		"a long text": `{"key":"` + strings.Repeat(`\ud800`, 1<<16) + `"}`,
		"a long word": `{"count":` + strings.Repeat("x", 1<<16) + `}`,
		"long digits": `{"count":` + strings.Repeat("9", 1<<16) + `}`,
	} {
		_, err := payload.Decode[order]([]byte(text))
		if !errors.Is(err, payload.ErrInvalid) || len(err.Error()) > 400 || !utf8.ValidString(err.Error()) {
			t.Errorf("%s: an error of %d bytes: %.500v", name, len(err.Error()), err)
		}
	}
}

func TestDecodeType(t *testing.T) {
	got, err := payload.DecodeType([]byte(`{"key":"a"}`), reflect.TypeFor[order]())
	if o, ok := got.(order); err != nil || !ok || o.Key != "a" {
		t.Errorf("DecodeType = %#v, %v", got, err)
	}
	if _, err := payload.DecodeType([]byte(`{"colour":1}`), reflect.TypeFor[order]()); !errors.Is(err, payload.ErrInvalid) {
		t.Errorf("DecodeType = %v", err)
	}
}

func TestEncodeIsTheSameEachTime(t *testing.T) {
	m := map[string]int{}
	for i := range 50 {
		m[fmt.Sprint(i)] = i
	}
	first, err := payload.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if again, err := payload.Encode(m); err != nil || string(again) != string(first) {
			t.Fatal("a map was encoded in another order")
		}
	}
	if _, err := payload.Encode(func() {}); err == nil {
		t.Error("a function was encoded")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"key":"a","count":1,"inner":{"tags":["x"]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := payload.Decode[order](data)
		if err != nil {
			if !errors.Is(err, payload.ErrInvalid) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		// Strict decoding accepts nothing that the standard library refuses.
		var loose order
		if err := json.Unmarshal(data, &loose); err != nil || loose.Key != value.Key || loose.Count != value.Count {
			t.Errorf("encoding/json reads %q as %+v (%v), Decode as %+v", data, loose, err, value)
		}
	})
}

func ExampleDecode() {
	type Resize struct {
		Key string `json:"key"`
	}
	_, err := payload.Decode[Resize]([]byte(`{"kee": "uploads/1"}`))
	fmt.Println(err)
	// Output: payload: invalid: there is no field /kee
}
