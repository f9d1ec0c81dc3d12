package samgen

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// resourceNode writes the type first and the properties last.
func resourceNode(r *resource) *yaml.Node {
	out := mapping("Type", scalar(r.Type))
	add := func(key string, value *yaml.Node) { out.Content = append(out.Content, scalar(key), value) }
	if r.DeletionPolicy != "" {
		add("DeletionPolicy", scalar(r.DeletionPolicy))
	}
	if r.UpdateReplacePolicy != "" {
		add("UpdateReplacePolicy", scalar(r.UpdateReplacePolicy))
	}
	if r.DependsOn != nil {
		add("DependsOn", node(r.DependsOn))
	}
	if r.Metadata != nil {
		add("Metadata", node(r.Metadata))
	}
	if r.Properties != nil {
		add("Properties", node(r.Properties))
	}
	return out
}

// node is a JSON value in YAML: keys sorted, intrinsic functions that name
// something on one line.
func node(value any) *yaml.Node {
	switch v := value.(type) {
	case map[string]any:
		out := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out.Content = append(out.Content, scalar(key), node(v[key]))
		}
		if isReference(v) {
			out.Style = yaml.FlowStyle
		}
		return out
	case []any:
		out := &yaml.Node{Kind: yaml.SequenceNode}
		for _, element := range v {
			out.Content = append(out.Content, node(element))
		}
		return out
	case string:
		return scalar(v)
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	case float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v, 'f', -1, 64)}
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
}

func isReference(v map[string]any) bool {
	if len(v) != 1 {
		return false
	}
	_, ref := v["Ref"]
	_, attribute := v["Fn::GetAtt"]
	return ref || attribute
}

// mapping builds a mapping from keys and nodes in turn.
func mapping(pairs ...any) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(pairs); i += 2 {
		out.Content = append(out.Content, scalar(pairs[i].(string)), pairs[i+1].(*yaml.Node))
	}
	return out
}

// scalar is a string. The encoder quotes those that YAML 1.2 would take for
// something else; those of YAML 1.1, which SAM and cfn-lint read, are added
// here: https://yaml.org/type/bool.html
func scalar(text string) *yaml.Node {
	out := &yaml.Node{}
	out.SetString(text)
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		out.Style = yaml.DoubleQuotedStyle
	}
	return out
}
