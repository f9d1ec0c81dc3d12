package ddb

import "strings"

// A Condition is a parsed ConditionExpression or FilterExpression. It is safe
// for concurrent use.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
type Condition struct {
	root *node
}

// Condition parses a ConditionExpression. Mistakes are *ValidationErrors.
func (s *Scope) Condition(expr string) (*Condition, error) {
	return s.condition("ConditionExpression", expr)
}

// Filter parses a FilterExpression: a condition by another name in messages.
func (s *Scope) Filter(expr string) (*Condition, error) {
	return s.condition("FilterExpression", expr)
}

func (s *Scope) condition(label, expr string) (*Condition, error) {
	root, err := parse(label, expr, func(p *parser) *node { return p.condition(false) })
	if err != nil {
		return nil, err
	}
	c := checker{scope: s, label: label}
	if err := c.words(root, true); err != nil {
		return nil, err
	}
	if err := c.bind(root); err != nil {
		return nil, err
	}
	return &Condition{root: root}, nil
}

// Attributes are the top-level attributes that the condition reads, with
// repetitions.
func (c *Condition) Attributes() []string { return c.root.attributes() }

// Eval tells whether the condition holds for an item; nil stands for no item.
// A nil Condition always holds. Whatever can be wrong with a condition is found
// when it is parsed: operands of kinds that do not fit make it false, so the
// error is always nil today.
func (c *Condition) Eval(item Item) (bool, error) {
	return c == nil || c.root.holds(item), nil
}

// comparators judge the order of two values of one kind.
var comparators = map[string]func(order int) bool{
	"=":  func(o int) bool { return o == 0 },
	"<>": func(o int) bool { return o != 0 },
	"<":  func(o int) bool { return o < 0 },
	"<=": func(o int) bool { return o <= 0 },
	">":  func(o int) bool { return o > 0 },
	">=": func(o int) bool { return o >= 0 },
}

func (n *node) holds(item Item) bool {
	switch n.kind {
	case nodeOr:
		return n.args[0].holds(item) || n.args[1].holds(item)
	case nodeAnd:
		return n.args[0].holds(item) && n.args[1].holds(item)
	case nodeNot:
		return !n.args[0].holds(item)
	case nodeCompare:
		return compares(n.op, n.args[0].operand(item), n.args[1].operand(item))
	case nodeBetween:
		value := n.args[0].operand(item)
		return compares(">=", value, n.args[1].operand(item)) && compares("<=", value, n.args[2].operand(item))
	case nodeIn:
		value := n.args[0].operand(item)
		for _, candidate := range n.args[1:] {
			if compares("=", value, candidate.operand(item)) {
				return true
			}
		}
		return false
	default:
		return n.calls(item)
	}
}

// compares judges two operands. What is missing equals nothing and has no
// order, and neither have values of different kinds.
func compares(op string, a, b Value) bool {
	switch op {
	case "=":
		return a.Exists() && Equal(a, b)
	case "<>":
		return !a.Exists() || !Equal(a, b)
	}
	order, ok := Compare(a, b)
	return ok && comparators[op](order)
}

// operand gives an operand's value for an item, or the zero Value.
func (n *node) operand(item Item) Value {
	switch n.kind {
	case nodeValue:
		return n.value
	case nodePath:
		return n.path.find(item)
	default: // size, the only function that is an operand of a condition
		return countOf(n.args[0].operand(item))
	}
}

// countOf is the function size: bytes of a string or binary, members of the
// rest, nothing for what has no size.
func countOf(v Value) Value {
	switch v.kind {
	case KindS, KindB:
		return Int(int64(len(v.text)))
	case KindL, KindSS, KindNS, KindBS:
		return Int(int64(len(v.list)))
	case KindM:
		return Int(int64(len(v.fields)))
	default:
		return Value{}
	}
}

func (n *node) calls(item Item) bool {
	first := n.args[0].operand(item)
	switch n.op {
	case "attribute_exists":
		return first.Exists()
	case "attribute_not_exists":
		return !first.Exists()
	}
	second := n.args[1].operand(item)
	switch n.op {
	case "attribute_type":
		return first.Exists() && first.kind.String() == second.text
	case "begins_with":
		return first.kind == second.kind && (first.kind == KindS || first.kind == KindB) && strings.HasPrefix(first.text, second.text)
	default:
		return contains(first, second)
	}
}

func contains(whole, part Value) bool {
	switch whole.kind {
	case KindS, KindB:
		return part.kind == whole.kind && strings.Contains(whole.text, part.text)
	case KindL, KindSS, KindNS, KindBS:
		for _, member := range whole.list {
			if Equal(member, part) {
				return true
			}
		}
	}
	return false
}
