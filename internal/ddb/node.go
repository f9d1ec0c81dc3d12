package ddb

import (
	"strconv"
	"strings"
)

// A nodeKind tells what a node of a parsed expression is.
type nodeKind uint8

const (
	nodeOr nodeKind = iota
	nodeAnd
	nodeNot
	nodeCompare    // op: the comparator; two arguments
	nodeBetween    // the value, the lower bound, the upper bound
	nodeIn         // the value, then the candidates
	nodeCall       // op: the function
	nodePath       // path
	nodeValue      // op: the placeholder; value once bound
	nodeArithmetic // op: + or -; two arguments
)

// A node is a part of a parsed expression.
type node struct {
	kind  nodeKind
	op    string
	args  []*node
	path  path
	value Value
	paren bool // stood in parentheses of its own
}

// isOperand tells a node that is a value from one that is a condition. A call
// may be either.
func (n *node) isOperand() bool {
	return n.kind == nodePath || n.kind == nodeValue || n.kind == nodeCall
}

// walk visits a node and all below it.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, arg := range n.args {
		arg.walk(visit)
	}
}

// attributes are the top-level attributes whose paths occur.
func (n *node) attributes() []string {
	var names []string
	n.walk(func(n *node) {
		if n.kind == nodePath {
			names = append(names, n.path[0].name)
		}
	})
	return names
}

// A path leads to a place in a document: a name, then names and list indexes.
type path []step

// A step is a name or, where indexed is set, a list index. Before binding a
// name may be a placeholder.
type step struct {
	name        string
	index       int
	indexed     bool
	placeholder bool
}

func (s step) same(other step) bool {
	return s.indexed == other.indexed && s.index == other.index && s.name == other.name
}

// String writes the path as AWS does in messages: [a, [1], b].
func (p path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = s.name
		if s.indexed {
			parts[i] = "[" + strconv.Itoa(s.index) + "]"
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (p path) same(other path) bool {
	if len(p) != len(other) {
		return false
	}
	for i := range p {
		if !p[i].same(other[i]) {
			return false
		}
	}
	return true
}

// find gives what lies at the path in an item, or the zero Value.
func (p path) find(item Item) Value {
	value := item[p[0].name]
	for _, s := range p[1:] {
		value = s.find(value)
	}
	return value
}

// find gives what lies one step inside a value, or the zero Value.
func (s step) find(value Value) Value {
	switch {
	case !s.indexed:
		return value.fields[s.name]
	case value.kind == KindL && s.index < len(value.list):
		return value.list[s.index]
	default:
		return Value{}
	}
}
