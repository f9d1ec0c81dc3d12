package samtemplate

// condition evaluates the named condition of the template, once. One that
// refers to itself is a mistake.
func (r *resolver) condition(line int, name string) bool {
	if known, ok := r.known[name]; ok {
		return known
	}
	n := r.template.conditions[name]
	if n == nil || r.evaluating[name] {
		r.report(line, "no condition %q, or one that refers to itself", name)
		return false
	}
	if r.known == nil {
		r.known, r.evaluating = map[string]bool{}, map[string]bool{}
	}
	r.evaluating[name] = true
	r.known[name] = r.evaluate(n)
	return r.known[name]
}

// evaluate gives the truth of a condition function.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html
func (r *resolver) evaluate(n *node) bool {
	if n.kind == mapping && len(n.keys) == 1 && n.keys[0] == "Condition" {
		return r.condition(n.line, n.fields["Condition"].text)
	}
	if n.kind != intrinsic {
		return n.text == "true"
	}
	members := n.argument.list
	switch n.function {
	case "Fn::Equals":
		return r.string(members[0]) == r.string(members[1])
	case "Fn::Not":
		return !r.evaluate(members[0])
	case "Fn::And":
		for _, m := range members {
			if !r.evaluate(m) {
				return false
			}
		}
		return true
	case "Fn::Or":
		for _, m := range members {
			if r.evaluate(m) {
				return true
			}
		}
		return false
	}
	r.report(n.line, "%s is no condition function", n.function)
	return false
}
