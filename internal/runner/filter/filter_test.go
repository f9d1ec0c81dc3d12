package filter

import (
	"testing"
)

func TestMatch(t *testing.T) {
	publish := `{"dynamodb":{"NewImage":{"publish":{"M":{"n":{"N":[{"exists":true}]}}}}}}`
	for _, c := range []struct {
		name, pattern, record string
		want                  bool
	}{
		{"leaf exists", publish, `{"dynamodb":{"NewImage":{"publish":{"M":{"n":{"N":"3"}}}}}}`, true},
		{"leaf is absent", publish, `{"dynamodb":{"NewImage":{"state":{"S":"x"}}}}`, false},
		{"only the old image has it", publish, `{"dynamodb":{"OldImage":{"publish":{"M":{"n":{"N":"3"}}}}}}`, false},
		{"exists sees no objects", `{"a":[{"exists":true}]}`, `{"a":{"b":1}}`, false},
		{"exists false", `{"a":[{"exists":false}]}`, `{"b":1}`, true},
		{"exists false below what is absent", `{"a":{"b":[{"exists":false}]}}`, `{}`, true},
		{"equal string", `{"a":["x","y"]}`, `{"a":"y"}`, true},
		{"a number is no string", `{"a":[1]}`, `{"a":"1"}`, false},
		{"numbers by value", `{"a":[1.0]}`, `{"a":1e0}`, true},
		{"null", `{"a":[null]}`, `{"a":null}`, true},
		{"null is not absent", `{"a":[null]}`, `{}`, false},
		{"empty string", `{"a":[""]}`, `{"a":""}`, true},
		{"member of a list", `{"a":["x"]}`, `{"a":["w","x"]}`, true},
		{"and", `{"a":["x"],"b":["y"]}`, `{"a":"x","b":"z"}`, false},
		{"or over members", `{"$or":[{"a":["x"]},{"b":["y"]}]}`, `{"a":"q","b":"y"}`, true},
		{"prefix", `{"a":[{"prefix":"ab"}]}`, `{"a":"abc"}`, true},
		{"suffix", `{"a":[{"suffix":"bc"}]}`, `{"a":"abd"}`, false},
		{"ignore case", `{"a":[{"equals-ignore-case":"AB"}]}`, `{"a":"ab"}`, true},
		{"anything but", `{"a":[{"anything-but":["x"]}]}`, `{"a":"y"}`, true},
		{"anything but that", `{"a":[{"anything-but":"x"}]}`, `{"a":"x"}`, false},
		{"anything but wants a value", `{"a":[{"anything-but":"x"}]}`, `{}`, false},
		{"anything but a prefix", `{"a":[{"anything-but":{"prefix":"x"}}]}`, `{"a":"xy"}`, false},
		{"range", `{"a":[{"numeric":[">",1,"<=",5]}]}`, `{"a":5}`, true},
		{"out of range", `{"a":[{"numeric":[">",1,"<=",5]}]}`, `{"a":1}`, false},
		{"DynamoDB numbers are strings", `{"a":[{"numeric":["=",5]}]}`, `{"a":"5"}`, false},
		{"not JSON", `{"a":["x"]}`, `x`, false},
	} {
		f, err := Compile([]string{c.pattern})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := f.Match([]byte(c.record)); got != c.want {
			t.Errorf("%s: got %t", c.name, got)
		}
	}
}

func TestMatchMessage(t *testing.T) {
	for _, c := range []struct {
		name, pattern, record string
		want                  bool
	}{
		{"JSON body", `{"body":{"a":["x"]}}`, `{"body":"{\"a\":\"x\"}"}`, true},
		{"JSON body, other value", `{"body":{"a":["x"]}}`, `{"body":"{\"a\":\"y\"}"}`, false},
		{"JSON pattern, plain body", `{"body":{"a":["x"]}}`, `{"body":"x"}`, false},
		{"plain body", `{"body":["hello"]}`, `{"body":"hello"}`, true},
		{"plain pattern, JSON body", `{"body":["{}"]}`, `{"body":"{}"}`, false},
		{"metadata only", `{"awsRegion":["us-east-1"]}`, `{"body":"x","awsRegion":"us-east-1"}`, true},
	} {
		f, err := Compile([]string{c.pattern})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.MatchMessage([]byte(c.record), "body"); got != c.want {
			t.Errorf("%s: got %t", c.name, got)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, pattern := range []string{``, `[]`, `{}`, `{"a":"x"}`, `{"a":[]}`, `{"a":{}}`, `{"a":[[1]]}`, `{"a":[{"wild":"x"}]}`,
		`{"a":[{"exists":1}]}`, `{"a":[{"numeric":[">"]}]}`, `{"a":[{"numeric":["!",1]}]}`, `{"a":[{"prefix":"a","suffix":"b"}]}`} {
		if _, err := Compile([]string{pattern}); err == nil {
			t.Errorf("%s: no error", pattern)
		}
	}
	if _, err := Compile(make([]string, 6)); err == nil {
		t.Error("six patterns: no error")
	}
}

func FuzzFilter(f *testing.F) {
	f.Add(`{"a":[{"numeric":[">",1]}]}`, `{"a":2}`)
	f.Add(`{"$or":[{"a":[null]},{"b":{"c":["x"]}}]}`, `{"a":[1,{"c":[]}]}`)
	f.Fuzz(func(t *testing.T, pattern, record string) {
		compiled, err := Compile([]string{pattern})
		if err != nil {
			return
		}
		first := compiled.Match([]byte(record))
		if again := compiled.Match([]byte(record)); again != first {
			t.Error("two answers for one record")
		}
		compiled.MatchMessage([]byte(record), "a")
	})
}
