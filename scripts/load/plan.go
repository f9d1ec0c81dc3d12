package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// An act is something that a reader does at a time of the day.
type act struct {
	at   time.Time
	who  int // the reader's number
	kind string
	// draw is a number of its own, for what is left to chance.
	draw uint64
}

// habits say how often a reader does something in a day, on average. Signing up is
// the first act of each.
var habits = []struct {
	kind string
	mean float64
}{
	{"look", 8}, {"save", 1}, {"rate", 0.8}, {"search", 1.5}, {"follow", 1}, {"publish", 0.5}, {"draft", 0.2},
	{"photo", 0.4}, {"print", 0.4}, {"remind", 0.2}, {"export", 0.08}, {"import", 0.04}, {"forget", 0.05},
}

// busy is how many people are at it at a time of the day, where one is the average: few
// at four in the morning, three times as many at eight in the evening as at noon.
func busy(at time.Time) float64 {
	hour := float64(at.UTC().Hour()) + float64(at.UTC().Minute())/60
	evening := math.Exp(-math.Pow((hour-20)/2.2, 2))
	noon := math.Exp(-math.Pow((hour-12)/2.5, 2))
	return 0.15 + 3*evening + noon
}

// plan draws a day of acts from a seed, in order. Everybody signs up within the first
// hour, so that there is somebody to follow.
func plan(seed uint64, readers int, from time.Time) []act {
	random := rand.New(rand.NewPCG(seed, 1))
	var day []act
	for who := range readers {
		day = append(day, act{at: from.Add(time.Duration(random.Int64N(int64(time.Hour)))), who: who, kind: "join"})
		for _, habit := range habits {
			for range times(random, habit.mean) {
				day = append(day, act{at: moment(random, from), who: who, kind: habit.kind, draw: random.Uint64()})
			}
		}
	}
	// Once a day the schedule of the newsletter is run, whatever day it is.
	day = append(day, act{at: from.Add(9 * time.Hour), kind: "newsletter"})
	slices.SortStableFunc(day, func(a, b act) int { return a.at.Compare(b.at) })
	return day
}

// times draws how often something happens whose mean is given (Poisson).
func times(random *rand.Rand, mean float64) int {
	n, left := 0, math.Exp(-mean)
	for p := random.Float64(); p > left; p *= random.Float64() {
		n++
	}
	return n
}

// moment draws a time between the second hour of the day and its end, as people are
// about.
func moment(random *rand.Rand, from time.Time) time.Time {
	const most = 4.2 // busy is never more
	for {
		at := from.Add(time.Hour + time.Duration(random.Int64N(int64(22*time.Hour))))
		if random.Float64()*most < busy(at) {
			return at
		}
	}
}
