package ddb

import (
	"errors"
	"testing"
)

func TestUpdate(t *testing.T) {
	for _, c := range []struct{ start, expr, values, want string }{
		{`{'m':{'M':{'a':{'N':'1'}}}}`, "SET m.b = :v", `{':v':{'N':'2'}}`, `{'m':{'M':{'a':{'N':'1'},'b':{'N':'2'}}}}`},
		{`{'l':{'L':[{'N':'1'},{'N':'2'}]}}`, "SET l[9] = :w, l[0] = :v, l[7] = :v", `{':v':{'N':'5'},':w':{'N':'6'}}`, `{'l':{'L':[{'N':'5'},{'N':'2'},{'N':'5'},{'N':'6'}]}}`},
		{`{'l':{'L':[{'M':{'k':{'N':'1'}}}]}}`, "SET l[0].k = :v", `{':v':{'N':'5'}}`, `{'l':{'L':[{'M':{'k':{'N':'5'}}}]}}`},
		{`{'l':{'L':[{'N':'1'}]}}`, "SET l = list_append(:v, l)", `{':v':{'L':[{'N':'2'}]}}`, `{'l':{'L':[{'N':'2'},{'N':'1'}]}}`},
		{`{}`, "SET l = list_append(if_not_exists(l, :e), :v)", `{':e':{'L':[]},':v':{'L':[{'N':'2'}]}}`, `{'l':{'L':[{'N':'2'}]}}`},
		{`{'n':{'N':'4'}}`, "SET n = if_not_exists(n, :o) - :o, x = if_not_exists(x, :o)", `{':o':{'N':'1'}}`, `{'n':{'N':'3'},'x':{'N':'1'}}`},
		{`{'a':{'N':'1'},'b':{'N':'2'}}`, "SET a = b, b = a", ``, `{'a':{'N':'2'},'b':{'N':'1'}}`},
		{`{'a':{'N':'1'}}`, "REMOVE a, zzz", ``, `{}`},
		{`{'m':{'M':{'a':{'N':'1'},'b':{'N':'2'}}}}`, "REMOVE m.a", ``, `{'m':{'M':{'b':{'N':'2'}}}}`},
		{`{'l':{'L':[{'N':'1'},{'N':'2'},{'N':'3'}]}}`, "REMOVE l[0], l[2], l[8]", ``, `{'l':{'L':[{'N':'2'}]}}`},
		{`{'l':{'L':[{'N':'1'},{'M':{}}]}}`, "REMOVE l[0] SET l[1].a = :v", `{':v':{'N':'2'}}`, `{'l':{'L':[{'M':{'a':{'N':'2'}}}]}}`},
		{`{'n':{'N':'2'},'s':{'SS':['a']}}`, "ADD n :v, s :s, q :s", `{':v':{'N':'-3'},':s':{'SS':['a','b']}}`, `{'n':{'N':'-1'},'s':{'SS':['a','b']},'q':{'SS':['a','b']}}`},
		{`{'s':{'SS':['a','b']},'q':{'NS':['1','2']},'r':{'SS':['z']}}`, "DELETE s :s, q :q, r :s, gone :s", `{':s':{'SS':['a','b']},':q':{'NS':['1.0']}}`, `{'q':{'NS':['2']},'r':{'SS':['z']}}`},
		{`{'r':{'N':'1'},'n':{'N':'1'}}`, "set a = :a\n\tremove r\nadd n :o", `{':a':{'S':'v'},':o':{'N':'1'}}`, `{'a':{'S':'v'},'n':{'N':'2'}}`},
		{`{'n':{'N':'12345678901234567890123456789012345678'}}`, "SET n = n + :o", `{':o':{'N':'1'}}`, `{'n':{'N':'12345678901234567890123456789012345679'}}`},
		{`{'a':{'N':'1'},'m':{'M':{}}}`, "SET m.x = a", ``, `{'a':{'N':'1'},'m':{'M':{'x':{'N':'1'}}}}`},
	} {
		var values Item
		if c.values != "" {
			values = parseItem(t, c.values)
		}
		update, err := ParseUpdate(c.expr, nil, values)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		start := parseItem(t, c.start)
		got, err := update.Apply(start)
		if err != nil || !EqualItems(got, parseItem(t, c.want)) {
			t.Errorf("%s on %s: %v, %v, want %s", c.expr, c.start, got, err, c.want)
		}
		if !EqualItems(start, parseItem(t, c.start)) {
			t.Errorf("%s changed the item that it was given", c.expr)
		}
	}
}

func TestUpdateMistakes(t *testing.T) {
	item := parseItem(t, `{'str':{'S':'x'},'m':{'M':{}},'l':{'L':[]},'n':{'N':'9.9e125'}}`)
	values := parseItem(t, `{':v':{'N':'1'},':w':{'S':'x'},':l':{'L':[]},':big':{'N':'9e125'}}`)
	const parsing = "Invalid UpdateExpression: "
	for expr, want := range map[string]string{
		"":                             parsing + "The expression can not be empty;",
		"FOO a":                        parsing + `Syntax error; token: "FOO", near: "FOO a"`,
		"SET a = = :v":                 parsing + `Syntax error; token: "=", near: "= = :v"`,
		"SET a = :v garbage":           parsing + `Syntax error; token: "garbage", near: ":v garbage"`,
		"SET status = :v":              parsing + "Attribute name is a reserved keyword; reserved keyword: status",
		"SET a = :v, a = :w":           parsing + "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]",
		"SET a.b = :v REMOVE a":        parsing + "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a]",
		"SET a = :v REMOVE a.b":        parsing + "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]",
		"SET a.b = :v, a[1] = :v":      parsing + "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a, [1]]",
		"SET a = :v SET b = :v":        parsing + `The "SET" section can only be used once in an update expression;`,
		"SET a = foo(:v)":              parsing + "Invalid function name; function: foo",
		"SET a = size(b)":              parsing + "The function is not allowed in an update expression; function: size",
		"SET n = :v + :w":              parsing + "Incorrect operand type for operator or function; operator or function: +, operand type: S",
		"ADD a :w":                     parsing + "Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND",
		"DELETE a :v":                  parsing + "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND",
		"ADD str :v":                   errUpdateType.Message,
		"SET a.b = :v":                 errUpdatePath.Message,
		"REMOVE a.b":                   errUpdatePath.Message,
		"SET m[0] = :v":                errUpdatePath.Message,
		"SET l.x = :v":                 errUpdatePath.Message,
		"SET a = nope + :v":            errUpdateMissing.Message,
		"SET a = nope":                 errUpdateMissing.Message,
		"SET a = list_append(str, :l)": errUpdateType.Message,
		"SET n = n + :big":             "Number overflow. Attempting to store a number with magnitude larger than supported range",
	} {
		scope, err := NewScope(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		update, err := scope.Update(expr)
		if err == nil {
			_, err = update.Apply(item)
		}
		var invalid *ValidationError
		if !errors.As(err, &invalid) || invalid.Message != want {
			t.Errorf("%s:\n got %v\nwant %s", expr, err, want)
		}
	}
}

func TestUpdatePickAndProjection(t *testing.T) {
	item := parseItem(t, `{'a':{'N':'1'},'b':{'N':'2'},'m':{'M':{'x':{'N':'6'},'y':{'N':'2'}}},'l':{'L':[{'N':'0'},{'M':{'q':{'N':'9'}}},{'N':'2'}]}}`)
	update, err := ParseUpdate("SET m.x = :v REMOVE a, gone", nil, Item{":v": Int(1)})
	if err != nil {
		t.Fatal(err)
	}
	if got := update.Pick(item); !EqualItems(got, parseItem(t, `{'a':{'N':'1'},'m':{'M':{'x':{'N':'6'}}}}`)) {
		t.Errorf("Pick: %v", got)
	}
	projection, err := ParseProjection("#l[2], l[1].q, m.y, m.gone, nope.a, b[0]", map[string]string{"#l": "l"})
	if err != nil {
		t.Fatal(err)
	}
	if got := projection.Apply(item); !EqualItems(got, parseItem(t, `{'l':{'L':[{'M':{'q':{'N':'9'}}},{'N':'2'}]},'m':{'M':{'y':{'N':'2'}}}}`)) {
		t.Errorf("Apply: %v", got)
	}
}
