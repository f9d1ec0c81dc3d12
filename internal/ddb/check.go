package ddb

// A checker judges a parsed expression without an item and binds its
// placeholders: first the words, over the whole expression, then names, values
// and the types that can be known beforehand.
type checker struct {
	scope  *Scope
	label  string // "ConditionExpression"
	update bool
}

func (c *checker) fail(format string, args ...any) error {
	return Invalidf("Invalid "+c.label+": "+format, args...)
}

// A function is what the checker knows of a function.
type function struct {
	operands  int
	update    bool          // belongs in a SET
	condition bool          // is a condition by itself, and no operand
	needsPath bool          // its first operand must be a path
	kinds     map[Kind]bool // what a known operand's kind must be; nil: anything
}

func kinds(list ...Kind) map[Kind]bool {
	set := map[Kind]bool{}
	for _, k := range list {
		set[k] = true
	}
	return set
}

var (
	ordered   = kinds(KindS, KindN, KindB)
	functions = map[string]function{
		"attribute_exists":     {operands: 1, condition: true, needsPath: true},
		"attribute_not_exists": {operands: 1, condition: true, needsPath: true},
		"attribute_type":       {operands: 2, condition: true, needsPath: true},
		"begins_with":          {operands: 2, condition: true, kinds: kinds(KindS, KindB)},
		"contains":             {operands: 2, condition: true},
		"size":                 {operands: 1, kinds: kinds(KindS, KindB, KindSS, KindNS, KindBS, KindL, KindM)},
		"if_not_exists":        {operands: 2, update: true, needsPath: true},
		"list_append":          {operands: 2, update: true, kinds: kinds(KindL)},
	}
)

// words checks reserved words, and functions and their places. asCondition
// tells that a condition is expected here, not an operand.
func (c *checker) words(n *node, asCondition bool) error {
	switch n.kind {
	case nodePath:
		return c.reserved(n.path)
	case nodeCall:
		if err := c.place(n, asCondition); err != nil {
			return err
		}
	}
	logical := n.kind == nodeOr || n.kind == nodeAnd || n.kind == nodeNot
	for _, arg := range n.args {
		if err := c.words(arg, logical); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) reserved(p path) error {
	for _, s := range p {
		if !s.indexed && !s.placeholder && IsReserved(s.name) {
			return c.fail("Attribute name is a reserved keyword; reserved keyword: %s", s.name)
		}
	}
	return nil
}

func (c *checker) place(call *node, asCondition bool) error {
	f, known := functions[call.op]
	switch {
	case !known:
		return c.fail("Invalid function name; function: %s", call.op)
	case c.update && !f.update:
		return c.fail("The function is not allowed in an update expression; function: %s", call.op)
	case !c.update && f.update:
		return c.fail("The function is not allowed in a condition expression; function: %s", call.op)
	case !c.update && f.condition != asCondition:
		return c.fail("The function is not allowed to be used this way in an expression; function: %s", call.op)
	case len(call.args) != f.operands:
		return c.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", call.op, len(call.args))
	}
	return nil
}

// bind resolves placeholders below a node, then checks its operands.
func (c *checker) bind(n *node) error {
	switch n.kind {
	case nodePath:
		return c.bindPath(n.path)
	case nodeValue:
		value, ok := c.scope.values[n.op]
		if !ok {
			return c.fail("An expression attribute value used in expression is not defined; attribute value: %s", n.op)
		}
		n.value = value
		c.scope.usedValues[n.op] = true
		return nil
	}
	for _, arg := range n.args {
		if err := c.bind(arg); err != nil {
			return err
		}
	}
	switch n.kind {
	case nodeCompare:
		return c.comparison(n)
	case nodeBetween:
		return c.between(n)
	case nodeIn:
		return c.membership(n)
	case nodeCall:
		return c.call(n)
	case nodeArithmetic:
		return c.operands(n, kinds(KindN))
	}
	return nil
}

func (c *checker) bindPath(p path) error {
	if len(p) > MaxDepth {
		return c.fail("The document path has too many nesting levels; nesting levels: %d", len(p))
	}
	for i := range p {
		if !p[i].placeholder {
			continue
		}
		name, ok := c.scope.names[p[i].name]
		if !ok {
			return c.fail("An expression attribute name used in the document path is not defined; attribute name: %s", p[i].name)
		}
		c.scope.usedNames[p[i].name] = true
		p[i] = step{name: name}
	}
	return nil
}

func (c *checker) comparison(n *node) error {
	if err := c.distinct(n); err != nil || n.op == "=" || n.op == "<>" {
		return err
	}
	return c.operands(n, ordered)
}

func (c *checker) between(n *node) error {
	if err := c.distinct(n); err != nil {
		return err
	}
	if err := c.operands(n, ordered); err != nil {
		return err
	}
	low, high := n.args[1], n.args[2]
	if low.kind != nodeValue || high.kind != nodeValue {
		return nil
	}
	order, comparable := Compare(low.value, high.value)
	problem := ""
	switch {
	case !comparable:
		problem = "The BETWEEN operator requires same data type for lower and upper bounds"
	case order > 0:
		problem = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound"
	default:
		return nil
	}
	return c.fail("%s; lower bound operand: AttributeValue: {%s:%s}, upper bound operand: AttributeValue: {%s:%s}", problem,
		low.value.kind, joinScalars([]Value{low.value}), high.value.kind, joinScalars([]Value{high.value}))
}

func (c *checker) membership(n *node) error {
	if candidates := len(n.args) - 1; candidates > 100 {
		return c.fail("The IN operator is provided with too many operands; number of operands: %d", candidates)
	}
	return c.distinct(n)
}

func (c *checker) call(n *node) error {
	f := functions[n.op]
	if f.needsPath && n.args[0].kind != nodePath {
		return c.fail("Operator or function requires a document path; operator or function: %s", n.op)
	}
	if n.op != "size" && n.op != "list_append" {
		if err := c.distinct(n); err != nil {
			return err
		}
	}
	if n.op == "attribute_type" {
		return c.typeName(n.args[1])
	}
	if f.kinds == nil {
		return nil
	}
	return c.operands(n, f.kinds)
}

func (c *checker) typeName(operand *node) error {
	switch {
	case operand.kind != nodeValue || operand.value.kind != KindS:
		return c.fail("Incorrect operand type for operator or function; operator or function: attribute_type, operand type: %s", operand.value.kind)
	case KindOf(operand.value.text) == 0:
		return c.fail("Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", operand.value.text)
	}
	return nil
}

// operands checks the operands whose kind is known without an item.
func (c *checker) operands(n *node, allowed map[Kind]bool) error {
	for _, arg := range n.args {
		kind := arg.value.kind
		if arg.kind == nodeCall && arg.op == "size" {
			kind = KindN
		}
		if kind != 0 && !allowed[kind] {
			return c.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", n.op, kind)
		}
	}
	return nil
}

// distinct refuses an attribute that is compared with itself.
func (c *checker) distinct(n *node) error {
	first := n.args[0]
	if first.kind != nodePath {
		return nil
	}
	for _, other := range n.args[1:] {
		if other.kind == nodePath && first.path.same(other.path) {
			return c.fail("The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s", n.op, first.path)
		}
	}
	return nil
}
