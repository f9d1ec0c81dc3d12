package main

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// mostRate is the highest rate that is taken, a second (and one in so many seconds the
// lowest that is kept): with more, nothing can be worked out.
const mostRate = 1e9

// parseRate reads a rate: "20/s", "30/m" or "30/min", "1000/h", or "20" a second.
func parseRate(text string) (job.Rate, error) {
	number, unit, _ := strings.Cut(text, "/")
	seconds, known := map[string]float64{"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}[unit]
	n, err := strconv.ParseFloat(number, 64)
	if n /= max(seconds, 1); err != nil || !known || !(n > 0 && n <= mostRate) {
		return 0, errors.New("want a rate above zero, at most a billion a second, as 20/s, 30/m or 1000/h")
	}
	return job.Rate(n), nil
}

func rateOfFlag(into *job.Rate) func(string) error {
	return func(text string) (err error) {
		*into, err = parseRate(text)
		return err
	}
}

// spikeFlag reads "100/s:10m" into a variable.
func spikeFlag(into **sizing.Spike) func(string) error {
	return func(text string) error {
		rate, lasts, _ := strings.Cut(text, ":")
		arrivals, err := parseRate(rate)
		d, wrong := time.ParseDuration(lasts)
		if err != nil || wrong != nil || d <= 0 {
			return errors.New("want a rate and a time, as 100/s:10m")
		}
		*into = &sizing.Spike{Arrivals: arrivals, For: d}
		return nil
	}
}

// daysFlag reads a time that may be in days, and is a minute at least: "7d", "36h".
func daysFlag(into *time.Duration) func(string) error {
	return func(text string) error {
		d, err := parseDays(text)
		if err != nil || d < time.Minute {
			return errors.New("want a time of a minute at least, as 24h or 7d")
		}
		*into = d
		return nil
	}
}

// parseDays reads a time that may be in days.
func parseDays(text string) (time.Duration, error) {
	days, ok := strings.CutSuffix(text, "d")
	if !ok {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseFloat(days, 64)
	if most := float64(math.MaxInt64 / (24 * time.Hour)); err != nil || !(math.Abs(n) <= most) {
		return 0, errors.New("want a time, as 30m, 36h or 2d")
	}
	return time.Duration(n * float64(24*time.Hour)), nil
}

func names(plans map[string]sizing.Plan) []string { return slices.Sorted(maps.Keys(plans)) }

func inOrder(plans map[string]sizing.Plan) []sizing.Plan {
	list := make([]sizing.Plan, 0, len(plans))
	for _, name := range names(plans) {
		list = append(list, plans[name])
	}
	return list
}

// perSecond shows a rate as people say it.
func perSecond(r job.Rate) string {
	switch {
	case r == 0:
		return "0/s"
	case r < 1.0/60:
		return sizing.Number(float64(r)*3600) + "/h"
	case r < 1:
		return sizing.Number(float64(r)*60) + "/min"
	}
	return sizing.Number(float64(r)) + "/s"
}
