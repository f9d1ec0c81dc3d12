package rules

import (
	"encoding/json"
	"maps"
	"slices"
)

var filterRules = []Rule{{
	ID:   "filter-json",
	Says: "A filter's pattern is a JSON object.",
	check: eachPattern(func(m mapping, pattern string, report report) {
		if _, ok := decodePattern(pattern); !ok {
			report(m.id, "the filter pattern %q is not a JSON object", pattern)
		}
	}),
}, {
	ID:   "filter-scalar",
	Says: "A filter's leaves are lists of what they match: a bare value is refused or never matches.",
	check: eachPattern(func(m mapping, pattern string, report report) {
		if object, ok := decodePattern(pattern); ok {
			bareLeaves(object, "", func(path string) {
				report(m.id, "the filter pattern has a bare value at %s: it takes a list", path)
			})
		}
	}),
}}

func eachPattern(check func(m mapping, pattern string, report report)) func(*template, report) {
	return each(func(_ *template, m mapping, report report) {
		for _, filter := range m.list("FilterCriteria", "Filters") {
			object, _ := filter.(map[string]any)
			if pattern, ok := object["Pattern"].(string); ok {
				check(m, pattern, report)
			}
		}
	})
}

func decodePattern(pattern string) (map[string]any, bool) {
	var object map[string]any
	err := json.Unmarshal([]byte(pattern), &object)
	return object, err == nil && object != nil
}

func bareLeaves(object map[string]any, path string, found func(path string)) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch value := object[key].(type) {
		case map[string]any:
			bareLeaves(value, path+"."+key, found)
		case []any:
		default:
			found(path + "." + key)
		}
	}
}
