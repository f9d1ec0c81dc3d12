package scenariofile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// What the decoder says of a field that there is not, and of a value of another kind.
// It names types of this package, which tell nobody anything.
var (
	unknown = regexp.MustCompile(`^(line \d+): field (.*) not found in type (?s:.*)$`)
	another = regexp.MustCompile("^(line \\d+): cannot unmarshal (!!\\w+)(?: `(.*)`)? into (?s:(.*))$")
)

// twice tells whether an error is of a field that is there twice.
func twice(err error) bool { return strings.Contains(err.Error(), "already defined") }

// plain gives the single mistakes of an error of the decoder, in the file's words.
func plain(err error) []error {
	var many *yaml.TypeError
	if !errors.As(err, &many) {
		return []error{err}
	}
	var problems []error
	for _, text := range slices.Compact(many.Errors) {
		if found := unknown.FindStringSubmatch(text); found != nil {
			text = fmt.Sprintf("%s: there is no field %q here", found[1], found[2])
		} else if found := another.FindStringSubmatch(text); found != nil {
			is := map[string]string{"!!seq": "a list", "!!map": "fields"}[found[2]]
			if is == "" {
				is = fmt.Sprintf("%q", found[3])
			}
			text = fmt.Sprintf("%s: %s: want %s", found[1], is, wanted(found[4]))
		}
		problems = append(problems, errors.New(text))
	}
	return problems
}

// wanted says in plain words what a type of Go is written as.
func wanted(kind string) string {
	switch {
	case kind == "int" || kind == "uint64":
		return "a whole number"
	case kind == "float64":
		return "a number"
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "a text"
	case strings.HasPrefix(kind, "[]"):
		return "a list"
	}
	return "fields with their values"
}

// single gives the errors of which one was joined.
func single(err error) []error {
	joined, several := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !several:
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, single(e)...)
	}
	return all
}

// eachOnce tells of each mistake once: of those that all runs have, as of the file, and
// of others with the runs that have them.
func eachOnce(runs []own, wrong [][]error) []error {
	var first []error
	by := map[string][]string{}
	for i, problems := range wrong {
		for _, p := range problems {
			if by[p.Error()] == nil {
				first = append(first, p)
			}
			by[p.Error()] = append(by[p.Error()], fmt.Sprintf("%q", runs[i].Name))
		}
	}
	for i, p := range first {
		if names := by[p.Error()]; len(names) < len(runs) {
			first[i] = fmt.Errorf("run %s: %w", strings.Join(names, ", "), p)
		}
	}
	return first
}

// alike reports runs of one name, which tables and plots could not tell apart.
func alike(runs []own) []error {
	var problems []error
	for i, r := range runs {
		if j := slices.IndexFunc(runs, func(o own) bool { return o.Name == r.Name }); j < i {
			problems = append(problems, fmt.Errorf("runs %d and %d are both called %q", j+1, i+1, r.Name))
		}
	}
	return problems
}
