package ddb

import (
	"fmt"
	"strconv"
)

// maxExpression is the longest expression in bytes.
const maxExpression = 4096

// A syntaxError is what the parser panics with; parse turns it into an error.
type syntaxError string

// A parser reads one expression by recursive descent. Its methods panic with a
// syntaxError at the first mistake.
type parser struct {
	text   string
	tokens []token
	at     int
}

// parse runs one of the parser's methods over a whole expression.
func parse[T any](label, text string, read func(*parser) T) (result T, err error) {
	if text == "" {
		return result, Invalidf("Invalid %s: The expression can not be empty;", label)
	}
	if len(text) > maxExpression {
		return result, Invalidf("Invalid %s: Expression size has exceeded the maximum allowed size; expression size: %d", label, len(text))
	}
	defer func() {
		switch mistake := recover().(type) {
		case nil:
		case syntaxError:
			err = Invalidf("Invalid %s: %s", label, string(mistake))
		default:
			panic(mistake)
		}
	}()
	p := &parser{text: text, tokens: lex(text)}
	result = read(p)
	if p.peek().kind != tokenEnd {
		p.fail()
	}
	return result, nil
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	tok := p.tokens[p.at]
	p.at++
	return tok
}

// fail reports the current token with its neighbours, as AWS does.
func (p *parser) fail() {
	tok, from, to := p.peek(), 0, 0
	if p.at > 0 {
		from = p.tokens[p.at-1].start
	}
	to = tok.end
	if p.at+1 < len(p.tokens) {
		to = p.tokens[p.at+1].end
	}
	panic(syntaxError(fmt.Sprintf(`Syntax error; token: "%s", near: "%s"`, tok.text, p.text[from:to])))
}

// is tells whether the current token is this keyword or symbol.
func (p *parser) is(op string) bool {
	tok := p.peek()
	return (tok.kind == tokenKeyword || tok.kind == tokenSymbol) && tok.op == op
}

// accept takes the current token if it is this keyword or symbol.
func (p *parser) accept(op string) bool {
	if p.is(op) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(op string) {
	if !p.accept(op) {
		p.fail()
	}
}

func (p *parser) expectKind(kind tokenKind) token {
	if p.peek().kind != kind {
		p.fail()
	}
	return p.next()
}

// condition reads conditions joined by OR. Within parentheses, lone is set and
// the whole may turn out to be a single operand.
func (p *parser) condition(lone bool) *node {
	left := p.conjunction(lone)
	for p.accept("OR") {
		left = &node{kind: nodeOr, args: []*node{left, p.conjunction(false)}}
	}
	return left
}

func (p *parser) conjunction(lone bool) *node {
	left := p.negation(lone)
	for p.accept("AND") {
		left = &node{kind: nodeAnd, args: []*node{left, p.negation(false)}}
	}
	return left
}

func (p *parser) negation(lone bool) *node {
	if p.accept("NOT") {
		return &node{kind: nodeNot, args: []*node{p.negation(false)}}
	}
	if !p.is("(") {
		return p.comparison(p.operand(), lone)
	}
	inner := p.parenthesised(func() *node { return p.condition(true) })
	if inner.isOperand() {
		return p.comparison(inner, lone)
	}
	return inner
}

func (p *parser) parenthesised(read func() *node) *node {
	p.expect("(")
	inner := read()
	p.expect(")")
	if inner.paren {
		panic(syntaxError("The expression has redundant parentheses;"))
	}
	inner.paren = true
	return inner
}

// comparison reads what follows a condition's first operand.
func (p *parser) comparison(first *node, lone bool) *node {
	tok := p.peek()
	switch {
	case tok.kind == tokenSymbol && comparators[tok.op] != nil:
		p.next()
		return &node{kind: nodeCompare, op: tok.op, args: []*node{first, p.operand()}}
	case p.accept("BETWEEN"):
		low := p.operand()
		p.expect("AND")
		return &node{kind: nodeBetween, op: "BETWEEN", args: []*node{first, low, p.operand()}}
	case p.accept("IN"):
		p.expect("(")
		in := &node{kind: nodeIn, op: "IN", args: []*node{first, p.operand()}}
		for p.accept(",") {
			in.args = append(in.args, p.operand())
		}
		p.expect(")")
		return in
	case first.kind == nodeCall, lone && p.is(")"):
		return first
	}
	p.fail()
	return nil
}

// operand reads a value, a path, a call, or one of these in parentheses.
func (p *parser) operand() *node {
	tok := p.peek()
	switch tok.kind {
	case tokenValue:
		p.next()
		return &node{kind: nodeValue, op: tok.text}
	case tokenName:
		return &node{kind: nodePath, path: p.path()}
	case tokenWord:
		if following := p.tokens[p.at+1]; following.op == "(" {
			return p.call()
		}
		return &node{kind: nodePath, path: p.path()}
	}
	if !p.is("(") {
		p.fail()
	}
	return p.parenthesised(p.operand)
}

func (p *parser) call() *node {
	call := &node{kind: nodeCall, op: p.next().text}
	p.expect("(")
	call.args = append(call.args, p.operand())
	for p.accept(",") {
		call.args = append(call.args, p.operand())
	}
	p.expect(")")
	return call
}

func (p *parser) path() path {
	steps := path{p.name()}
	for {
		switch {
		case p.accept("."):
			steps = append(steps, p.name())
		case p.accept("["):
			tok := p.expectKind(tokenInteger)
			p.expect("]")
			index, err := strconv.ParseInt(tok.text, 10, 32)
			if err != nil {
				panic(syntaxError("List index is not within the allowable range; index: [" + tok.text + "]"))
			}
			steps = append(steps, step{index: int(index), indexed: true})
		default:
			return steps
		}
	}
}

func (p *parser) name() step {
	tok := p.peek()
	if tok.kind != tokenWord && tok.kind != tokenName {
		p.fail()
	}
	p.next()
	return step{name: tok.text, placeholder: tok.kind == tokenName}
}
