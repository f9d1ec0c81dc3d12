package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FromUnix turns an entry of a crontab, five fields with 0 or 7 for Sunday, into a
// cron expression for Parse: "0 9 * * 1-5" becomes cron(0 9 ? * 2,3,4,5,6 *). An entry
// that restricts both the day of the month and the day of the week means either
// in Unix, for which there is no expression: it is refused, as are names for times
// such as @daily. Errors are *Error.
//
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/crontab.html
func FromUnix(entry string) (string, error) {
	fields := strings.Fields(entry)
	refused := func(part, format string, args ...any) (string, error) {
		return "", &Error{Expression: entry, Part: part, Problem: fmt.Sprintf(format, args...)}
	}
	if len(fields) != 5 {
		return refused("", "an entry of a crontab has five fields, this one has %d", len(fields))
	}
	days, weekdays := fields[2], fields[4]
	switch {
	case weekdays == "*":
		weekdays = "?"
	case days != "*":
		return refused(dayOfWeek.part, "it is restricted, and so is the day of month: Unix means days that are in either, which takes two schedules")
	default:
		numbers, err := unixWeekdays(weekdays)
		if err != nil {
			return refused(dayOfWeek.part, "%v", err)
		}
		days, weekdays = "?", numbers
	}
	expression := fmt.Sprintf("cron(%s %s %s %s %s *)", fields[0], fields[1], days, fields[3], weekdays)
	if _, err := Parse(expression, ""); err != nil {
		return "", err
	}
	return expression, nil
}

// unixWeekday has names as well as numbers from 0 to 7.
var unixWeekday = field{part: dayOfWeek.part, most: 7, largestStep: 7, names: dayOfWeek.names}

// unixWeekdays lists the days that a field of a crontab means by AWS's numbers, in
// Unix's order.
func unixWeekdays(text string) (string, error) {
	meant, problem := unixWeekday.parse(text)
	if problem != nil {
		return "", fmt.Errorf("%s", strings.TrimSuffix(problem.Problem, ", where 1 is Sunday"))
	}
	var numbers []string
	for day := range 8 {
		number := strconv.Itoa(day%7 + 1)
		// Every day of the week, in steps, ends on Saturday: 7 is for ranges.
		if meant.has(day) && !slices.Contains(numbers, number) && (day < 7 || !strings.HasPrefix(text, "*")) {
			numbers = append(numbers, number)
		}
	}
	return strings.Join(numbers, ","), nil
}
