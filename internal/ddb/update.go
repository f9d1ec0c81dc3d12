package ddb

import (
	"maps"
	"slices"
)

// An Update is a parsed UpdateExpression. It is safe for concurrent use.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
type Update struct {
	root tree[*action]
}

// An action is one change: what is at a path becomes something else.
type action struct {
	clause string // SET, REMOVE, ADD, DELETE
	first  bool   // stands right behind its clause's keyword
	path   path
	value  *node // but for REMOVE
}

// Errors of an update that does not fit its item.
var (
	errUpdatePath    = Invalidf("The document path provided in the update expression is invalid for update")
	errUpdateType    = Invalidf("An operand in the update expression has an incorrect data type")
	errUpdateMissing = Invalidf("The provided expression refers to an attribute that does not exist in the item")
)

// Update parses an UpdateExpression. Mistakes are *ValidationErrors.
func (s *Scope) Update(expr string) (*Update, error) {
	c := checker{scope: s, label: "UpdateExpression", update: true}
	actions, err := parse(c.label, expr, func(p *parser) []*action { return p.update() })
	if err != nil {
		return nil, err
	}
	if err := c.sections(actions); err != nil {
		return nil, err
	}
	update := &Update{}
	for _, a := range actions {
		if err := c.bindPath(a.path); err != nil {
			return nil, err
		}
		if err := update.root.add(&c, a.path, a); err != nil {
			return nil, err
		}
	}
	for _, a := range actions {
		if err := c.bindAction(a); err != nil {
			return nil, err
		}
	}
	return update, nil
}

// sections checks words, and that each clause's keyword occurs once.
func (c *checker) sections(actions []*action) error {
	for _, a := range actions {
		if err := c.reserved(a.path); err != nil {
			return err
		}
		if a.value == nil {
			continue
		}
		if err := c.words(a.value, false); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, a := range actions {
		if a.first && seen[a.clause] {
			return c.fail(`The "%s" section can only be used once in an update expression;`, a.clause)
		}
		seen[a.clause] = true
	}
	return nil
}

var longNames = map[Kind]string{
	KindS: "STRING", KindN: "NUMBER", KindB: "BINARY", KindBOOL: "BOOLEAN", KindNULL: "NULL",
	KindL: "LIST", KindM: "MAP", KindSS: "STRING_SET", KindNS: "NUMBER_SET", KindBS: "BINARY_SET",
}

func (c *checker) bindAction(a *action) error {
	if a.value == nil {
		return nil
	}
	if err := c.bind(a.value); err != nil {
		return err
	}
	kind := a.value.value.kind
	fits := a.clause == "SET" || kind.IsSet() || (a.clause == "ADD" && kind == KindN)
	if !fits {
		return c.fail("Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND", a.clause, longNames[kind], a.clause)
	}
	return nil
}

// Attributes are the top-level attributes that the update writes.
func (u *Update) Attributes() []string {
	var names []string
	for _, child := range u.root.children {
		names = append(names, child.step.name)
	}
	return names
}

// Reads are the top-level attributes that right sides read, with repetitions.
func (u *Update) Reads() []string { return reads(&u.root, nil) }

func reads(t *tree[*action], names []string) []string {
	if t.end != nil && t.end.value != nil {
		names = append(names, t.end.value.attributes()...)
	}
	for _, child := range t.children {
		names = reads(child, names)
	}
	return names
}

// Pick gives, of an item before or after the update, the places that the
// update writes: what ReturnValues UPDATED_OLD and UPDATED_NEW answer.
func (u *Update) Pick(item Item) Item { return u.root.pickFields(item) }

// Apply gives the item after the update; nil stands for no item. Every right
// side sees the item as it was. The given item is not changed. An update that
// does not fit the item is a *ValidationError.
func (u *Update) Apply(item Item) (Item, error) { return applyFields(&u.root, item, item) }

func applyFields(t *tree[*action], fields, whole Item) (Item, error) {
	out := maps.Clone(fields)
	if out == nil {
		out = Item{}
	}
	for _, child := range t.children {
		value, err := apply(child, fields[child.step.name], whole)
		if err != nil {
			return nil, err
		}
		if value.Exists() {
			out[child.step.name] = value
		} else {
			delete(out, child.step.name)
		}
	}
	return out, nil
}

// apply gives what the value at a tree's place becomes; the zero Value is
// nothing.
func apply(t *tree[*action], value Value, whole Item) (Value, error) {
	switch {
	case t.end != nil:
		return t.end.apply(value, whole)
	case t.children[0].step.indexed && value.kind == KindL:
		return applyMembers(t, value.list, whole)
	case !t.children[0].step.indexed && value.kind == KindM:
		fields, err := applyFields(t, value.fields, whole)
		return M(fields), err
	default:
		return Value{}, errUpdatePath
	}
}

// applyMembers changes a list by the indexes that it had before: members past
// the end are appended in the order of their indexes, removed ones close up.
func applyMembers(t *tree[*action], members []Value, whole Item) (Value, error) {
	children := slices.SortedFunc(slices.Values(t.children), func(a, b *tree[*action]) int { return a.step.index - b.step.index })
	out := slices.Clone(members)
	for _, child := range children {
		value, err := apply(child, child.step.find(L(members...)), whole)
		switch {
		case err != nil:
			return Value{}, err
		case child.step.index < len(members):
			out[child.step.index] = value
		case value.Exists():
			out = append(out, value)
		}
	}
	return L(slices.DeleteFunc(out, func(v Value) bool { return !v.Exists() })...), nil
}

func (a *action) apply(current Value, whole Item) (Value, error) {
	switch a.clause {
	case "SET":
		return a.value.compute(whole)
	case "ADD":
		return add(current, a.value.value)
	case "DELETE":
		return subtract(current, a.value.value)
	default:
		return Value{}, nil
	}
}

// add is the ADD clause: a sum or a union.
func add(current, more Value) (Value, error) {
	switch {
	case !current.Exists():
		return more, nil
	case current.kind != more.kind:
		return Value{}, errUpdateType
	case more.kind == KindN:
		sum, err := current.Number().Add(more.Number())
		return N(sum), err
	}
	union := slices.Concat(current.list, more.list)
	slices.SortFunc(union, compareScalars)
	return Value{kind: current.kind, list: slices.CompactFunc(union, Equal)}, nil
}

// subtract is the DELETE clause; an empty set is nothing.
func subtract(current, less Value) (Value, error) {
	switch {
	case !current.Exists():
		return current, nil
	case current.kind != less.kind:
		return Value{}, errUpdateType
	}
	rest := slices.DeleteFunc(slices.Clone(current.list), func(v Value) bool { return contains(less, v) })
	if len(rest) == 0 {
		return Value{}, nil
	}
	return Value{kind: current.kind, list: rest}, nil
}

// compute gives a right side's value by the item before the update.
func (n *node) compute(item Item) (Value, error) {
	switch n.kind {
	case nodeValue:
		return n.value, nil
	case nodePath:
		if value := n.path.find(item); value.Exists() {
			return value, nil
		}
		return Value{}, errUpdateMissing
	}
	if n.op == "if_not_exists" {
		if value := n.args[0].path.find(item); value.Exists() {
			return value, nil
		}
		return n.args[1].compute(item)
	}
	first, err := n.args[0].compute(item)
	if err != nil {
		return Value{}, err
	}
	second, err := n.args[1].compute(item)
	if err != nil {
		return Value{}, err
	}
	return combine(n.op, first, second)
}

func combine(op string, a, b Value) (Value, error) {
	if op == "list_append" {
		if a.kind != KindL || b.kind != KindL {
			return Value{}, errUpdateType
		}
		return L(slices.Concat(a.list, b.list)...), nil
	}
	if a.kind != KindN || b.kind != KindN {
		return Value{}, errUpdateType
	}
	calculate := Number.Add
	if op == "-" {
		calculate = Number.Sub
	}
	result, err := calculate(a.Number(), b.Number())
	return N(result), err
}
