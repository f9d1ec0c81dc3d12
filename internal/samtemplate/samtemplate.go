// Package samtemplate reads a SAM or CloudFormation template (template.yaml)
// into a small typed model of what a local stack needs: functions, queues,
// tables, buckets, secrets, HTTP APIs, event source mappings and schedules.
//
// Reading has two steps. Parse checks the whole text and reports every mistake
// with its line. The typed values come later, by Decode and Wiring, because what
// a reference stands for (a queue's URL, a stream's ARN) is known only once the
// resource exists; a Scope holds what is known.
//
// https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-template-anatomy.html
package samtemplate

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"

	"gopkg.in/yaml.v3"
)

// A Problem is one mistake in a template.
type Problem struct {
	// Line is where it stands, from 1; 0 where no line is to blame.
	Line int
	// Message says what is wrong.
	Message string
}

// Error gives the line and the message.
func (p Problem) Error() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}

// A Resource is one resource of a template.
type Resource struct {
	// ID is the logical id.
	ID string
	// Type is the CloudFormation type: "AWS::SQS::Queue".
	Type string
	// Line is where the resource begins.
	Line int

	properties *node
	metadata   *node
	dependsOn  []string
	condition  string
}

// A Template is a checked template. It is immutable and safe for concurrent use.
type Template struct {
	// Resources are those that matter locally, each after what it refers to.
	Resources []*Resource
	// Warnings are what the reader should know: resource types that nothing
	// here understands.
	Warnings []Problem

	parameters map[string]*node
	conditions map[string]*node
	mappings   *node
	ids        map[string]bool
	globals    *node
}

// ParseFile reads and parses the template at path.
func ParseFile(path string) (*Template, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("samtemplate: reading the template: %w", err)
	}
	t, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("samtemplate: %s:\n%w", path, err)
	}
	return t, nil
}

// Parse reads a template in YAML or JSON. The error joins one Problem for each
// mistake, in the order of their lines.
func Parse(data []byte) (*Template, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("samtemplate: not YAML: %w", err)
	}
	c := &checker{}
	if len(document.Content) == 0 {
		return nil, Problem{Line: 1, Message: "the template is empty"}
	}
	root := c.convert(document.Content[0], 0)
	if root.kind != mapping {
		c.report(root.line, "a template is a mapping with Resources")
		return nil, c.err()
	}
	t := &Template{
		parameters: root.section("Parameters").fields,
		conditions: root.section("Conditions").fields,
		mappings:   root.section("Mappings"),
		globals:    root.section("Globals"),
		ids:        map[string]bool{},
	}
	resources := root.field("Resources")
	if resources == nil || resources.kind != mapping {
		c.report(root.line, "the template has no Resources")
		return nil, c.err()
	}
	c.resources(t, resources)
	c.references(t)
	c.types(t)
	t.order(c)
	if err := c.err(); err != nil {
		return nil, err
	}
	return t, nil
}

// checker gathers the mistakes of one template.
type checker struct {
	problems []Problem
}

func (c *checker) report(line int, format string, args ...any) {
	c.problems = append(c.problems, Problem{Line: line, Message: fmt.Sprintf(format, args...)})
}

// err joins the problems, or is nil.
func (c *checker) err() error {
	sort.SliceStable(c.problems, func(i, j int) bool { return c.problems[i].Line < c.problems[j].Line })
	errs := make([]error, len(c.problems))
	for i, p := range c.problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// resources sorts the declared resources into kept, ignored and unknown.
func (c *checker) resources(t *Template, section *node) {
	for _, id := range section.keys {
		body := section.fields[id]
		kind := body.field("Type")
		if body.kind != mapping || kind == nil || kind.kind != scalar {
			c.report(body.line, "resource %s has no Type", id)
			continue
		}
		t.ids[id] = true
		switch {
		case known(kind.text):
			t.Resources = append(t.Resources, c.resource(t, id, kind.text, body))
		case !ignored(kind.text):
			t.Warnings = append(t.Warnings, Problem{Line: body.line, Message: fmt.Sprintf("resource %s has the type %s, which the local stack does not know and leaves out", id, kind.text)})
		}
	}
}

func (c *checker) resource(t *Template, id, kind string, body *node) *Resource {
	for _, key := range body.keys {
		if !slices.Contains(attributes, key) {
			c.report(body.fields[key].line, "resource %s: there is no attribute %s", id, key)
		}
	}
	r := &Resource{ID: id, Type: kind, Line: body.line, properties: body.section("Properties"), metadata: body.section("Metadata")}
	if global := globalSection[kind]; global != "" {
		r.properties = merge(t.globals.section(global), r.properties)
	}
	if condition := body.field("Condition"); condition != nil {
		r.condition = condition.text
		if t.conditions[r.condition] == nil {
			c.report(condition.line, "resource %s: no condition %q", id, r.condition)
		}
	}
	if depends := body.field("DependsOn"); depends != nil {
		for _, d := range append([]*node{depends}, depends.list...) {
			if d.kind == scalar {
				r.dependsOn = append(r.dependsOn, d.text)
			}
		}
	}
	return r
}

// attributes are what a resource can have.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-product-attribute-reference.html
var attributes = []string{
	"Type", "Properties", "DependsOn", "Condition", "Metadata", "DeletionPolicy", "UpdateReplacePolicy",
	"CreationPolicy", "UpdatePolicy", "Connectors", "IgnoreGlobals",
}

// globalSection names the part of Globals that a resource type inherits from.
var globalSection = map[string]string{
	TypeFunction: "Function",
	TypeHTTPAPI:  "HttpApi",
}
