package sns

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/nightshift-go/nightshift/internal/runner/filter"
)

// Values of FilterPolicyScope.
const (
	scopeAttributes = "MessageAttributes"
	scopeBody       = "MessageBody"
)

// Limits of a filter policy.
// https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
const (
	maxPolicySize    = 256 << 10
	maxPolicyKeys    = 5
	maxCombinations  = 150
	maxPolicyNesting = 50
)

// A policy says which messages a subscription takes.
type policy struct {
	ofBody bool
	filter *filter.Filter
}

// parsePolicy checks and compiles a filter policy; an empty object is none.
func parsePolicy(text string, ofBody bool) (*policy, error) {
	if len(text) > maxPolicySize {
		return nil, policyError("the policy is larger than %d bytes", maxPolicySize)
	}
	decoded, err := filter.Decode([]byte(text))
	object, ok := decoded.(map[string]any)
	if err != nil || !ok {
		return nil, policyError("failed to parse JSON.")
	}
	if len(object) == 0 {
		return nil, nil
	}
	k := policyChecker{nested: ofBody}
	combinations, err := k.object(object, 1)
	if err != nil {
		return nil, err
	}
	if k.keys > maxPolicyKeys {
		return nil, policyError("Filter policy can not have more than %d keys", maxPolicyKeys)
	}
	if combinations > maxCombinations {
		return nil, policyError("Filter policy is too complex")
	}
	compiled, err := filter.CompilePolicy(object)
	if err != nil {
		return nil, policyError("%v", err)
	}
	return &policy{ofBody, compiled}, nil
}

func policyError(format string, args ...any) *Error {
	return invalidParameter("FilterPolicy:", format, args...)
}

// policyChecker holds a policy to SNS's own rules; what it says of a mistake is what
// SNS says.
type policyChecker struct {
	nested bool // may a member be an object
	keys   int  // on top
}

// object checks one level, from 1, and gives the number of combinations of values:
// the product of each member's, where a nested one counts as often as it is deep.
func (k *policyChecker) object(object map[string]any, level int) (int, error) {
	if level > maxPolicyNesting {
		return 0, policyError("Filter policy is too complex")
	}
	combinations := 1
	for name, value := range object {
		if level == 1 {
			k.keys++
		}
		n, err := k.member(name, value, level)
		if err != nil {
			return 0, err
		}
		combinations = min(combinations*n, maxCombinations+1)
	}
	return combinations, nil
}

func (k *policyChecker) member(name string, value any, level int) (int, error) {
	switch v := value.(type) {
	case map[string]any:
		if !k.nested {
			return 0, policyError("Filter policy scope MessageAttributes does not support nested filter policy")
		}
		if len(v) == 0 {
			return 0, policyError("Empty objects are not allowed")
		}
		return k.object(v, level+1)
	case []any:
		if len(v) == 0 {
			return 0, policyError("Empty arrays are not allowed")
		}
		if name == "$or" && filter.IsOr(v) {
			return k.or(v, level)
		}
		for _, item := range v {
			if err := checkValue(item); err != nil {
				return 0, err
			}
		}
		return len(v) * level, nil
	}
	return 0, policyError("%q must be an object or an array", name)
}

// or counts the choices' combinations together. The keys of each are on the level of
// the policy itself.
func (k *policyChecker) or(choices []any, level int) (int, error) {
	sum := 0
	for _, choice := range choices {
		object := choice.(map[string]any) // as IsOr has seen
		if len(object) == 0 {
			return 0, policyError("Empty objects are not allowed")
		}
		n, err := k.object(object, level)
		if err != nil {
			return 0, err
		}
		sum = min(sum+n, maxCombinations+1)
	}
	if level == 1 {
		k.keys-- // $or itself is none
	}
	return sum, nil
}

func checkValue(value any) error {
	switch v := value.(type) {
	case []any:
		return policyError("Match value must be String, number, true, false, or null")
	case json.Number:
		return checkNumber(v)
	case map[string]any:
		if len(v) != 1 {
			return policyError("Only one key allowed in match expression")
		}
		for name, argument := range v {
			return checkOperator(name, argument)
		}
	}
	return nil
}

// checkNumber: SNS takes -10^9 to 10^9, with five digits after the point.
func checkNumber(n json.Number) error {
	text := n.String()
	f, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
	limit := big.NewFloat(1e9)
	if err != nil || f.Cmp(limit) > 0 || f.Cmp(limit.Neg(limit)) < 0 {
		return policyError("Value of %s must be between -10^9 and 10^9", text)
	}
	return nil
}

func checkOperator(name string, argument any) error {
	switch name {
	case "exists":
		if _, ok := argument.(bool); !ok {
			return policyError("exists match pattern must be either true or false.")
		}
	case "prefix", "suffix", "equals-ignore-case", "cidr":
		if _, ok := argument.(string); !ok {
			return policyError("%s match pattern must be a string", name)
		}
	case "numeric":
		list, ok := argument.([]any)
		if !ok || len(list) == 0 {
			return policyError("Value of numeric must be an array.")
		}
		for _, item := range list {
			if n, ok := item.(json.Number); ok && checkNumber(n) != nil {
				return checkNumber(n)
			}
		}
	case "anything-but":
		return checkAnythingBut(argument)
	default:
		return policyError("Unrecognized match type %s", name)
	}
	return nil
}

// checkAnythingBut: SNS negates values and a prefix, and no other operator.
// https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
func checkAnythingBut(argument any) error {
	switch v := argument.(type) {
	case map[string]any:
		for name, inner := range v {
			if name != "prefix" {
				return policyError("Unsupported anything-but pattern: %s", name)
			}
			return checkOperator(name, inner)
		}
		return policyError("Empty objects are not allowed")
	case []any:
		for _, item := range v {
			if _, isObject := item.(map[string]any); isObject {
				return policyError("Inside anything but list, %s is not a value", fmt.Sprint(item))
			}
		}
	}
	return nil
}

// takes tells whether a message passes. Of attributes it sees strings, numbers and
// the members of arrays; a body that is not JSON never passes.
// https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
func (p *policy) takes(m *message) bool {
	if p == nil {
		return true
	}
	if p.ofBody {
		return p.filter.Match([]byte(m.Body))
	}
	seen := map[string]any{}
	for name, a := range m.Attributes {
		if value, ok := a.filterable(); ok {
			seen[name] = value
		}
	}
	return p.filter.MatchValue(seen)
}
