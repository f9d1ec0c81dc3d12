package rules

import "strings"

// A statement is one statement of a policy document.
type statement map[string]any

type statements []statement

func asStatements(document any) statements {
	object, _ := document.(map[string]any)
	var found statements
	for _, element := range asList(object["Statement"]) {
		if s, ok := element.(map[string]any); ok {
			found = append(found, s)
		}
	}
	return found
}

// statements are those of a role itself and of the policies attached to it in
// this template.
func (t *template) statements(role *resource) statements {
	var found statements
	for _, policy := range role.list("Policies") {
		object, _ := policy.(map[string]any)
		found = append(found, asStatements(object["PolicyDocument"])...)
	}
	for _, policy := range t.of("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy") {
		for _, attached := range policy.list("Roles") {
			if t.target(attached) == role {
				found = append(found, asStatements(policy.at("PolicyDocument"))...)
			}
		}
	}
	return found
}

func (all statements) allow(action string, resource any) bool {
	for _, s := range all {
		if s.allowsAction(action) && s.covers(resource) {
			return true
		}
	}
	return false
}

func (s statement) allowsAction(action string) bool {
	if s["Effect"] != "Allow" {
		return false
	}
	for _, pattern := range asList(s["Action"]) {
		// Actions are compared without case.
		if p, ok := pattern.(string); ok && glob(strings.ToLower(p), strings.ToLower(action)) {
			return true
		}
	}
	return false
}

func (s statement) covers(resource any) bool {
	for _, pattern := range asList(s["Resource"]) {
		if pattern == "*" || same(pattern, resource) {
			return true
		}
	}
	return false
}

func (s statement) hasPrincipal(service string) bool {
	principal, ok := s["Principal"].(map[string]any)
	if !ok {
		return s["Principal"] == "*"
	}
	for _, name := range asList(principal["Service"]) {
		if name == service {
			return true
		}
	}
	return false
}

// glob matches a text with a pattern in which * stands for anything.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, last)
}

// lastPart is the last element of an Fn::Join, or the value itself.
func lastPart(value any) any {
	object, _ := value.(map[string]any)
	join, ok := object["Fn::Join"].([]any)
	if !ok || len(join) != 2 {
		return value
	}
	parts, ok := join[1].([]any)
	if !ok || len(parts) == 0 {
		return value
	}
	return parts[len(parts)-1]
}

// literalTail is the text at the end of a value; empty if it ends in something
// else.
func literalTail(value any) string {
	text, _ := lastPart(value).(string)
	return text
}
