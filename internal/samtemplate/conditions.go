package samtemplate

// condition evaluates the named condition of the template.
func (r *resolver) condition(line int, name string, depth int) bool {
	n := r.template.conditions[name]
	if n == nil || depth > maxDepth {
		r.report(line, "no condition %q, or one that refers to itself", name)
		return false
	}
	return r.evaluate(n, depth+1)
}

// evaluate gives the truth of a condition function.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html
func (r *resolver) evaluate(n *node, depth int) bool {
	if n.kind == mapping && len(n.keys) == 1 && n.keys[0] == "Condition" {
		return r.condition(n.line, n.fields["Condition"].text, depth)
	}
	if n.kind != intrinsic {
		return n.text == "true"
	}
	members := n.argument.list
	switch n.function {
	case "Fn::Equals":
		return r.string(members[0]) == r.string(members[1])
	case "Fn::Not":
		return !r.evaluate(members[0], depth)
	case "Fn::And":
		for _, m := range members {
			if !r.evaluate(m, depth) {
				return false
			}
		}
		return true
	case "Fn::Or":
		for _, m := range members {
			if r.evaluate(m, depth) {
				return true
			}
		}
		return false
	}
	r.report(n.line, "%s is no condition function", n.function)
	return false
}
