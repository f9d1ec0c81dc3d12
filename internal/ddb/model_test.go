package ddb

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// A builder makes expressions out of bytes, and works out what they mean with
// plain Go beside it. Attributes are a to d, some of them absent, and hold small
// numbers.
type builder struct {
	bytes []byte
	item  map[string]int64
}

func (b *builder) next(n int) int {
	if len(b.bytes) == 0 {
		return 0
	}
	c := int(b.bytes[0])
	b.bytes = b.bytes[1:]
	return c % n
}

func (b *builder) attribute() string { return string(rune('a' + b.next(4))) }

// condition gives an expression and whether it holds.
func (b *builder) condition(depth int) (expr string, holds bool) {
	kind := b.next(8)
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		name := b.attribute()
		_, there := b.item[name]
		return "attribute_exists(" + name + ")", there
	case 1:
		name := b.attribute()
		_, there := b.item[name]
		return "attribute_not_exists(" + name + ")", !there
	case 2, 3:
		return b.comparison()
	case 4:
		inner, holds := b.condition(depth - 1)
		return "NOT " + inParentheses(inner), !holds
	case 5, 6:
		left, l := b.condition(depth - 1)
		right, r := b.condition(depth - 1)
		return inParentheses(left) + " AND " + inParentheses(right), l && r
	default: // AND binds more strongly than OR
		first, f := b.condition(depth - 1)
		second, s := b.condition(depth - 1)
		third, t := b.condition(depth - 1)
		return inParentheses(first) + " OR " + inParentheses(second) + " AND " + inParentheses(third), f || s && t
	}
}

func inParentheses(expr string) string { return "(" + expr + ")" }

// comparison compares with a value. An absent attribute equals nothing, differs
// from everything, and is neither less nor more.
func (b *builder) comparison() (expr string, holds bool) {
	name, operator, v := b.attribute(), b.next(6), int64(b.next(5))
	have, there := b.item[name]
	results := []bool{have == v, have != v, have < v, have <= v, have > v, have >= v}
	holds = there && results[operator] || !there && operator == 1
	return fmt.Sprintf("%s %s :v%d", name, []string{"=", "<>", "<", "<=", ">", ">="}[operator], v), holds
}

// update gives an expression that changes each attribute at most once, and what is
// there afterwards; ok is false where it can't be applied.
func (b *builder) update() (expr string, after map[string]int64, ok bool) {
	after, ok = maps.Clone(b.item), true
	var set, remove, add []string
	for _, name := range []string{"a", "b", "c", "d"} {
		v := int64(b.next(5))
		have, there := b.item[name]
		switch b.next(6) {
		case 0:
			set = append(set, fmt.Sprintf("%s = :v%d", name, v))
			after[name] = v
		case 1:
			set = append(set, fmt.Sprintf("%s = %s - :v%d", name, name, v))
			after[name], ok = have-v, ok && there
		case 2:
			set = append(set, fmt.Sprintf("%s = if_not_exists(%s, :v%d)", name, name, v))
			if !there {
				after[name] = v
			}
		case 3:
			remove = append(remove, name)
			delete(after, name)
		case 4:
			add = append(add, fmt.Sprintf("%s :v%d", name, v))
			after[name] = have + v
		}
	}
	for _, clause := range []struct {
		word  string
		parts []string
	}{{"SET ", set}, {" REMOVE ", remove}, {" ADD ", add}} {
		if len(clause.parts) > 0 {
			expr += clause.word + strings.Join(clause.parts, ", ")
		}
	}
	return expr, after, ok
}

func numbers(of map[string]int64) Item {
	item := Item{}
	for name, n := range of {
		item[name] = Int(n)
	}
	return item
}

// Expressions mean what plain Go says that they mean.
func FuzzExpressionsAgainstGo(f *testing.F) {
	f.Add([]byte{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6})
	f.Add([]byte{1, 1, 1, 1, 7, 5, 6, 4, 2, 0, 1, 3, 3, 2, 1, 0, 1, 2, 3, 4, 4, 4, 4})
	values := Item{}
	for v := range int64(5) {
		values[fmt.Sprintf(":v%d", v)] = Int(v)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := &builder{bytes: data, item: map[string]int64{}}
		for _, name := range []string{"a", "b", "c", "d"} {
			if n := b.next(6); n < 5 {
				b.item[name] = int64(n)
			}
		}
		scope, err := NewScope(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		expr, want := b.condition(4)
		condition, err := scope.Condition(expr)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		if got, err := condition.Eval(numbers(b.item)); got != want || err != nil {
			t.Errorf("%s on %v: %v, %v; Go says %v", expr, b.item, got, err, want)
		}
		expr, after, ok := b.update()
		if expr == "" {
			return
		}
		update, err := scope.Update(expr)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		got, err := update.Apply(numbers(b.item))
		if (err == nil) != ok || ok && !EqualItems(got, numbers(after)) {
			t.Errorf("%s on %v: %v, %v; Go says %v, %v", expr, b.item, got, err, after, ok)
		}
	})
}
