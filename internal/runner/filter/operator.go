package filter

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"strings"
)

// operators are the names that SNS keeps for operators.
var operators = []string{"exists", "prefix", "suffix", "equals-ignore-case", "anything-but", "numeric", "cidr"}

// operator reads {"prefix": "x"} and its kin.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
func (g grammar) operator(operator map[string]any) (pattern, error) {
	if len(operator) != 1 {
		return nil, errors.New("an operator is an object with one member")
	}
	for name, argument := range operator {
		if name == "cidr" && g.addresses {
			return compileAddress(argument)
		}
		switch name {
		case "exists":
			return compileExists(argument)
		case "prefix", "suffix", "equals-ignore-case":
			return compileText(name, argument)
		case "anything-but":
			return g.anythingBut(argument)
		case "numeric":
			return compileNumeric(argument)
		default:
			return nil, fmt.Errorf("the operator %q is not supported", name)
		}
	}
	return nil, nil // not reached: there is one member
}

// compileExists works on leaves only, as EventBridge's does.
func compileExists(argument any) (pattern, error) {
	want, ok := argument.(bool)
	if !ok {
		return nil, errors.New("exists: want true or false")
	}
	return test(func(value any, present bool) bool {
		_, object := value.(map[string]any)
		return (present && !object) == want
	}), nil
}

func compileText(name string, argument any) (pattern, error) {
	want, ok := argument.(string)
	if !ok || want == "" {
		return nil, fmt.Errorf("%s: want a text", name)
	}
	rule := map[string]func(s, want string) bool{
		"prefix": strings.HasPrefix, "suffix": strings.HasSuffix, "equals-ignore-case": strings.EqualFold,
	}[name]
	return leaves(func(leaf any) bool {
		s, ok := leaf.(string)
		return ok && rule(s, want)
	}), nil
}

// anythingBut negates a value, a list of values, or a prefix or suffix.
// A member that the record lacks does not match.
func (g grammar) anythingBut(argument any) (pattern, error) {
	var inner pattern
	var err error
	switch v := argument.(type) {
	case map[string]any:
		inner, err = g.operator(v)
	case []any:
		inner, err = g.choice(v)
	default:
		inner, err = g.choice([]any{v})
	}
	if err != nil {
		return nil, fmt.Errorf("anything-but: %w", err)
	}
	return leaves(func(leaf any) bool { return !inner.match(leaf, true) }), nil
}

// compileNumeric reads ["=", 5] or a range ["<=", 10, ">", 1].
func compileNumeric(argument any) (pattern, error) {
	list, _ := argument.([]any)
	if len(list) != 2 && len(list) != 4 {
		return nil, errors.New("numeric: want an operator and a number, once or twice")
	}
	var rules []func(*big.Rat) bool
	for i := 0; i < len(list); i += 2 {
		operator, _ := list[i].(string)
		written, ok := list[i+1].(json.Number)
		var bound *big.Rat
		if ok {
			bound = number(written)
		}
		holds := comparisons[operator]
		if bound == nil || holds == nil || operator == "=" && len(list) == 4 {
			return nil, errors.New("numeric: want an operator and a number, once or twice")
		}
		rules = append(rules, func(n *big.Rat) bool { return holds(n.Cmp(bound)) })
	}
	return leaves(func(leaf any) bool {
		written, ok := leaf.(json.Number)
		if !ok {
			return false // DynamoDB's numbers are strings: they never match
		}
		n := number(written)
		for _, rule := range rules {
			if n == nil || !rule(n) {
				return false
			}
		}
		return true
	}), nil
}

// compileAddress reads a range of IP addresses.
// https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
func compileAddress(argument any) (pattern, error) {
	text, _ := argument.(string)
	within, err := netip.ParsePrefix(text)
	if err != nil {
		return nil, errors.New("cidr: want a range of addresses, such as 10.0.0.0/24")
	}
	return leaves(func(leaf any) bool {
		s, _ := leaf.(string)
		address, err := netip.ParseAddr(s)
		return err == nil && within.Contains(address)
	}), nil
}

var comparisons = map[string]func(cmp int) bool{
	"=":  func(c int) bool { return c == 0 },
	"<":  func(c int) bool { return c < 0 },
	"<=": func(c int) bool { return c <= 0 },
	">":  func(c int) bool { return c > 0 },
	">=": func(c int) bool { return c >= 0 },
}
