// Package rules finds mistakes in a CloudFormation template that deploy, or
// pass every public checker, and then lose or delay work: a visibility timeout
// that is too short, a filter that never matches, a role that cannot read its
// queue. It reads the template alone and needs no CDK, so that any stack can be
// checked by it. CheckPlans holds a template to the plans of its queues as well.
package rules

import (
	"fmt"
	"slices"
	"strings"
)

// A Rule is one mistake that is looked for.
type Rule struct {
	// ID names the rule in findings: visibility, filter-json.
	ID string
	// Says is what a template must do, and why.
	Says string

	check func(t *template, report report)
}

type report func(resource, format string, args ...any)

// A Finding is one place where a template breaks a rule.
type Finding struct {
	// Rule is the rule's id.
	Rule string
	// Resource is the logical id of the resource at fault.
	Resource string
	// Problem is what is wrong there.
	Problem string
}

func (f Finding) String() string {
	return fmt.Sprintf("rules: %s: %s: %s", f.Resource, f.Rule, f.Problem)
}

// All are the rules that Check applies. The slice is the caller's.
func All() []Rule {
	return slices.Concat(queueRules, mappingRules, filterRules, tableRules, scheduleRules, alarmRules, permissionRules, serviceRules)
}

// Check is what the rules find in a template in JSON, in order of resource and
// rule. The error is that the template cannot be read.
func Check(raw []byte) ([]Finding, error) {
	t, err := parse(raw)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, rule := range All() {
		rule.check(t, func(resource, format string, args ...any) {
			findings = append(findings, Finding{rule.ID, resource, fmt.Sprintf(format, args...)})
		})
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		if d := strings.Compare(a.Resource, b.Resource); d != 0 {
			return d
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return findings, nil
}
