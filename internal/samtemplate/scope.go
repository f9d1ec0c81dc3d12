package samtemplate

import (
	"fmt"
	"regexp"
	"strings"
)

// A Scope is what a template's references stand for. Fill it as resources come
// into being. It is not safe for concurrent use.
type Scope struct {
	// Region and AccountID are the pseudo parameters of those names.
	Region, AccountID string
	// StackName is AWS::StackName.
	StackName string
	// Parameters are values for the template's parameters; those absent keep
	// their defaults.
	Parameters map[string]string
	// Secret gives the text of the secret with an ARN (or name), for dynamic
	// references {{resolve:secretsmanager:…}}. Nil refuses them.
	Secret func(id string) (string, error)

	attributes map[string]map[string]string
}

// Set records an attribute of a created resource: "Ref", "Arn", "StreamArn".
func (s *Scope) Set(id, attribute, value string) {
	if s.attributes == nil {
		s.attributes = map[string]map[string]string{}
	}
	if s.attributes[id] == nil {
		s.attributes[id] = map[string]string{}
	}
	s.attributes[id][attribute] = value
}

// Get gives an attribute recorded by Set, or "".
func (s *Scope) Get(id, attribute string) string { return s.attributes[id][attribute] }

// pseudo gives the value of a pseudo parameter.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/pseudo-parameter-reference.html
func (s *Scope) pseudo(name string) (string, bool) {
	switch name {
	case "AWS::Region":
		return s.Region, true
	case "AWS::AccountId":
		return s.AccountID, true
	case "AWS::Partition":
		return "aws", true
	case "AWS::URLSuffix":
		return "amazonaws.com", true
	case "AWS::StackName":
		return s.StackName, true
	case "AWS::StackId":
		return fmt.Sprintf("arn:aws:cloudformation:%s:%s:stack/%s/local", s.Region, s.AccountID, s.StackName), true
	}
	return "", false
}

// dynamic finds a dynamic reference to a secret:
// {{resolve:secretsmanager:secret-id:SecretString:json-key:stage:version}}
var dynamic = regexp.MustCompile(`\{\{resolve:([a-z-]+):([^{}]*)\}\}`)

// expand replaces the dynamic references in a string.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references-secretsmanager.html
func (r *resolver) expand(n *node) string {
	return dynamic.ReplaceAllStringFunc(n.text, func(match string) string {
		parts := dynamic.FindStringSubmatch(match)
		if parts[1] != "secretsmanager" || r.scope.Secret == nil {
			r.report(n.line, "dynamic references to %s are not supported here", parts[1])
			return ""
		}
		id, rest, _ := strings.Cut(parts[2], ":SecretString")
		if key := strings.Trim(rest, ":"); key != "" {
			r.report(n.line, "a dynamic reference to one JSON key of a secret, or to one version (%s), is not supported", key)
			return ""
		}
		secret, err := r.scope.Secret(id)
		if err != nil {
			r.report(n.line, "the secret %s: %v", id, err)
		}
		return secret
	})
}
