package sizing

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// A Figure is one number of a plan with where it comes from: for a table in a
// terminal, a page of documentation, or a dashboard.
type Figure struct {
	// Name identifies it: "drain_rate".
	Name string `json:"name"`
	// Title is what people call it.
	Title string `json:"title"`
	// Value is the number in its unit; a time is in seconds.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Text is value and unit for people: "18,000 jobs".
	Text string `json:"text"`
	// Formula is the rule in words, With the same with the numbers in it.
	Formula string `json:"formula"`
	With    string `json:"with"`
}

// Explain gives each number that follows from the queue's declaration, in the order
// in which they follow from one another.
func (p Plan) Explain() []Figure {
	var e explanation
	p.explainWorkers(&e)
	p.explainWaits(&e)
	p.explainPressure(&e)
	p.explainTimeouts(&e)
	p.explainAlarms(&e)
	return e.figures
}

func (p Plan) explainWorkers(e *explanation) {
	q := p.Queue
	e.number("in_progress", "in progress", p.InProgress, "jobs", "arrivals × service time (Little's law)",
		f("%s/s × %s", Number(float64(q.PeakArrivals)), Period(q.ServiceTime)))
	e.number("least_workers", "least workers", float64(p.LeastWorkers), "workers", "in progress ÷ target utilisation, rounded up",
		f("%s ÷ %s", Number(p.InProgress), Number(q.TargetUtilisation())))
	e.number("maximum_concurrency", "concurrency", float64(p.MaximumConcurrency), "invocations", "least workers, rounded up, ÷ jobs side by side; at least 2",
		f("%s ÷ %d", Number(float64(RoundWorkers(p.LeastWorkers, q.Rounding))), q.SideBySide()))
	e.number("workers", "workers", float64(p.Workers), "workers", "concurrency × jobs side by side",
		f("%d × %d", p.MaximumConcurrency, q.SideBySide()))
	if q.MostWorkers > 0 {
		e.number("most_workers", "most workers", float64(p.MostWorkers), "workers", "MostWorkers, in whole invocations: what the controller may raise the workers to",
			f("%d invocations × %d", p.MostConcurrency, q.SideBySide()))
	}
	e.number("utilisation", "utilisation", p.Utilisation, "of 1", "in progress ÷ workers",
		f("%s ÷ %d", Number(p.InProgress), p.Workers))
	e.number("drain_rate", "drain rate", float64(p.DrainRate), "jobs/s", "workers ÷ service time",
		f("%d ÷ %s", p.Workers, Period(q.ServiceTime)))
}

func (p Plan) explainWaits(e *explanation) {
	w := p.Waiting()
	in := f("%s in progress, %d workers", Number(p.InProgress), p.Workers)
	e.number("waiting", "jobs that wait", w.Probability, "of 1", "Erlang C: the share that finds all workers busy at the peak", in)
	e.time("mean_wait", "mean wait", w.Mean, "share that waits ÷ (drain rate − arrivals)",
		f("%s ÷ (%s − %s)/s", Number(w.Probability), Number(float64(p.DrainRate)), Number(float64(p.Queue.PeakArrivals))))
	e.time("wait_p99", "99 % wait at most", w.Percentile(0.99), "ln(share that waits ÷ 0.01) ÷ (drain rate − arrivals); 0 where fewer than 1 % wait",
		f("ln(%s ÷ 0.01) ÷ (%s − %s)/s", Number(w.Probability), Number(float64(p.DrainRate)), Number(float64(p.Queue.PeakArrivals))))
}

func (p Plan) explainPressure(e *explanation) {
	drain := Number(float64(p.DrainRate))
	e.number("limit", "limit", float64(p.Limit), "jobs", "drain rate × longest wait",
		f("%s/s × %s", drain, Period(p.Queue.LongestWait)))
	e.number("mark", "open again at", float64(p.Mark), "jobs", "limit − a twentieth (at least one)",
		f("%s − %s", Number(float64(p.Limit)), Number(float64(p.Limit-p.Mark))))
	if p.Queue.Full == job.Degrade {
		e.number("degrade_at", "degraded from", float64(p.DegradeAt), "jobs", "half the limit", f("%s ÷ 2", Number(float64(p.Limit))))
		e.number("degrade_mark", "whole again at", float64(p.DegradeMark), "jobs", "degraded from − a twentieth (at least one)",
			f("%s − %s", Number(float64(p.DegradeAt)), Number(float64(p.DegradeAt-p.DegradeMark))))
	}
	if p.Queue.Full == job.Spill {
		formula, with := "drain rate × a day", f("%s/s × 24 h", drain)
		if p.Queue.SpillLimit > 0 {
			formula, with = "SpillLimit, as declared", Number(float64(p.SpillLimit))
		}
		e.number("spill_limit", "spilled at most", float64(p.SpillLimit), "jobs", formula, with)
		e.number("release_rate", "released again", float64(ReleaseRate(p.DrainRate, p.Queue.PeakArrivals)), "jobs/s", "drain rate − arrivals, at least a tenth of the drain rate; operators may change it",
			f("%s − %s", drain, Number(float64(p.Queue.PeakArrivals))))
	}
	if p.Queue.Hard {
		e.number("count_shards", "rows of the exact count", float64(CountShards(p.Queue.PeakArrivals, p.Limit)), "rows", "arrivals × time of a transaction ÷ share that may meet another; ten places each at least",
			f("%s/s × %v s ÷ %v", Number(float64(p.Queue.PeakArrivals)), transactionTime, met))
	}
	fall := f("(%s − %s) ÷ %s/s", Number(float64(p.Limit)), Number(float64(p.Mark)), drain)
	spread := fall + " × 1.5"
	if timeAt(float64(p.Limit-p.Mark), float64(p.DrainRate)) < 2*leastSpread {
		spread = fall + " + " + Period(leastSpread)
	}
	e.time("retry_least", "Retry-After from", p.RetryLeast, "(limit − open again at) ÷ drain rate, whole seconds, 1 s to 10 min", fall)
	e.time("retry_most", "Retry-After to", p.RetryMost, "half as much again, at least 2 s more, by chance, so that clients don't return together", spread)
}

func (p Plan) explainTimeouts(e *explanation) {
	if p.Queue.Polled {
		return
	}
	rounds := f("⌈%d ÷ %d⌉", p.Queue.BatchSize(), p.Queue.SideBySide())
	if p.Queue.BatchSize() > 1 {
		rounds += " + 1"
	}
	e.number("rounds", "rounds of a batch", float64(p.Rounds), "rounds", "⌈batch ÷ side by side⌉, and one more for a job that has to run alone after a batch", rounds)
	e.time("function_timeout", "function timeout", p.FunctionTimeout, "rounds × the slowest task's timeout + margin",
		f("%d × %s + %s", p.Rounds, Period(p.Timeout), Period(FunctionMargin)))
	e.time("visibility", "visibility timeout", p.Visibility, "6 × function timeout", f("%d × %s", VisibilityFactor, Period(p.FunctionTimeout)))
}

func (p Plan) explainAlarms(e *explanation) {
	formula, with := "longest wait", Period(p.Queue.LongestWait)
	if p.Queue.Polled {
		formula, with = "longest wait + the slowest task's timeout (a message ages until its job is done)", f("%s + %s", Period(p.Queue.LongestWait), Period(p.Timeout))
	}
	e.time("age_alarm", "alarm: oldest older than", p.AgeAlarm, formula, with)
	e.number("utilisation_alarm", "alarm: busier than", p.UtilisationAlarm, "of 1", "halfway from the target to 1, at least 0.9",
		f("max(0.9, (1 + %s) ÷ 2)", Number(p.Queue.TargetUtilisation())))
	e.number("refusals_alarm", "alarm: more refusals than", float64(p.RefusalsAlarm), "a minute", "1 % of the arrivals of a minute, at least one",
		f("%s/s × 60 s × 1 %%", Number(float64(p.Queue.PeakArrivals))))
}

type explanation struct{ figures []Figure }

func (e *explanation) number(name, title string, value float64, unit, formula, with string) {
	text := Count(value, unit)
	switch unit {
	case "of 1":
		text = Percent(value)
	case "jobs/s":
		text = Number(value) + "/s"
	}
	e.figures = append(e.figures, Figure{name, title, value, unit, text, formula, with})
}

func (e *explanation) time(name, title string, d time.Duration, formula, with string) {
	e.figures = append(e.figures, Figure{name, title, d.Seconds(), "s", Period(d), formula, with})
}

// Count writes a number of things: "1 job", "18,000 jobs". The unit is in the plural.
func Count(n float64, unit string) string {
	if n == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return Number(n) + " " + unit
}

// Percent writes a share of 1: "66.7 %", and "< 0.01 %" for one that is next to nothing.
func Percent(share float64) string {
	if share > 0 && share < 0.0001 {
		return "< 0.01 %"
	}
	return Number(100*share) + " %"
}

func f(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// Number writes a number with three digits at least, and commas between thousands:
// 18,000; 0.7; 257; 0.0123.
func Number(x float64) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return fmt.Sprint(x)
	}
	if math.Abs(x) >= 100 {
		return commas(strconv.FormatFloat(x, 'f', 0, 64))
	}
	text := strconv.FormatFloat(x, 'g', 3, 64)
	if strings.Contains(text, "e") && math.Abs(x) >= 1e-6 {
		text = strconv.FormatFloat(x, 'f', 6, 64)
	}
	return text
}

func commas(digits string) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// Period writes a time as people say it: "23 min 20 s", "70 min", "1.4 s", "never"
// for the longest Duration.
func Period(d time.Duration) string {
	switch {
	case d == math.MaxInt64:
		return "never"
	case d == 0:
		return "0 s"
	case d > 0 && d < time.Microsecond:
		return "< 0.001 ms"
	case d < time.Millisecond:
		return Number(d.Seconds()*1000) + " ms"
	case d < time.Second:
		return Number(float64(d.Round(time.Millisecond).Milliseconds())) + " ms"
	case d < 2*time.Minute:
		return Number(d.Round(100*time.Millisecond).Seconds()) + " s"
	case d < 2*time.Hour:
		return parts(d, time.Minute, "min", time.Second, "s")
	case d < 48*time.Hour:
		return parts(d, time.Hour, "h", time.Minute, "min")
	}
	return parts(d, 24*time.Hour, "days", time.Hour, "h")
}

func parts(d, large time.Duration, one string, small time.Duration, other string) string {
	d = d.Round(small)
	text := commas(strconv.FormatInt(int64(d/large), 10)) + " " + one
	if rest := d % large / small; rest > 0 {
		text += f(" %d %s", rest, other)
	}
	return text
}

func (e *explanation) bytes(name, title string, n int64, formula, with string) {
	e.figures = append(e.figures, Figure{name, title, float64(n), "bytes", Size(n), formula, with})
}

// Size writes a number of bytes as people say it: "42 MB", in powers of ten.
func Size(bytes int64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB", "PB", "EB"}
	at, n := 0, float64(bytes)
	for n >= 1000 && at < len(units)-1 {
		n, at = n/1000, at+1
	}
	return Number(n) + " " + units[at]
}
