package ddb

import (
	"slices"
	"strings"
)

// A Scope is the placeholders of one request: its ExpressionAttributeNames and
// ExpressionAttributeValues. All expressions of the request are parsed in one
// Scope, which notes what they use; Unused then tells what none of them did.
// A Scope is for one goroutine.
type Scope struct {
	names      map[string]string
	values     map[string]Value
	usedNames  map[string]bool
	usedValues map[string]bool
}

// NewScope checks the placeholders themselves: names are # and letters, digits
// or underscores, values the same with a colon. A nil map means that the
// request has none; an empty one is an error, as in DynamoDB.
func NewScope(names map[string]string, values map[string]Value) (*Scope, error) {
	if names != nil && len(names) == 0 {
		return nil, Invalidf("ExpressionAttributeNames must not be empty")
	}
	if values != nil && len(values) == 0 {
		return nil, Invalidf("ExpressionAttributeValues must not be empty")
	}
	for key, name := range names {
		if !isPlaceholder(key, '#') {
			return nil, Invalidf(`ExpressionAttributeNames contains invalid key: Syntax error; key: "%s"`, key)
		}
		if name == "" {
			return nil, Invalidf("ExpressionAttributeNames contains invalid value: Empty attribute name for key %s", key)
		}
	}
	for key, value := range values {
		if !isPlaceholder(key, ':') {
			return nil, Invalidf(`ExpressionAttributeValues contains invalid key: Syntax error; key: "%s"`, key)
		}
		if !value.Exists() {
			return nil, Invalidf("ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes for key %s", key)
		}
	}
	return &Scope{names: names, values: values, usedNames: map[string]bool{}, usedValues: map[string]bool{}}, nil
}

func isPlaceholder(key string, sigil byte) bool {
	return len(key) > 1 && len(key) <= 255 && key[0] == sigil && wordEnd(key, 1) == len(key)
}

// Unused is a *ValidationError that lists the placeholders that no expression
// used, or nil.
func (s *Scope) Unused() error {
	if keys := unused(s.names, s.usedNames); keys != "" {
		return Invalidf("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", keys)
	}
	if keys := unused(s.values, s.usedValues); keys != "" {
		return Invalidf("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", keys)
	}
	return nil
}

func unused[V any](given map[string]V, used map[string]bool) string {
	if len(given) == len(used) {
		return ""
	}
	var keys []string
	for key := range given {
		if !used[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}

// parseAlone parses one expression in a Scope of its own, in which everything
// must be used.
func parseAlone[T any](names map[string]string, values map[string]Value, parse func(*Scope) (T, error)) (T, error) {
	var none T
	scope, err := NewScope(names, values)
	if err != nil {
		return none, err
	}
	parsed, err := parse(scope)
	if err != nil {
		return none, err
	}
	if err := scope.Unused(); err != nil {
		return none, err
	}
	return parsed, nil
}

// ParseCondition parses a condition or filter that stands alone in its request,
// so that every name and value must be used. Mistakes are *ValidationErrors.
func ParseCondition(expr string, names map[string]string, values map[string]Value) (*Condition, error) {
	return parseAlone(names, values, func(s *Scope) (*Condition, error) { return s.Condition(expr) })
}

// ParseUpdate parses an update expression that stands alone in its request.
func ParseUpdate(expr string, names map[string]string, values map[string]Value) (*Update, error) {
	return parseAlone(names, values, func(s *Scope) (*Update, error) { return s.Update(expr) })
}

// ParseProjection parses a projection expression that stands alone in its
// request.
func ParseProjection(expr string, names map[string]string) (*Projection, error) {
	return parseAlone(names, nil, func(s *Scope) (*Projection, error) { return s.Projection(expr) })
}

// ParseKeyCondition parses a key condition that stands alone in its request.
func ParseKeyCondition(expr string, schema KeySchema, names map[string]string, values map[string]Value) (*KeyCondition, error) {
	return parseAlone(names, values, func(s *Scope) (*KeyCondition, error) { return s.KeyCondition(expr, schema) })
}
