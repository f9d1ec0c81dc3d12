package schedule

import (
	"strconv"
	"strings"
)

// A field is one of the six of a cron expression. Its numbers are kept in a set,
// less base.
type field struct {
	part           string
	least, most    int
	base           int
	names          []string // of least, least+1, …
	wraps          bool     // a range may run past the end to the beginning
	largestStep    int
	stepSuggestion string // instead of a step that is too large
}

// The fields, from AWS's table. It has no slash for the day of the week, where the
// one of Lambda's guide has it; of ranges that run past the end it shows 20-2, in
// the hours.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based
// https://docs.aws.amazon.com/lambda/latest/dg/services-cloudwatchevents-expressions.html
var (
	minutes    = field{part: "minutes", most: 59, largestStep: 59, stepSuggestion: ": for every n hours use rate(1 hour) or the hours field"}
	hours      = field{part: "hours", most: 23, wraps: true, largestStep: 23, stepSuggestion: ": for every n days use rate(1 day) or the day fields"}
	dayOfMonth = field{part: "day of month", least: 1, most: 31, largestStep: 31}
	months     = field{part: "month", least: 1, most: 12, largestStep: 12,
		names: []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}}
	dayOfWeek = field{part: "day of week", least: 1, most: 7, largestStep: 7,
		names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}}
	years = field{part: "year", least: firstYear, most: LastYear, base: firstYear, largestStep: LastYear - firstYear}
)

// parse reads a list of numbers, names, ranges and steps.
func (f field) parse(text string) (set, *Error) {
	var all set
	for item := range strings.SplitSeq(text, ",") {
		first, last, step, problem := f.item(item)
		if problem != nil {
			return set{}, problem
		}
		for n := first; n <= last; n += step {
			if n > f.most {
				all.add(n - f.most - 1) // past midnight
			} else {
				all.add(n - f.base)
			}
		}
	}
	return all, nil
}

// item reads *, n, a-b, and those with a step: */s, n/s (from n to the end), a-b/s.
func (f field) item(text string) (first, last, step int, problem *Error) {
	span, stepText, stepped := strings.Cut(text, "/")
	step = 1
	if stepped {
		if step, problem = f.step(stepText); problem != nil {
			return 0, 0, 0, problem
		}
	}
	if span == "*" {
		return f.least, f.most, step, nil
	}
	from, to, isRange := strings.Cut(span, "-")
	if first, problem = f.value(from); problem != nil {
		return 0, 0, 0, problem
	}
	last = first
	if isRange {
		if last, problem = f.value(to); problem != nil {
			return 0, 0, 0, problem
		}
	} else if stepped {
		last = f.most
	}
	if last < first && f.wraps {
		last += f.most + 1
	}
	if last < first {
		return 0, 0, 0, refuse(f.part, "the range %q runs backwards: list its values with commas", span)
	}
	return first, last, step, nil
}

func (f field) step(text string) (int, *Error) {
	n, err := strconv.Atoi(text)
	if err != nil || !isDigits(text) || n == 0 {
		return 0, refuse(f.part, "%.20q is no step: a step is a positive whole number", text)
	}
	if n > f.largestStep {
		return 0, refuse(f.part, "the step %d is larger than %d%s", n, f.largestStep, f.stepSuggestion)
	}
	return n, nil
}

// value reads a number or a name.
func (f field) value(text string) (int, *Error) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.least + i, nil
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || !isDigits(text) {
		return 0, refuse(f.part, "%.20q is not understood: %s", text, f.takes())
	}
	if n < f.least || n > f.most {
		return 0, refuse(f.part, "%s is not within %s", text, f.takes())
	}
	return n, nil
}

// takes says what the field's values are.
func (f field) takes() string {
	text := strconv.Itoa(f.least) + "-" + strconv.Itoa(f.most)
	if f.names != nil {
		text += " or " + f.names[0] + "-" + f.names[len(f.names)-1]
	}
	if f.part == dayOfWeek.part {
		text += ", where 1 is Sunday"
	}
	return text
}
