package ddb

// A tree holds the paths of an update or a projection, each with something at
// its end, merged by their common beginnings.
type tree[T any] struct {
	step     step
	children []*tree[T]
	path     path // at an end: the whole path
	end      T
}

// add merges a path. It fails with a message where the path ends in or leads
// through another one, or takes one attribute for a list and a map.
func (t *tree[T]) add(c *checker, p path, end T) error {
	at := t
	for i, s := range p {
		if at.path != nil {
			return c.clash("overlap", at.path, p)
		}
		if len(at.children) > 0 && at.children[0].step.indexed != s.indexed {
			return c.clash("conflict", at.children[0].anyPath(), p)
		}
		child := at.child(s)
		if child == nil {
			child = &tree[T]{step: s}
			at.children = append(at.children, child)
		} else if i == len(p)-1 {
			return c.clash("overlap", child.anyPath(), p)
		}
		at = child
	}
	at.path, at.end = p, end
	return nil
}

func (c *checker) clash(how string, one, two path) error {
	return c.fail("Two document paths %s with each other; must remove or rewrite one of these paths; path one: %s, path two: %s", how, one, two)
}

func (t *tree[T]) child(s step) *tree[T] {
	for _, child := range t.children {
		if child.step.same(s) {
			return child
		}
	}
	return nil
}

// anyPath is the path of some end at or below a tree.
func (t *tree[T]) anyPath() path {
	for t.path == nil {
		t = t.children[0]
	}
	return t.path
}

// pick copies from a value what the tree's paths lead to. Lists keep the
// chosen members alone, in their order.
func (t *tree[T]) pick(value Value) Value {
	switch {
	case t.path != nil || !value.Exists():
		return value
	case t.children[0].step.indexed:
		var members []Value
		for i := range value.list {
			if child := t.child(step{index: i, indexed: true}); child != nil && value.kind == KindL {
				if member := child.pick(value.list[i]); member.Exists() {
					members = append(members, member)
				}
			}
		}
		if members == nil {
			return Value{}
		}
		return L(members...)
	default:
		fields := t.pickFields(value.fields)
		if len(fields) == 0 {
			return Value{}
		}
		return M(fields)
	}
}

func (t *tree[T]) pickFields(item Item) Item {
	fields := Item{}
	for _, child := range t.children {
		if field := child.pick(item[child.step.name]); field.Exists() {
			fields[child.step.name] = field
		}
	}
	return fields
}
