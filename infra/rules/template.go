package rules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

type template struct {
	resources map[string]*resource
}

type resource struct {
	id         string
	Type       string
	Properties map[string]any
}

func parse(raw []byte) (*template, error) {
	var decoded struct{ Resources map[string]*resource }
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return nil, fmt.Errorf("rules: reading the template: %w", err)
	}
	for id, r := range decoded.Resources {
		if r == nil {
			return nil, fmt.Errorf("rules: reading the template: resource %s is null", id)
		}
		r.id = id
	}
	return &template{decoded.Resources}, nil
}

// of lists the resources of some types, in order of their ids.
func (t *template) of(types ...string) []*resource {
	var found []*resource
	for _, id := range slices.Sorted(maps.Keys(t.resources)) {
		if slices.Contains(types, t.resources[id].Type) {
			found = append(found, t.resources[id])
		}
	}
	return found
}

// target is the resource of this template that a Ref or Fn::GetAtt names; nil
// if the value is anything else.
func (t *template) target(value any) *resource {
	intrinsic, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	if id, ok := intrinsic["Ref"].(string); ok {
		return t.resources[id]
	}
	switch attribute := intrinsic["Fn::GetAtt"].(type) {
	case []any:
		if len(attribute) > 0 {
			id, _ := attribute[0].(string)
			return t.resources[id]
		}
	case string:
		id, _, _ := strings.Cut(attribute, ".")
		return t.resources[id]
	}
	return nil
}

// at walks down properties: r.at("ScalingConfig", "MaximumConcurrency").
func (r *resource) at(path ...string) any {
	var value any = r.Properties
	for _, name := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

// number is a property that is a number, or one written as a string.
func (r *resource) number(path ...string) (float64, bool) {
	switch v := r.at(path...).(type) {
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(v, 64)
		return n, err == nil
	}
	return 0, false
}

// numberOr is a number, or what AWS takes when there is none.
func (r *resource) numberOr(byDefault float64, path ...string) float64 {
	if n, ok := r.number(path...); ok {
		return n
	}
	return byDefault
}

// list is a property that is a list; one value alone counts as a list of it.
func (r *resource) list(path ...string) []any { return asList(r.at(path...)) }

func asList(value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{value}
}

// same compares two values of a template.
func same(a, b any) bool {
	left, leftErr := json.Marshal(a)
	right, rightErr := json.Marshal(b)
	return leftErr == nil && rightErr == nil && string(left) == string(right)
}
