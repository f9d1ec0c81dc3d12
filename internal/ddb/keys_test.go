package ddb

import (
	"bytes"
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawKey(t *rapid.T, kind Kind, name string) Value {
	switch kind {
	case KindN:
		return N(drawNumber(t, name))
	case KindB:
		return B(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 'a', 0xFE, 0xFF}), 0, 6).Draw(t, name))
	default:
		return S(rapid.StringOfN(rapid.SampledFrom([]rune{0, 1, 'a', 'b', 'ÿ', '€'}), 0, 6, -1).Draw(t, name))
	}
}

// Pairs of keys sort as their bytes do: first by the first, then by the second.
func TestKeyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SampledFrom([]Kind{KindS, KindN, KindB}).Draw(t, "first kind")
		second := rapid.SampledFrom([]Kind{KindS, KindN, KindB}).Draw(t, "second kind")
		a1, b1 := drawKey(t, first, "a1"), drawKey(t, first, "b1")
		a2, b2 := drawKey(t, second, "a2"), drawKey(t, second, "b2")
		want := cmp.Or(compareScalars(a1, b1), compareScalars(a2, b2))
		got := bytes.Compare(AppendKey(AppendKey(nil, a1), a2), AppendKey(AppendKey(nil, b1), b2))
		if got != want {
			t.Errorf("(%v, %v) against (%v, %v): %d, want %d", a1, a2, b1, b2, got, want)
		}
	})
}

// An interval holds a key just when the key meets the condition.
func TestKeyInterval(t *testing.T) {
	conditions := []string{"", "r = :a", "r < :a", "r <= :a", "r > :a", "r >= :a", ":a < r", "r BETWEEN :a AND :b", "begins_with(r, :a)"}
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Kind{KindS, KindN, KindB}).Draw(t, "kind")
		test := rapid.SampledFrom(conditions).Draw(t, "condition")
		a, b, r := drawKey(t, kind, "a"), drawKey(t, kind, "b"), drawKey(t, kind, "r")
		if compareScalars(a, b) > 0 {
			a, b = b, a
		}
		r = rapid.SampledFrom([]Value{r, r, a, b}).Draw(t, "the sort key or a bound")
		if kind != KindN && a.text == "" || kind == KindN && strings.HasPrefix(test, "begins") {
			t.Skip("refused by DynamoDB")
		}
		hash := S(rapid.SampledFrom([]string{"h", "h\x00", "i"}).Draw(t, "hash"))
		values := Item{":h": S("h"), ":a": a, ":b": b}
		expr := "h = :h"
		if test != "" {
			expr += " AND " + test
		}
		for name := range values {
			if !strings.Contains(expr, name) {
				delete(values, name)
			}
		}
		key, err := ParseKeyCondition(expr, KeySchema{Hash: KeyAttribute{"h", KindS}, Range: KeyAttribute{"r", kind}}, nil, values)
		if err != nil {
			t.Fatal(err)
		}
		condition, err := ParseCondition(expr, nil, values)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := condition.Eval(Item{"h": hash, "r": r})
		from, to := key.Interval([]byte("p"))
		stored := append(AppendKey(AppendKey([]byte("p"), hash), r), "more"...)
		if got := bytes.Compare(stored, from) >= 0 && bytes.Compare(stored, to) < 0; got != want {
			t.Errorf("%s for (%v, %v): %v, want %v", expr, hash, r, got, want)
		}
	})
}

func TestKeyConditionMistakes(t *testing.T) {
	schema := KeySchema{Hash: KeyAttribute{"h", KindS}, Range: KeyAttribute{"r", KindN}}
	values := Item{":s": S("x"), ":n": Int(1), ":e": S("")}
	for expr, want := range map[string]string{
		"r = :n":                         "Query condition missed key schema element: h",
		"h = :s AND x = :n":              "Query condition missed key schema element",
		"h > :s":                         "Query key condition not supported",
		"h = :s AND r <> :n":             "Invalid operator used in KeyConditionExpression: <>",
		"h = :s OR r = :n":               "Invalid operator used in KeyConditionExpression: OR",
		"h = :s AND NOT r = :n":          "Invalid operator used in KeyConditionExpression: NOT",
		"h = :s AND r IN (:n)":           "Invalid operator used in KeyConditionExpression: IN",
		"h = :s AND attribute_exists(r)": "Invalid operator used in KeyConditionExpression: attribute_exists",
		"h = :s AND r > :n AND r < :n":   "KeyConditionExpressions must only contain one condition per key",
		"h = :s AND size(r) = :n":        "KeyConditionExpressions cannot contain nested operations",
		"h = :n":                         "One or more parameter values were invalid: Condition parameter type does not match schema type",
		"h = :e":                         "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: h",
		"h.a = :s":                       "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: h",
		":s = :s":                        "Query condition missed key schema element",
	} {
		scope, err := NewScope(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scope.KeyCondition(expr, schema); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", expr, err, want)
		}
	}
}
