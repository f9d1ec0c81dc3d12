package schedule

import (
	"strconv"
	"strings"
	"time"
)

// longestRate is the longest period that makes sense of a rate.
const longestRate = 100 * 365 * 24 * time.Hour

var units = map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}

// A rate comes round again and again.
type rate struct {
	number int
	period time.Duration
}

func parseRate(inside string) (when, *Error) {
	digits, unit, ok := strings.Cut(inside, " ")
	unit = strings.TrimLeft(unit, " ")
	if !ok || digits == "" {
		return nil, refuse("", "a rate is a number, a blank and a unit: rate(5 minutes)")
	}
	number, err := strconv.Atoi(digits)
	if err != nil || !isDigits(digits) || number == 0 {
		return nil, refuse("value", "%.20q is no positive whole number", digits)
	}
	singular, plural := strings.CutSuffix(unit, "s")
	length, known := units[singular]
	switch {
	case !known:
		return nil, refuse("unit", "%.20q is no unit: minutes, hours or days", unit)
	case number > 1 && !plural:
		return nil, refuse("unit", "%d takes the plural: rate(%d %ss)", number, number, unit)
	case number > int(longestRate/length):
		return nil, refuse("value", "a rate is at most a hundred years")
	}
	return rate{number, time.Duration(number) * length}, nil
}

func (r rate) next(after time.Time, _ *time.Location) (time.Time, bool) {
	return after.Add(r.period), true
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
