package samtemplate

import "strings"

// references reports every reference to something that the template lacks.
func (c *checker) references(t *Template) {
	check := func(n *node) {
		visit(n, func(line int, id string, attribute bool) {
			_, pseudo := (&Scope{}).pseudo(id)
			switch {
			case t.ids[id], !attribute && (pseudo || id == "AWS::NoValue" || t.parameters[id] != nil):
			default:
				c.report(line, "nothing is called %s", id)
			}
		})
		conditionsIn(n, func(line int, name string) {
			if t.conditions[name] == nil {
				c.report(line, "no condition %q", name)
			}
		})
	}
	for _, r := range t.Resources {
		check(r.properties)
		for _, id := range r.dependsOn {
			if !t.ids[id] {
				c.report(r.Line, "resource %s depends on %s, which the template lacks", r.ID, id)
			}
		}
	}
	for _, condition := range t.conditions {
		check(condition)
	}
}

// visit calls found for each name that the tree refers to. attribute is true
// for Fn::GetAtt, which only resources answer.
func visit(n *node, found func(line int, id string, attribute bool)) {
	each(n, func(n *node) {
		if n.kind != intrinsic {
			return
		}
		switch a := n.argument; n.function {
		case "Ref":
			found(n.line, a.text, false)
		case "Fn::GetAtt":
			if a.kind == list && len(a.list) == 2 {
				found(n.line, a.list[0].text, true)
			}
		case "Fn::Sub":
			pattern, own := a, (*node)(nil)
			if a.kind == list && len(a.list) == 2 {
				pattern, own = a.list[0], a.list[1]
			}
			for _, m := range placeholder.FindAllStringSubmatch(pattern.text, -1) {
				if m[1] == "!" || own.field(m[2]) != nil {
					continue
				}
				id, _, dotted := strings.Cut(m[2], ".")
				found(n.line, id, dotted)
			}
		}
	})
}

func conditionsIn(n *node, found func(line int, name string)) {
	each(n, func(n *node) {
		if n.kind == intrinsic && n.function == "Fn::If" && n.argument.kind == list && len(n.argument.list) > 0 {
			found(n.line, n.argument.list[0].text)
		}
	})
}

// each calls f for n and everything below it.
func each(n *node, f func(*node)) {
	if n == nil {
		return
	}
	f(n)
	each(n.argument, f)
	for _, item := range n.list {
		each(item, f)
	}
	for _, key := range n.keys {
		each(n.fields[key], f)
	}
}

// order sorts the resources so that each stands after what it refers to, and
// otherwise as they were written. A cycle is a mistake, as in CloudFormation.
func (t *Template) order(c *checker) {
	byID := map[string]*Resource{}
	for _, r := range t.Resources {
		byID[r.ID] = r
	}
	const (
		entered = 1
		left    = 2
	)
	state := map[string]int{}
	var sorted []*Resource
	var enter func(r *Resource)
	enter = func(r *Resource) {
		switch {
		case r == nil || state[r.ID] == left:
			return
		case state[r.ID] == entered:
			c.report(r.Line, "resource %s depends on itself through what it refers to", r.ID)
			return
		}
		state[r.ID] = entered
		for _, id := range r.dependsOn {
			enter(byID[id])
		}
		visit(r.properties, func(_ int, id string, _ bool) { enter(byID[id]) })
		state[r.ID] = left
		sorted = append(sorted, r)
	}
	for _, r := range t.Resources {
		enter(r)
	}
	t.Resources = sorted
}
