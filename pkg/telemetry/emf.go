package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// Bounds of what an EMF keeps until it is flushed. What is beyond is dropped, and said.
const (
	// MaxSeries is how many metrics, each value of a dimension counted, are known.
	MaxSeries = 1000
	// MaxKept is how many values of one of them are kept.
	MaxKept = 10_000
)

// An EMFConfig sets an EMF up; the zero value serves a Lambda function.
type EMFConfig struct {
	// Out takes the lines, each in one call of Write; default os.Stdout. In Lambda that
	// goes to CloudWatch Logs, which makes the metrics.
	Out io.Writer
	// Namespace of the metrics, at most 255 characters, and not one of AWS's own; default Namespace.
	Namespace string
	// Every is for processes that are not frozen: lines are written that often while
	// there is something to write, and Flush does nothing. Zero, which is for Lambda,
	// means that Flush writes.
	Every time.Duration
	// Logger is told once per flush when something was dropped; default slog.Default().
	Logger *slog.Logger
	// Now is the clock of the lines' times; default time.Now.
	Now func() time.Time
}

// EMF is a Recorder that writes lines in CloudWatch's embedded metric format, one
// for each value of a dimension:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html.
// Make one with NewEMF.
type EMF struct {
	config EMFConfig

	mu     sync.Mutex // guards what follows; nobody waits for Out while holding it
	groups []*group
	series map[seriesKey]*series
	began  time.Time   // when the first of what is kept was recorded
	timer  *time.Timer // runs while something is kept, with Every
	lost   int
	why    error // of the first that was lost

	out   sync.Mutex // guards lines and Out
	lines lines
}

// NewEMF makes an EMF.
func NewEMF(config EMFConfig) (*EMF, error) {
	if config.Out == nil {
		config.Out = os.Stdout
	}
	if config.Namespace == "" {
		config.Namespace = Namespace
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	var problems []error
	if !sound(config.Namespace, maxName) || strings.HasPrefix(config.Namespace, "AWS/") {
		problems = append(problems, fmt.Errorf("telemetry: Namespace is %.40q: CloudWatch takes 1 to %d printable ASCII characters, and keeps AWS/ for itself; leave it empty for %q, or use a name of your own", config.Namespace, maxName, Namespace))
	}
	if config.Every < 0 {
		problems = append(problems, fmt.Errorf("telemetry: Every is %v: it is 0 (lines are written by Flush alone) or more", config.Every))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &EMF{config: config, series: map[seriesKey]*series{}}, nil
}

// Record keeps a measurement until it is flushed. One that CloudWatch would not take
// (see Measurement.Check) is dropped and logged.
func (e *EMF) Record(_ context.Context, m Measurement) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.find(&m)
	if err == nil {
		err = s.take(&m)
	}
	if err != nil {
		e.lose(err)
		return
	}
	if e.began.IsZero() {
		e.began = e.config.Now()
		if e.config.Every > 0 {
			e.timer = time.AfterFunc(e.config.Every, e.write)
		}
	}
}

// Flush writes what was recorded, unless EMFConfig.Every says when that is done.
func (e *EMF) Flush(context.Context) {
	if e.config.Every == 0 {
		e.write()
	}
}

// Close writes what is left, at the end of a process. It can be used on.
func (e *EMF) Close() { e.write() }

// find gives the series of a measurement; the caller holds mu.
func (e *EMF) find(m *Measurement) (*series, error) {
	key := seriesKey{by: m.Metric.By, of: m.Of, name: m.Metric.Name}
	if s := e.series[key]; s != nil {
		return s, nil
	}
	if err := errors.Join(m.Metric.check(), m.checkOf()); err != nil {
		return nil, err
	}
	if len(e.series) == MaxSeries {
		return nil, fmt.Errorf("%w: %s of %.40q is one more than %d, which is what is kept", ErrMetric, key.name, key.of, MaxSeries)
	}
	s := &series{metric: m.Metric}
	e.series[key] = s
	for _, g := range e.groups {
		if g.by == key.by && g.of == key.of {
			g.series = append(g.series, s)
			return s, nil
		}
	}
	e.groups = append(e.groups, &group{by: key.by, of: key.of, series: []*series{s}})
	return s, nil
}

func (e *EMF) lose(err error) {
	if e.lost == 0 {
		e.why = err
	}
	e.lost++
}

// write writes what is kept. Who records meanwhile does not wait for Out.
func (e *EMF) write() {
	e.out.Lock()
	defer e.out.Unlock()
	lost, why := e.encode()
	for _, line := range e.lines.all() {
		if _, err := e.config.Out.Write(line); err != nil {
			e.config.Logger.Warn("metrics were not written", "error", err.Error())
			break
		}
	}
	if lost > 0 {
		e.config.Logger.Warn("measurements were dropped", "dropped", lost, "error", why.Error())
	}
}

// encode turns what is kept into lines and forgets it.
func (e *EMF) encode() (lost int, why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines.begin(e.config.Namespace, e.began)
	for _, g := range e.groups {
		e.lines.add(g)
	}
	if e.timer != nil {
		e.timer.Stop()
	}
	lost, why = e.lost, e.why
	e.began, e.timer, e.lost, e.why = time.Time{}, nil, 0, nil
	return lost, why
}
