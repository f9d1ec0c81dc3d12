// Package filter matches records against the filter patterns of an event source
// mapping (FilterCriteria), which are EventBridge's event patterns, and against the
// filter policies of SNS subscriptions, which differ in details only.
//
// A pattern's object asks for members, a list is a choice of values. Filters see
// leaves only: a pattern for an object's mere presence never matches.
//
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MaxFilters is how many patterns one mapping may have.
const MaxFilters = 5

// A Filter is a mapping's patterns; a record passes if any of them matches. The
// zero value passes everything. It is immutable and safe for concurrent use.
type Filter struct{ patterns []pattern }

// Compile reads patterns. The error joins one for each bad pattern.
func Compile(patterns []string) (*Filter, error) {
	f := &Filter{}
	var errs []error
	if len(patterns) > MaxFilters {
		errs = append(errs, fmt.Errorf("filter: %d patterns, at most %d", len(patterns), MaxFilters))
	}
	for _, text := range patterns {
		value, err := Decode([]byte(text))
		if err != nil {
			errs = append(errs, fmt.Errorf("filter: the pattern %s is not JSON: %w", text, err))
			continue
		}
		object, ok := value.(map[string]any)
		if !ok {
			errs = append(errs, fmt.Errorf("filter: the pattern %s is not an object", text))
			continue
		}
		p, err := mappings.members(object, 0)
		if err != nil {
			errs = append(errs, fmt.Errorf("filter: the pattern %s: %w", text, err))
			continue
		}
		f.patterns = append(f.patterns, p)
	}
	return f, errors.Join(errs...)
}

// CompilePolicy makes a filter of the filter policy of an SNS subscription, decoded
// with its numbers as json.Number. SNS's own limits are the caller's to check.
// https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html
func CompilePolicy(policy map[string]any) (*Filter, error) {
	p, err := policies.members(policy, 0)
	if err != nil {
		return nil, fmt.Errorf("filter: %w", err)
	}
	return &Filter{patterns: []pattern{p}}, nil
}

// Empty tells whether there is nothing to match.
func (f *Filter) Empty() bool { return f == nil || len(f.patterns) == 0 }

// Match tells whether a JSON record passes. What is not JSON passes an empty
// filter only.
func (f *Filter) Match(record []byte) bool {
	if f.Empty() {
		return true
	}
	value, err := Decode(record)
	return err == nil && f.MatchValue(value)
}

// MatchValue is Match for a record that is decoded already, with its numbers as
// json.Number.
func (f *Filter) MatchValue(value any) bool {
	if f.Empty() {
		return true
	}
	for _, p := range f.patterns {
		if p.match(value, true) {
			return true
		}
	}
	return false
}

// MatchMessage tells whether a record passes whose member named data is a
// string that may hold JSON, as an SQS message's body is. A pattern that asks
// for members of data wants JSON there, one that lists values wants plain text;
// the other kind never matches.
// https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
func (f *Filter) MatchMessage(record []byte, data string) bool {
	if f.Empty() {
		return true
	}
	value, err := Decode(record)
	object, ok := value.(map[string]any)
	if err != nil || !ok {
		return false
	}
	body, _ := object[data].(string)
	parsed, err := Decode([]byte(body))
	isJSON := err == nil
	for _, p := range f.patterns {
		want, asked := p.(members)[data]
		_, wantsJSON := want.(members)
		switch {
		case !asked:
		case wantsJSON != isJSON:
			continue
		case wantsJSON:
			object[data] = parsed
		}
		matched := p.match(object, true)
		object[data] = body
		if matched {
			return true
		}
	}
	return false
}

// Decode reads one JSON value with its numbers as written.
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("more than one value")
	}
	return value, nil
}
