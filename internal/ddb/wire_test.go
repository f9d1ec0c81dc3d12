package ddb

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawValue(t *rapid.T, depth int) Value {
	kind := Kind(rapid.IntRange(int(KindS), int(KindBS)).Draw(t, "kind"))
	if depth == 0 && (kind == KindL || kind == KindM) {
		kind = KindNULL
	}
	switch kind {
	case KindBOOL:
		return Bool(rapid.Bool().Draw(t, "bool"))
	case KindNULL:
		return Null()
	case KindL:
		return L(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Value { return drawValue(t, depth-1) }), 0, 3).Draw(t, "list")...)
	case KindM:
		return M(drawItem(t, depth-1))
	case KindSS, KindNS, KindBS:
		element := map[Kind]Kind{KindSS: KindS, KindNS: KindN, KindBS: KindB}[kind]
		members := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Value { return drawKey(t, element, "member") }), 1, 3).Draw(t, "members")
		set, err := Set(members...)
		if err != nil { // duplicates
			set, err = Set(members[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		return set
	default:
		return drawKey(t, kind, "scalar")
	}
}

func drawItem(t *rapid.T, depth int) Item {
	return rapid.MapOfN(rapid.StringN(1, 4, -1), rapid.Custom(func(t *rapid.T) Value { return drawValue(t, depth) }), 0, 3).Draw(t, "item")
}

func TestBothEncodingsKeepItems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := drawItem(t, 3)
		data, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		var back Item
		if err := json.Unmarshal(data, &back); err != nil || !EqualItems(item, back) {
			t.Errorf("JSON: %s reads as %v, %v", data, back, err)
		}
		stored := AppendItem(nil, item)
		if back, err = DecodeItem(stored); err != nil || !EqualItems(item, back) {
			t.Errorf("binary: %v reads as %v, %v", item, back, err)
		}
		if string(AppendItem(nil, back)) != string(stored) {
			t.Errorf("binary: %v has two forms", item)
		}
	})
}

func TestWireMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                         "is empty, must contain exactly one of the supported datatypes",
		`null`:                       "",
		`{"X":"1"}`:                  "is empty, must contain exactly one of the supported datatypes",
		`{"S":"a","N":"1"}`:          "has more than one datatypes set",
		`{"S":"a","S":"b"}`:          "has more than one datatypes set",
		`{"N":"1x"}`:                 "cannot be converted to a numeric value: 1x",
		`{"NULL":false}`:             "Null attribute value types must have the value of true",
		`{"SS":[]}`:                  "An string set  may not be empty",
		`{"SS":["a","a"]}`:           "Input collection [a, a] contains duplicates",
		`{"NS":["1","1.0"]}`:         "Input collection [1, 1] contains duplicates",
		strings.Repeat(`{"L":[`, 40): "Nesting Levels have exceeded supported limits",
	} {
		var v Value
		err := json.Unmarshal([]byte(text), &v)
		if strings.HasPrefix(text, `{"L":[`) {
			err = json.Unmarshal([]byte(text+strings.Repeat(`]}`, 40)), &v)
		}
		var invalid *ValidationError
		switch {
		case want == "":
			if v.Exists() {
				t.Errorf("%s: %v", text, v)
			}
		case !errors.As(err, &invalid) || !strings.Contains(invalid.Message, want):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{`{"S":5}`, `{"B":"a"}`, `{"B":"!!!!"}`, `{"BOOL":"true"}`, `{"L":{}}`, `{"M":[]}`, `"a"`, `{"N":1}`, `{"SS":[1]}`} {
		var v Value
		err := json.Unmarshal([]byte(text), &v)
		var invalid *ValidationError
		if err == nil || errors.As(err, &invalid) {
			t.Errorf("%s: %v, %v, want an error of form", text, v, err)
		}
	}
}

func FuzzValueJSON(f *testing.F) {
	for _, seed := range []string{`{"S":"a"}`, `{"M":{"a":{"L":[{"N":"1.5"}]}}}`, `{"BS":["AA=="]}`, `{"NULL":true}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, again Value
		if json.Unmarshal(data, &v) != nil || !v.Exists() {
			return
		}
		written, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &again); err != nil || !Equal(v, again) {
			t.Errorf("%s reads as %v, %v", written, again, err)
		}
	})
}

func FuzzDecodeItem(f *testing.F) {
	set, err := Set(Int(1), Int(2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(AppendItem(nil, Item{"a": S("x"), "b": L(Int(-1), M(Item{"c": set})), "d": Bool(true)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		item, err := DecodeItem(data)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatal(err)
		}
		_ = item.Size()
	})
}

func TestSizeAndReservedWords(t *testing.T) {
	item := parseItem(t, `{'ab':{'S':'€'},'n':{'N':'-12.5'},'b':{'B':'AAE='},'t':{'BOOL':true},'l':{'L':[{'S':'x'}]},'m':{'M':{'k':{'NULL':true}}},'s':{'SS':['x','yz']}}`)
	// names 8, € 3, number 1 + 2 + sign, binary 2, truth 1, list 3 + 1 + 1, map 3 + 1 + 1 + 1, set 3
	if got, want := item.Size(), 8+3+4+2+1+5+6+3; got != want {
		t.Errorf("size %d, want %d", got, want)
	}
	if len(reserved) != 573 || !IsReserved("Status") || IsReserved("pk") {
		t.Errorf("%d reserved words", len(reserved))
	}
}
