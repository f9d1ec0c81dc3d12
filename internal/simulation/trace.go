package simulation

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// MostTraceLines bounds a trace: a minute each, they are two years. mostTraceBytes bounds
// what is read of one, which may be a single line.
const (
	MostTraceLines = 1 << 20
	mostTraceBytes = 64 * MostTraceLines
)

// mostCount is the largest count of a line.
const mostCount = 1e9

// ReadTrace reads how many jobs arrived when: lines of "time,count", in order. A time
// is RFC 3339, or a number of seconds, or a duration as 1h30m; a count is of the jobs
// from that time to the next line's, and the last line's lasts as long as the one
// before it. Empty lines, lines that begin with # and a heading without figures are
// passed over. It gives the curve and how long it lasts, and reports every bad line
// with its number.
func ReadTrace(r io.Reader) (Curve, time.Duration, error) {
	limited := &io.LimitedReader{R: r, N: mostTraceBytes}
	lines := csv.NewReader(limited)
	lines.Comment, lines.FieldsPerRecord, lines.TrimLeadingSpace = '#', -1, true
	var t trace
	for len(t.times) < MostTraceLines && len(t.problems) < 20 {
		fields, err := lines.Read()
		if limited.N <= 0 {
			return Curve{}, 0, fmt.Errorf("simulation: trace: it has more than %d bytes", mostTraceBytes-1)
		}
		if errors.Is(err, io.EOF) {
			return t.curve()
		}
		if err != nil {
			return Curve{}, 0, errors.Join(append(t.problems, fmt.Errorf("simulation: trace: %w", err))...)
		}
		number, _ := lines.FieldPos(0)
		t.line(number, fields)
	}
	return Curve{}, 0, errors.Join(append(t.problems, fmt.Errorf("simulation: trace: read no further: it has more than %d lines, or too many bad ones", len(t.times)))...)
}

type trace struct {
	absolute bool // times are points in time
	first    time.Time
	times    []time.Duration
	counts   []float64
	read     int
	problems []error
}

func (t *trace) line(number int, fields []string) {
	bad := func(format string, args ...any) {
		t.problems = append(t.problems, fmt.Errorf("simulation: trace: line %d: "+format, append([]any{number}, args...)...))
	}
	t.read++
	if len(fields) != 2 {
		bad("it has %d fields: want time,count", len(fields))
		return
	}
	count, err := strconv.ParseFloat(strings.TrimSpace(fields[1]), 64)
	if err != nil && t.read == 1 {
		return // the heading
	}
	if err != nil || !(count >= 0 && count <= mostCount) {
		bad("count %q: want a number, 0 to a billion", fields[1])
		return
	}
	at, err := t.time(strings.TrimSpace(fields[0]))
	switch {
	case err != nil:
		bad("time %q: %v", fields[0], err)
	case at > Longest:
		bad("time %q is more than %v after the beginning", fields[0], Longest)
	case at < 0 || len(t.times) > 0 && at <= t.times[len(t.times)-1]:
		bad("time %q is not after the one before", fields[0])
	default:
		t.times, t.counts = append(t.times, at), append(t.counts, count)
	}
}

// time reads a time as one since the trace's first.
func (t *trace) time(text string) (time.Duration, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		if len(t.times) == 0 {
			t.absolute, t.first = true, at
		}
		if !t.absolute {
			return 0, errors.New("the lines before count from the beginning")
		}
		return at.Sub(t.first), nil
	}
	if t.absolute {
		return 0, errors.New("want RFC 3339, as the lines before")
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < math.MaxInt32 {
		return time.Duration(seconds * float64(time.Second)), nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d, nil
	}
	return 0, errors.New("want RFC 3339, seconds, or a duration as 1h30m")
}

func (t *trace) curve() (Curve, time.Duration, error) {
	if len(t.problems) > 0 {
		return Curve{}, 0, errors.Join(t.problems...)
	}
	if len(t.times) < 2 {
		return Curve{}, 0, errors.New("simulation: trace: it has fewer than two lines")
	}
	last := len(t.times) - 1
	end := 2*t.times[last] - t.times[last-1]
	var c Curve
	for i, at := range t.times {
		next := end
		if i < last {
			next = t.times[i+1]
		}
		c.Steps = append(c.Steps, Step{at, job.Rate(t.counts[i] / (next - at).Seconds())})
	}
	if slices.MaxFunc(c.Steps, func(a, b Step) int { return int(math.Copysign(1, float64(a.Rate-b.Rate))) }).Rate == 0 {
		return Curve{}, 0, errors.New("simulation: trace: nothing ever arrives")
	}
	c.Steps = append(c.Steps, Step{end, 0})
	return c, end, nil
}
