package ddb

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// parseItem reads an item in wire form with single quotes for double ones.
func parseItem(t testing.TB, text string) Item {
	t.Helper()
	var item Item
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &item); err != nil {
		t.Fatalf("the item %s: %v", text, err)
	}
	return item
}

const richItem = `{'n':{'N':'5'},'n2':{'N':'6'},'str':{'S':'hello'},'b':{'B':'YWJj'},'t':{'BOOL':true},'nul':{'NULL':true},
'set1':{'SS':['b','a']},'nset':{'NS':['1','2.0']},'l':{'L':[{'S':'x'},{'N':'2'},{'M':{'c':{'S':'deep'}}}]},
'm':{'M':{'x':{'M':{'y':{'N':'7'}}},'st':{'S':'INPROGRESS'}}},'a.b':{'N':'3'},'status':{'S':'OPEN'}}`

func TestCondition(t *testing.T) {
	item := parseItem(t, richItem)
	for _, c := range []struct {
		expr, values string
		want         bool
	}{
		{"n = :v", `{':v':{'N':'5.0'}}`, true},
		{"n <> :v", `{':v':{'N':'5'}}`, false},
		{"n <> :v", `{':v':{'S':'5'}}`, true},
		{"absent_a = :v", `{':v':{'N':'5'}}`, false},
		{"absent_a <> :v", `{':v':{'N':'5'}}`, true},
		{"n < :v", `{':v':{'N':'10'}}`, true},
		{"n < :v", `{':v':{'S':'a'}}`, false},
		{"n >= :v AND n <= :v", `{':v':{'N':'5'}}`, true},
		{":v > n", `{':v':{'N':'5'}}`, false},
		{"n < n2", ``, true},
		{"n BETWEEN :a AND :b AND str = :h", `{':a':{'N':'1'},':b':{'N':'5'},':h':{'S':'hello'}}`, true},
		{"NOT n BETWEEN :a AND :b", `{':a':{'N':'6'},':b':{'N':'9'}}`, true},
		{"n IN (:a, :b)", `{':a':{'N':'1'},':b':{'N':'5'}}`, true},
		{"str in (:a)", `{':a':{'S':'x'}}`, false},
		{"n = :v OR str = :h AND t = :f", `{':v':{'N':'5'},':h':{'S':'hello'},':f':{'BOOL':false}}`, true},
		{"(n = :v OR str = :h) AND t = :f", `{':v':{'N':'5'},':h':{'S':'hello'},':f':{'BOOL':false}}`, false},
		{"NOT (n = :v AND str = :h)", `{':v':{'N':'5'},':h':{'S':'x'}}`, true},
		{"(n) = (:v)", `{':v':{'N':'5'}}`, true},
		{"((n) = :v) and (size(l) > :z)", `{':v':{'N':'5'},':z':{'N':'2'}}`, true},
		{"m.x.y = :v", `{':v':{'N':'7'}}`, true},
		{"l[2].c = :v", `{':v':{'S':'deep'}}`, true},
		{"attribute_exists(l[3])", ``, false},
		{"attribute_not_exists(m.x.z)", ``, true},
		{"attribute_not_exists(str.z)", ``, true},
		{"set1 = :v", `{':v':{'SS':['a','b']}}`, true},
		{"l = :v", `{':v':{'L':[{'S':'x'},{'N':'2'},{'M':{'c':{'S':'deep'}}}]}}`, true},
		{"size(str) = :v", `{':v':{'N':'5'}}`, true},
		{"size(m) = :v", `{':v':{'N':'2'}}`, true},
		{"size(n) = :v", `{':v':{'N':'1'}}`, false},
		{"contains(str, :v)", `{':v':{'S':'ell'}}`, true},
		{"contains(nset, :v)", `{':v':{'N':'2'}}`, true},
		{"contains(l, :v)", `{':v':{'N':'2'}}`, true},
		{"contains(b, :v)", `{':v':{'B':'YmM='}}`, true},
		{"begins_with(b, :v)", `{':v':{'B':'YWI='}}`, true},
		{"begins_with(str, :v)", `{':v':{'S':'el'}}`, false},
		{"attribute_type(m, :v)", `{':v':{'S':'M'}}`, true},
		{"attribute_type(absent_a, :v)", `{':v':{'S':'M'}}`, false},
	} {
		var values Item
		if c.values != "" {
			values = parseItem(t, c.values)
		}
		condition, err := ParseCondition(c.expr, nil, values)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		if got, err := condition.Eval(item); got != c.want || err != nil {
			t.Errorf("%s with %s: %v, %v, want %v", c.expr, c.values, got, err, c.want)
		}
	}
}

func TestConditionMistakes(t *testing.T) {
	values := parseItem(t, `{':v':{'N':'1'},':s':{'S':'b'},':a':{'S':'a'},':l':{'L':[]},':t':{'BOOL':true}}`)
	for expr, want := range map[string]string{
		"":                          "The expression can not be empty;",
		"a = :v )":                  `Syntax error; token: ")", near: ":v )"`,
		"a = :v b = :v":             `Syntax error; token: "b", near: ":v b ="`,
		"attribute_exists(a":        `Syntax error; token: "<EOF>", near: "a"`,
		"a == :v":                   `Syntax error; token: "=", near: "== :v"`,
		"a = :v AND":                `Syntax error; token: "<EOF>", near: "AND"`,
		"(a)":                       `Syntax error; token: "<EOF>", near: ")"`,
		"((a = :v))":                "The expression has redundant parentheses;",
		"foo(a)":                    "Invalid function name; function: foo",
		"size(a)":                   "The function is not allowed to be used this way in an expression; function: size",
		"attribute_exists(a) = :v":  "The function is not allowed to be used this way in an expression; function: attribute_exists",
		"if_not_exists(a, :v) = :v": "The function is not allowed in a condition expression; function: if_not_exists",
		"contains(a)":               "Incorrect number of operands for operator or function; operator or function: contains, number of operands: 1",
		"status = :v":               "Attribute name is a reserved keyword; reserved keyword: status",
		"a = :nope":                 "An expression attribute value used in expression is not defined; attribute value: :nope",
		"#nope = :v":                "An expression attribute name used in the document path is not defined; attribute name: #nope",
		"a < :l":                    "Incorrect operand type for operator or function; operator or function: <, operand type: L",
		"begins_with(a, :v)":        "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
		"size(:t) = :v":             "Incorrect operand type for operator or function; operator or function: size, operand type: BOOL",
		"attribute_type(a, :s)":     "Invalid attribute type name found; type: b, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
		"attribute_exists(:v)":      "Operator or function requires a document path; operator or function: attribute_exists",
		"a.b = a.b":                 "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a, b]",
		"a BETWEEN :s AND :a":       "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}",
		"a BETWEEN :s AND :v":       "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {N:1}",
		"a[99999999999] = :v":       "List index is not within the allowable range; index: [99999999999]",
		"a = :v AND ! b":            `Syntax error; token: "!", near: "AND ! b"`,
		strings.Repeat("a", 5000):   "Expression size has exceeded the maximum allowed size; expression size: 5000",
	} {
		scope, err := NewScope(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		_, err = scope.Condition(expr)
		var invalid *ValidationError
		if !errors.As(err, &invalid) || invalid.Message != "Invalid ConditionExpression: "+want {
			t.Errorf("%s:\n got %v\nwant %s", expr, err, want)
		}
	}
}

func TestUnusedIsJudgedOverAllExpressions(t *testing.T) {
	scope, err := NewScope(map[string]string{"#a": "a", "#b": "b"}, Item{":v": Int(1)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scope.Condition("#a = :v"); err != nil {
		t.Fatal(err)
	}
	want := "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}"
	if err := scope.Unused(); err == nil || err.Error() != want {
		t.Errorf("one expression: %v, want %s", err, want)
	}
	if _, err := scope.Update("REMOVE #b"); err != nil {
		t.Fatal(err)
	}
	if err := scope.Unused(); err != nil {
		t.Errorf("both expressions: %v", err)
	}
}

func FuzzCondition(f *testing.F) {
	for _, seed := range []string{"a = :v", "NOT (a < :v) OR size(b[1].c) IN (:v, :w)", "((", "attribute_type(a, :w)", "a BETWEEN :v AND :v", "#n.#n=:v"} {
		f.Add(seed)
	}
	item := parseItem(f, richItem)
	f.Fuzz(func(t *testing.T, expr string) {
		scope, err := NewScope(map[string]string{"#n": "n"}, Item{":v": Int(5), ":w": S("S")})
		if err != nil {
			t.Fatal(err)
		}
		for _, parse := range []func(string) error{
			func(e string) error {
				c, err := scope.Condition(e)
				if err == nil {
					_, err = c.Eval(item)
				}
				return err
			},
			func(e string) error {
				u, err := scope.Update(e)
				if err == nil {
					_, err = u.Apply(item)
				}
				return err
			},
			func(e string) error { p, err := scope.Projection(e); p.Apply(item); return err },
			func(e string) error {
				_, err := scope.KeyCondition(e, KeySchema{Hash: KeyAttribute{"n", KindN}})
				return err
			},
		} {
			var invalid *ValidationError
			if err := parse(expr); err != nil && !errors.As(err, &invalid) {
				t.Fatalf("%q: %v is no ValidationError", expr, err)
			}
		}
	})
}
