package filter

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// maxDepth bounds the nesting of a pattern.
const maxDepth = 50

// A pattern says whether a value is wanted; present is false for a member that
// the record lacks.
type pattern interface {
	match(value any, present bool) bool
}

// members wants an object whose members match.
type members map[string]pattern

// anyOf wants one of several patterns to match.
type anyOf []pattern

// orOf wants one of several objects' rules to hold for the object itself.
type orOf []pattern

func (o orOf) match(value any, present bool) bool { return anyOf(o).match(value, present) }

// test is a rule for one leaf.
type test func(value any, present bool) bool

func (t test) match(value any, present bool) bool { return t(value, present) }

func (m members) match(value any, present bool) bool {
	if items, ok := value.([]any); ok { // a list of objects: one of them
		for _, item := range items {
			if m.match(item, present) {
				return true
			}
		}
		return false
	}
	object, _ := value.(map[string]any)
	for name, p := range m {
		if _, isOr := p.(orOf); isOr {
			if !p.match(value, present) {
				return false
			}
			continue
		}
		member, ok := object[name]
		if !p.match(member, ok) {
			return false
		}
	}
	return true
}

func (a anyOf) match(value any, present bool) bool {
	for _, p := range a {
		if p.match(value, present) {
			return true
		}
	}
	return false
}

// A grammar is a dialect of the patterns.
type grammar struct {
	// addresses has the operator cidr.
	addresses bool
	// looseOr takes $or for the name of a member, like any other, unless its list
	// has at least two objects and no operator's name in them.
	looseOr bool
}

var (
	mappings = grammar{}
	policies = grammar{addresses: true, looseOr: true}
)

func (g grammar) members(object map[string]any, depth int) (members, error) {
	if len(object) == 0 {
		return nil, errors.New("an empty object matches nothing")
	}
	if depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	m := members{}
	var errs []error
	for name, value := range object {
		var err error
		switch v := value.(type) {
		case map[string]any:
			m[name], err = g.members(v, depth+1)
		case []any:
			if name == "$or" && (!g.looseOr || IsOr(v)) {
				m[name], err = g.or(v, depth+1)
			} else {
				m[name], err = g.choice(v)
			}
		default:
			err = errors.New("want an object or a list of values")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return m, errors.Join(errs...)
}

// IsOr tells whether SNS takes the list of a member named $or for a choice of
// policies. https://docs.aws.amazon.com/sns/latest/dg/and-or-logic.html
func IsOr(list []any) bool {
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return false
		}
		for name := range object {
			if slices.Contains(operators, name) {
				return false
			}
		}
	}
	return len(list) >= 2
}

func (g grammar) or(list []any, depth int) (pattern, error) {
	var all orOf
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, errors.New("want objects")
		}
		p, err := g.members(object, depth)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if len(all) < 2 {
		return nil, errors.New("want two choices or more")
	}
	return all, nil
}

func (g grammar) choice(list []any) (pattern, error) {
	if len(list) == 0 {
		return nil, errors.New("an empty list matches nothing")
	}
	var all anyOf
	for _, item := range list {
		switch v := item.(type) {
		case map[string]any:
			t, err := g.operator(v)
			if err != nil {
				return nil, err
			}
			all = append(all, t)
		case []any:
			return nil, errors.New("a list within a list")
		default:
			all = append(all, leaves(func(leaf any) bool { return equal(leaf, v) }))
		}
	}
	return all, nil
}

// leaves makes a rule for a leaf that is there. Of a list, one member is enough.
func leaves(rule func(leaf any) bool) test {
	return func(value any, present bool) bool {
		if items, ok := value.([]any); ok {
			for _, item := range items {
				if rule(item) {
					return true
				}
			}
			return false
		}
		_, object := value.(map[string]any)
		return present && !object && rule(value)
	}
}

// equal compares leaves: numbers by value, a string never with a number.
func equal(a, b any) bool {
	x, okX := a.(json.Number)
	y, okY := b.(json.Number)
	if okX && okY {
		p, q := number(x), number(y)
		return p != nil && q != nil && p.Cmp(q) == 0
	}
	return okX == okY && a == b
}

// number reads a number exactly; nil for one out of any sensible range, whose
// exact value would take unbounded memory.
func number(n json.Number) *big.Rat {
	if _, exponent, ok := strings.Cut(strings.ToLower(n.String()), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 {
		return nil
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return nil
	}
	return r
}
