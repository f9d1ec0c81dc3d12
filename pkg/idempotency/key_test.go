package idempotency_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
)

func TestBadKeysRunNothing(t *testing.T) {
	for name, k := range map[string]idempotency.Key{
		"no scope":                 {ID: "a"},
		"no id":                    {Scope: "s"},
		"a scope too long":         {Scope: strings.Repeat("s", idempotency.LongestScope+1), ID: "a"},
		"a scope that is no UTF-8": {Scope: "s\xff", ID: "a"},
		"a payload that is none":   {Scope: "s", ID: "a", Payload: func() {}},
		"a number that is none":    {Scope: "s", ID: "a", Payload: math.NaN()},
		"broken JSON":              {Scope: "s", ID: "a", Payload: json.RawMessage(`{"a":`)},
		"a name twice":             {Scope: "s", ID: "a", Payload: json.RawMessage(`{"a":1,"a":2}`)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if _, err := w.pay(k); !errors.Is(err, idempotency.ErrBadKey) || !isPermanent(err) {
				t.Errorf("the error is %v", err)
			}
			w.wantCharges(0)
			if rows := w.rows(); len(rows) != 0 {
				t.Errorf("rows %v", rows)
			}
		})
	}
}

// place gives the primary key of a key's record.
func place(t *testing.T, k idempotency.Key) (pk, sk string) {
	t.Helper()
	w := newWorld(t)
	if _, err := w.pay(k); err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	return attribute(w.row(), "pk"), attribute(w.row(), "sk")
}

func TestKeysNeverMeet(t *testing.T) {
	long := strings.Repeat("k", 5000)
	_, hashed := place(t, idempotency.Key{Scope: "s", ID: long})
	hashOfLong, _ := place(t, idempotency.Key{Scope: "s", ID: long})
	seen := map[[2]string]idempotency.Key{}
	for _, k := range []idempotency.Key{
		{Scope: "a#b", ID: "c"}, {Scope: "a", ID: "b#c"}, {Scope: "a%23b", ID: "c"}, {Scope: "a%", ID: "23b#c"},
		{Scope: "a#", ID: "b"}, {Scope: "a", ID: "#b"}, {Scope: "A", ID: "b#c"}, {Scope: "a", ID: "b#C"},
		{Scope: "s", ID: long}, {Scope: "s", ID: long + "k"}, {Scope: "s", ID: strings.TrimPrefix(hashOfLong, "once#s#")},
		{Scope: "s", ID: "a\xff"}, {Scope: "s", ID: "a\xfe"}, {Scope: "s", ID: "a\ufffd"}, {Scope: "s", ID: "a"}, {Scope: "s", ID: "a "},
		{Scope: "s", ID: "a\x00"}, {Scope: "s", ID: "\uffff"}, {Scope: "s", ID: hashed},
	} {
		pk, sk := place(t, k)
		if twin, taken := seen[[2]string{pk, sk}]; taken {
			t.Errorf("%+v and %+v share a record", k, twin)
		}
		seen[[2]string{pk, sk}] = k
	}
}

func TestTheSamePayload(t *testing.T) {
	same := [][]any{
		{charge{"ann", 10}, &charge{"ann", 10}, map[string]any{"amount": 10, "account": "ann"},
			json.RawMessage(`{"account":"ann","amount":10}`), json.RawMessage("{ \"amount\" : 10,\n\"account\":\"\\u0061nn\" }")},
		{charge{"ann", 9007199254740993}, json.RawMessage(`{"account":"ann","amount":9007199254740993}`)},
		{charge{"ann", 9007199254740992}},
		{json.RawMessage(`{"A":1,"a":2}`), json.RawMessage(`{"a":2,"A":1}`)},
		{json.RawMessage(`{"A":2,"a":1}`)},
		{json.RawMessage(`1`), 1, 1.0}, {json.RawMessage(`1.0`)}, {json.RawMessage(`10e-1`)},
		{json.RawMessage(`123456789012345678901234567890`)}, {json.RawMessage(`123456789012345678901234567891`)},
		{json.RawMessage(`[1,2]`), []int{1, 2}}, {[]int{2, 1}}, {nil, json.RawMessage(`null`)}, {""}, {0}, {false}, {[]any{nil, nil}},
	}
	for i, group := range same {
		w := newWorld(t)
		for j, payloads := range append([][]any{group}, same...) {
			for _, payload := range payloads {
				_, err := w.pay(idempotency.Key{Scope: "s", ID: "a", Payload: payload})
				meets := j == 0 || j-1 == i // its own group comes first
				if meets && err != nil || !meets && !errors.Is(err, idempotency.ErrOtherPayload) {
					t.Errorf("%v after %v: %v", payload, group[0], err)
				}
			}
		}
		w.wantCharges(1)
	}
}

// A key's row is found again, fits DynamoDB, and is no other key's.
func FuzzKey(f *testing.F) {
	for _, seed := range [][4]string{
		{"a#b", "c", "a", "b#c"}, {"a%23b", "c", "a#b", "c"}, {"s", "\xff", "s", "\xfe"}, {"s", strings.Repeat("k", 2000), "s", "k"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, scope, id, otherScope, otherID string) {
		w := newWorld(t)
		pay := func(k idempotency.Key) (int, error) {
			return idempotency.Once(context.Background(), w.records, k, func(context.Context) (int, error) {
				r, err := w.charge(context.Background())
				return r.Number, err
			})
		}
		a, b := idempotency.Key{Scope: scope, ID: id}, idempotency.Key{Scope: otherScope, ID: otherID}
		first, err := pay(a)
		if err != nil {
			if !errors.Is(err, idempotency.ErrBadKey) {
				t.Fatal(err)
			}
			return
		}
		if pk := attribute(w.row(), "pk"); len(pk) > 2048 || !utf8.ValidString(pk) || !strings.HasPrefix(pk, "once#") {
			t.Errorf("the partition key is %q", pk)
		}
		if again, err := pay(a); err != nil || again != first {
			t.Errorf("it is not found again: %d, %v", again, err)
		}
		if other, err := pay(b); err == nil && (other == first) != (a == b) {
			t.Errorf("%q and %q: %d and %d", a, b, first, other)
		}
	})
}
