package samtemplate

import (
	"strings"

	"gopkg.in/yaml.v3"
)

type kind int

const (
	scalar kind = iota
	list
	mapping
	intrinsic
)

// maxDepth bounds the nesting of a template, so that a hostile one cannot
// exhaust the stack. CloudFormation's own limit is far below it.
const maxDepth = 100

// A node is one value of a template with its line. Intrinsic functions in
// their short form (!Ref X) and long form ({Ref: X}) look the same here.
type node struct {
	kind kind
	line int

	text string // scalar: as written
	tag  string // scalar: "!!str", "!!int", …

	list   []*node          // list
	keys   []string         // mapping: in the order written
	fields map[string]*node // mapping

	function string // intrinsic: "Ref", "Fn::Sub", …
	argument *node  // intrinsic
}

func text(line int, s string) *node { return &node{kind: scalar, line: line, text: s, tag: "!!str"} }

// field gives a mapping's member, or nil.
func (n *node) field(name string) *node {
	if n == nil {
		return nil
	}
	return n.fields[name]
}

// section gives a mapping's member, or an empty mapping.
func (n *node) section(name string) *node {
	if f := n.field(name); f != nil && f.kind == mapping {
		return f
	}
	return &node{kind: mapping, fields: map[string]*node{}}
}

// merge lays over above base as SAM's Globals are merged: mappings by key,
// everything else replaced, lists concatenated.
func merge(base, over *node) *node {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	case base.kind == list && over.kind == list:
		return &node{kind: list, line: over.line, list: append(append([]*node{}, base.list...), over.list...)}
	case base.kind != mapping || over.kind != mapping:
		return over
	}
	merged := &node{kind: mapping, line: over.line, fields: map[string]*node{}}
	for _, key := range append(append([]string{}, base.keys...), over.keys...) {
		if merged.fields[key] == nil {
			merged.keys = append(merged.keys, key)
			merged.fields[key] = merge(base.fields[key], over.fields[key])
		}
	}
	return merged
}

// convert turns YAML's tree into nodes.
func (c *checker) convert(y *yaml.Node, depth int) *node {
	n := &node{line: y.Line}
	if depth > maxDepth {
		c.report(y.Line, "nested more than %d levels deep", maxDepth)
		return n
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.text, n.tag = y.Value, y.ShortTag()
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			n.list = append(n.list, c.convert(item, depth+1))
		}
	case yaml.MappingNode:
		c.convertMapping(n, y, depth)
	case yaml.AliasNode:
		c.report(y.Line, "YAML aliases are not supported")
		return n
	}
	return c.shortForm(n, y)
}

func (c *checker) convertMapping(n *node, y *yaml.Node, depth int) {
	n.kind, n.fields = mapping, map[string]*node{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if key.Kind != yaml.ScalarNode {
			c.report(key.Line, "a key is a plain string")
			continue
		}
		if n.fields[key.Value] != nil {
			c.report(key.Line, "%s is given twice", key.Value)
			continue
		}
		n.keys = append(n.keys, key.Value)
		n.fields[key.Value] = c.convert(y.Content[i+1], depth+1)
	}
	if len(n.keys) == 1 && isIntrinsic(n.keys[0]) {
		n.kind, n.function, n.argument = intrinsic, n.keys[0], n.fields[n.keys[0]]
		n.keys, n.fields = nil, nil
		c.checkIntrinsic(n)
	}
}

// shortForm turns a value with a local tag (!Sub) into the long form.
func (c *checker) shortForm(n *node, y *yaml.Node) *node {
	name, local := strings.CutPrefix(y.Tag, "!")
	if !local || strings.HasPrefix(name, "!") || name == "" {
		return n
	}
	if name == "Condition" && n.kind == scalar {
		return &node{kind: mapping, line: n.line, keys: []string{name}, fields: map[string]*node{name: n}}
	}
	function := "Fn::" + name
	if name == "Ref" {
		function = name
	}
	if !isIntrinsic(function) {
		c.report(y.Line, "the function !%s is not supported", name)
		return n
	}
	if n.kind == scalar {
		n.tag = "!!str"
	}
	if function == "Fn::GetAtt" && n.kind == scalar {
		id, attribute, _ := strings.Cut(n.text, ".")
		n = &node{kind: list, line: n.line, list: []*node{text(n.line, id), text(n.line, attribute)}}
	}
	whole := &node{kind: intrinsic, line: n.line, function: function, argument: n}
	c.checkIntrinsic(whole)
	return whole
}
