package ddb

// update reads the clauses of an update expression, in any order.
func (p *parser) update() []*action {
	var actions []*action
	for {
		read, clause := p.setAction, p.peek().op
		switch clause {
		case "SET":
		case "REMOVE":
			read = func() *action { return &action{path: p.path()} }
		case "ADD", "DELETE":
			read = p.valueAction
		default:
			p.fail()
		}
		first := len(actions)
		p.next()
		actions = append(actions, read())
		for p.accept(",") {
			actions = append(actions, read())
		}
		for i, a := range actions[first:] {
			a.clause, a.first = clause, i == 0
		}
		if p.peek().kind == tokenEnd {
			return actions
		}
	}
}

func (p *parser) setAction() *action {
	target := p.path()
	p.expect("=")
	value := p.operand()
	if p.is("+") || p.is("-") {
		op := p.next().op
		value = &node{kind: nodeArithmetic, op: op, args: []*node{value, p.operand()}}
	}
	return &action{path: target, value: value}
}

func (p *parser) valueAction() *action {
	target := p.path()
	return &action{path: target, value: &node{kind: nodeValue, op: p.expectKind(tokenValue).text}}
}
