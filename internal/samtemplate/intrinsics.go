package samtemplate

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
)

// arity gives the least and the greatest number of list members that an
// intrinsic function takes; {0, 0} marks one whose argument is no list.
var arity = map[string][2]int{
	"Ref": {}, "Fn::Sub": {}, "Fn::Base64": {},
	"Fn::GetAtt": {2, 2}, "Fn::Join": {2, 2}, "Fn::Select": {2, 2}, "Fn::Split": {2, 2},
	"Fn::If": {3, 3}, "Fn::Equals": {2, 2}, "Fn::Not": {1, 1}, "Fn::And": {2, 10}, "Fn::Or": {2, 10},
	"Fn::FindInMap": {3, 3},
}

func isIntrinsic(name string) bool {
	_, ok := arity[name]
	return ok
}

// checkIntrinsic reports an argument of the wrong form.
func (c *checker) checkIntrinsic(n *node) {
	bounds, a := arity[n.function], n.argument
	switch {
	case n.function == "Ref" && a.kind != scalar:
		c.report(n.line, "Ref takes a name")
	case n.function == "Fn::Sub" && a.kind != scalar && !(a.kind == list && len(a.list) == 2 && a.list[0].kind == scalar && a.list[1].kind == mapping):
		c.report(n.line, "Fn::Sub takes a string, or a string and a mapping")
	case n.function == "Fn::GetAtt" && a.kind == scalar: // long form with "A.B"
		id, attribute, _ := strings.Cut(a.text, ".")
		n.argument = &node{kind: list, line: a.line, list: []*node{text(a.line, id), text(a.line, attribute)}}
		c.checkIntrinsic(n)
	case bounds[1] > 0 && (a.kind != list || len(a.list) < bounds[0] || len(a.list) > bounds[1]):
		c.report(n.line, "%s takes a list of %d to %d", n.function, bounds[0], bounds[1])
	case n.function == "Fn::GetAtt" && (a.list[0].kind != scalar || a.list[1].kind != scalar || a.list[0].text == "" || a.list[1].text == ""):
		c.report(n.line, "Fn::GetAtt takes a logical id and an attribute")
	}
}

// placeholder finds ${Name}, ${Name.Attribute} and the literal ${!Name}.
var placeholder = regexp.MustCompile(`\$\{(!?)([A-Za-z0-9_.:]+)\}`)

// resolver evaluates intrinsic functions.
type resolver struct {
	*checker
	template *Template
	scope    *Scope

	known      map[string]bool // conditions evaluated
	evaluating map[string]bool
}

// value gives the node without intrinsic functions on top; nil stands for
// AWS::NoValue or for a mistake that has been reported.
func (r *resolver) value(n *node) *node {
	if n == nil || n.kind != intrinsic {
		return n
	}
	a := n.argument
	switch n.function {
	case "Ref":
		return r.reference(n.line, a.text)
	case "Fn::GetAtt":
		return r.attribute(n.line, a.list[0].text, a.list[1].text)
	case "Fn::Sub":
		return r.substitute(n)
	case "Fn::Join":
		return text(n.line, strings.Join(r.strings(a.list[1]), r.string(a.list[0])))
	case "Fn::Split":
		parts := &node{kind: list, line: n.line}
		for _, part := range strings.Split(r.string(a.list[1]), r.string(a.list[0])) {
			parts.list = append(parts.list, text(n.line, part))
		}
		return parts
	case "Fn::Select":
		return r.selected(n)
	case "Fn::Base64":
		return text(n.line, base64.StdEncoding.EncodeToString([]byte(r.string(a))))
	case "Fn::If":
		branch := a.list[2]
		if r.condition(n.line, a.list[0].text) {
			branch = a.list[1]
		}
		return r.value(branch)
	case "Fn::FindInMap":
		names := []string{r.string(a.list[0]), r.string(a.list[1]), r.string(a.list[2])}
		found := r.template.mappings.field(names[0]).field(names[1]).field(names[2])
		if found == nil {
			r.report(n.line, "no mapping %s", strings.Join(names, "."))
		}
		return found
	}
	return text(n.line, strconv.FormatBool(r.evaluate(n)))
}

func (r *resolver) selected(n *node) *node {
	index, err := strconv.Atoi(r.string(n.argument.list[0]))
	items := r.value(n.argument.list[1])
	if err != nil || items == nil || items.kind != list || index < 0 || index >= len(items.list) {
		r.report(n.line, "Fn::Select: the index is not in the list")
		return nil
	}
	return r.value(items.list[index])
}

// string evaluates a node that must be a scalar.
func (r *resolver) string(n *node) string {
	v := r.value(n)
	if v == nil {
		return ""
	}
	if v.kind != scalar {
		r.report(n.line, "want a string here")
	}
	return v.text
}

// strings evaluates a list of scalars.
func (r *resolver) strings(n *node) []string {
	v := r.value(n)
	if v == nil || v.kind != list {
		r.report(n.line, "want a list here")
		return nil
	}
	all := make([]string, 0, len(v.list))
	for _, item := range v.list {
		all = append(all, r.string(item))
	}
	return all
}

func (r *resolver) substitute(n *node) *node {
	pattern, own := n.argument, (*node)(nil)
	if pattern.kind == list {
		pattern, own = n.argument.list[0], n.argument.list[1]
	}
	return text(n.line, placeholder.ReplaceAllStringFunc(pattern.text, func(match string) string {
		parts := placeholder.FindStringSubmatch(match)
		name := parts[2]
		if parts[1] == "!" {
			return "${" + name + "}"
		}
		if v := own.field(name); v != nil {
			return r.string(v)
		}
		if id, attribute, ok := strings.Cut(name, "."); ok {
			return r.string(r.attribute(n.line, id, attribute))
		}
		return r.string(r.reference(n.line, name))
	}))
}

func (r *resolver) reference(line int, name string) *node {
	if name == "AWS::NoValue" {
		return nil
	}
	if value, ok := r.scope.pseudo(name); ok {
		return text(line, value)
	}
	if parameter := r.template.parameters[name]; parameter != nil {
		if value, ok := r.scope.Parameters[name]; ok {
			return text(line, value)
		}
		if value := parameter.field("Default"); value != nil {
			return value
		}
		r.report(line, "the parameter %s has no value", name)
		return nil
	}
	return r.attribute(line, name, "Ref")
}

func (r *resolver) attribute(line int, id, name string) *node {
	value, ok := r.scope.attributes[id][name]
	if !ok {
		r.report(line, "%s of %s is not known here", name, id)
		return nil
	}
	return text(line, value)
}
