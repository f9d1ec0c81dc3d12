package ddb

import (
	"bytes"
	"slices"
)

// A KeyAttribute is a key's name and kind: S, N or B.
type KeyAttribute struct {
	Name string
	Kind Kind
}

// A KeySchema is the key of a table or an index. Range has no name where there
// is no sort key.
type KeySchema struct {
	Hash, Range KeyAttribute
}

// A KeyCondition is a parsed KeyConditionExpression.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.KeyConditionExpressions.html
type KeyCondition struct {
	// Hash is the partition that is asked for.
	Hash Value
	// op is a comparator, BETWEEN, begins_with, or empty for all sort keys.
	op     string
	bounds []Value
}

// A keyTest is one condition on one key.
type keyTest struct {
	path   path
	op     string
	values []Value
}

var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// KeyCondition parses a KeyConditionExpression: the partition key equals a
// value and, if wanted, one test of the sort key. Mistakes are
// *ValidationErrors.
func (s *Scope) KeyCondition(expr string, schema KeySchema) (*KeyCondition, error) {
	condition, err := s.condition("KeyConditionExpression", expr)
	if err != nil {
		return nil, err
	}
	tests, err := keyTests(condition.root, nil)
	if err != nil {
		return nil, err
	}
	result, seen := &KeyCondition{}, map[string]bool{}
	for _, test := range tests {
		name := test.path[0].name
		isHash := name == schema.Hash.Name
		switch {
		case !isHash && (name != schema.Range.Name || name == ""):
			return nil, Invalidf("Query condition missed key schema element")
		case len(test.path) > 1:
			return nil, Invalidf("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: %s", name)
		case seen[name]:
			return nil, Invalidf("KeyConditionExpressions must only contain one condition per key")
		case isHash && test.op != "=":
			return nil, Invalidf("Query key condition not supported")
		}
		seen[name] = true
		if isHash {
			result.Hash = test.values[0]
		} else {
			result.op, result.bounds = test.op, test.values
		}
	}
	if !seen[schema.Hash.Name] {
		return nil, Invalidf("Query condition missed key schema element: %s", schema.Hash.Name)
	}
	return result, result.check(schema)
}

func (k *KeyCondition) check(schema KeySchema) error {
	for i, value := range slices.Concat([]Value{k.Hash}, k.bounds) {
		key := schema.Range
		if i == 0 {
			key = schema.Hash
		}
		if value.kind != key.Kind {
			return Invalidf("One or more parameter values were invalid: Condition parameter type does not match schema type")
		}
		if value.kind != KindN && value.text == "" && (i == 0 || k.op != "begins_with") {
			return Invalidf("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", emptyName(value.kind), key.Name)
		}
	}
	return nil
}

func emptyName(kind Kind) string {
	if kind == KindB {
		return "binary"
	}
	return "string"
}

// keyTests takes a condition apart into its tests.
func keyTests(n *node, tests []keyTest) ([]keyTest, error) {
	if n.kind == nodeAnd {
		tests, err := keyTests(n.args[0], tests)
		if err != nil {
			return nil, err
		}
		return keyTests(n.args[1], tests)
	}
	op, subject, others := n.op, n.args[0], n.args[1:]
	if n.kind == nodeCompare && subject.kind == nodeValue {
		subject, others, op = n.args[1], n.args[:1], mirrored[op]
	}
	if op != "BETWEEN" && op != "begins_with" && mirrored[op] == "" {
		return nil, Invalidf("Invalid operator used in KeyConditionExpression: %s", n.opName())
	}
	test := keyTest{op: op, path: subject.path}
	for _, other := range others {
		if other.kind == nodeCall || subject.kind == nodeCall {
			return nil, Invalidf("KeyConditionExpressions cannot contain nested operations")
		}
		if other.kind != nodeValue || subject.kind != nodePath {
			return nil, Invalidf("Query condition missed key schema element")
		}
		test.values = append(test.values, other.value)
	}
	return append(tests, test), nil
}

func (n *node) opName() string {
	switch n.kind {
	case nodeOr:
		return "OR"
	case nodeNot:
		return "NOT"
	default:
		return n.op
	}
}

// Interval gives the half-open interval of encoded keys that the condition
// selects, where keys are prefix, the hash key, the sort key (each by
// AppendKey) and whatever follows.
func (k *KeyCondition) Interval(prefix []byte) (from, to []byte) {
	partition := AppendKey(bytes.Clone(prefix), k.Hash)
	at := func(i int) []byte { return AppendKey(bytes.Clone(partition), k.bounds[i]) }
	from, to = partition, PrefixEnd(partition)
	switch k.op {
	case "=":
		from, to = at(0), PrefixEnd(at(0))
	case "<":
		to = at(0)
	case "<=":
		to = PrefixEnd(at(0))
	case ">":
		from = PrefixEnd(at(0))
	case ">=":
		from = at(0)
	case "BETWEEN":
		from, to = at(0), PrefixEnd(at(1))
	case "begins_with":
		from = AppendKeyPrefix(bytes.Clone(partition), k.bounds[0])
		to = PrefixEnd(from)
	}
	return from, to
}
