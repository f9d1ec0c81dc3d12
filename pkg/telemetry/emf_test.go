package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

var (
	ctx     = context.Background()
	noon    = time.UnixMilli(1_780_000_000_123)
	pixels  = telemetry.Metric{Name: "Pixels", Unit: telemetry.Count, By: telemetry.ByQueue}
	cookies = telemetry.Metric{Name: "Cookies", Kind: telemetry.Counter}
)

func newEMF(t testing.TB, out io.Writer, logs io.Writer) *telemetry.EMF {
	t.Helper()
	e, err := telemetry.NewEMF(telemetry.EMFConfig{
		Out: out, Now: func() time.Time { return noon }, Logger: slog.New(slog.NewTextHandler(logs, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		name   string
		record []telemetry.Measurement
		want   []string
	}{
		{"nothing", nil, nil},
		{"one value", []telemetry.Measurement{telemetry.Depth.Value("photos", 7)}, []string{
			`{"_aws":{"Timestamp":1780000000123,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[["Queue"]],"Metrics":[{"Name":"Depth","Unit":"Count"}]}]},"Queue":"photos","Depth":7}`,
		}},
		{"several values of a distribution, one of a counter", []telemetry.Measurement{
			telemetry.QueueWait.Took("photos", 1500*time.Microsecond), telemetry.Done.Times("photos", 1),
			telemetry.QueueWait.Took("photos", time.Minute), telemetry.Done.Times("photos", 2),
		}, []string{
			`{"_aws":{"Timestamp":1780000000123,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[["Queue"]],"Metrics":[{"Name":"QueueWait","Unit":"Milliseconds"},{"Name":"Done","Unit":"Count"}]}]},"Queue":"photos","QueueWait":[1.5,60000],"Done":3}`,
		}},
		{"a line for each value of the dimension, and none has no dimension", []telemetry.Measurement{
			telemetry.Dead.Times("photos", 1), telemetry.Dead.Times("search", 1), cookies.Value("", 1e30),
		}, []string{
			`{"_aws":{"Timestamp":1780000000123,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[["Queue"]],"Metrics":[{"Name":"Dead","Unit":"Count"}]}]},"Queue":"photos","Dead":1}`,
			`{"_aws":{"Timestamp":1780000000123,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[["Queue"]],"Metrics":[{"Name":"Dead","Unit":"Count"}]}]},"Queue":"search","Dead":1}`,
			`{"_aws":{"Timestamp":1780000000123,"CloudWatchMetrics":[{"Namespace":"Nightshift","Dimensions":[[]],"Metrics":[{"Name":"Cookies"}]}]},"Cookies":1e+30}`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			e := newEMF(t, &out, t.Output())
			for range 2 { // the second time nothing is left of the first
				out.Reset()
				for _, m := range test.record {
					e.Record(ctx, m)
				}
				e.Flush(ctx)
				want := strings.Join(append(test.want, ""), "\n")
				if got := out.String(); got != want {
					t.Errorf("written:\n%swant:\n%s", got, want)
				}
			}
		})
	}
}

// What exceeds the format's limits goes into further documents.
func TestLimits(t *testing.T) {
	named := func(i int) telemetry.Metric {
		name := fmt.Sprintf("%0255d", i)
		return telemetry.Metric{Name: name, Unit: telemetry.Milliseconds, By: telemetry.ByQueue}
	}
	for _, test := range []struct {
		metrics, values int
		documents       int
	}{{101, 1, 2}, {250, 1, 3}, {1, 250, 3}, {100, 100, 2}, {100, 101, 3}, {1000, 10, 10}, {120, 300, 9}} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			var out bytes.Buffer
			e := newEMF(t, &out, t.Output())
			for i := range test.metrics {
				for v := range test.values {
					e.Record(ctx, named(i).Value(strings.Repeat("q", 1024), -float64(v)*math.Pi*1e100))
				}
			}
			e.Flush(ctx)
			documents := readDocuments(t, out.Bytes())
			if len(documents) != test.documents {
				t.Errorf("%d documents, want %d", len(documents), test.documents)
			}
			kept := 0
			for _, d := range documents {
				for _, values := range d.values {
					kept += len(values)
				}
			}
			if want := test.metrics * test.values; kept != want {
				t.Errorf("%d values, want %d", kept, want)
			}
		})
	}
}

func TestWhatCannotBeRecordedIsDroppedAndSaid(t *testing.T) {
	for name, m := range map[string]telemetry.Measurement{
		"not a number":     pixels.Value("photos", math.NaN()),
		"infinite":         pixels.Value("photos", math.Inf(-1)),
		"too great":        pixels.Value("photos", math.Ldexp(1, 361)),
		"no name":          telemetry.Metric{}.Value("", 1),
		"a long name":      telemetry.Metric{Name: strings.Repeat("n", 256)}.Value("", 1),
		"a quoted name":    telemetry.Metric{Name: `a"b`}.Value("", 1),
		"a foreign letter": telemetry.Metric{Name: "é"}.Value("", 1),
		"the metadata":     telemetry.Metric{Name: "_aws"}.Value("", 1),
		"the dimension":    telemetry.Metric{Name: "Queue", By: "Queue"}.Value("photos", 1),
		"a colon":          telemetry.Metric{Name: "N", By: ":Queue"}.Value("photos", 1),
		"no value":         pixels.Value("", 1),
		"a blank value":    pixels.Value("  ", 1),
		"a long value":     pixels.Value(strings.Repeat("v", 1025), 1),
		"a line break":     pixels.Value("a\nb", 1),
		"of nothing":       cookies.Value("photos", 1),
		"a quoted unit":    telemetry.Metric{Name: "N", Unit: `"`}.Value("", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if err := m.Check(); !errors.Is(err, telemetry.ErrMetric) {
				t.Errorf("Check: %v", err)
			}
			var out, logs bytes.Buffer
			e := newEMF(t, &out, &logs)
			e.Record(ctx, m)
			e.Record(ctx, m)
			e.Flush(ctx)
			if out.Len() > 0 || strings.Count(logs.String(), "dropped=2") != 1 {
				t.Errorf("written: %q, logged: %q", out.String(), logs.String())
			}
			logs.Reset()
			e.Flush(ctx)
			if logs.Len() > 0 {
				t.Errorf("said again: %q", logs.String())
			}
		})
	}
}

func TestBounds(t *testing.T) {
	for name, record := range map[string]func(i int) telemetry.Measurement{
		"values": func(int) telemetry.Measurement { return pixels.Value("photos", 1) },
		"series": func(i int) telemetry.Measurement { return pixels.Value(fmt.Sprint("customer-", i), 1) },
	} {
		t.Run(name, func(t *testing.T) {
			var out, logs bytes.Buffer
			e := newEMF(t, &out, &logs)
			for i := range telemetry.MaxKept + 5 {
				e.Record(ctx, record(i))
			}
			e.Flush(ctx)
			dropped := map[string]int{"values": 5, "series": telemetry.MaxKept + 5 - telemetry.MaxSeries}[name]
			if !strings.Contains(logs.String(), fmt.Sprint("dropped=", dropped, " ")) {
				t.Errorf("logged: %q", logs.String())
			}
			readDocuments(t, out.Bytes())
		})
	}
}

func TestOneNameHasOneUnit(t *testing.T) {
	var out, logs bytes.Buffer
	e := newEMF(t, &out, &logs)
	e.Record(ctx, pixels.Value("photos", 1))
	other := pixels
	other.Unit = telemetry.Bytes
	e.Record(ctx, other.Value("photos", 2))
	e.Flush(ctx)
	if d := readDocuments(t, out.Bytes()); len(d) != 1 || len(d[0].values["Pixels"]) != 1 || !strings.Contains(logs.String(), "dropped=1") {
		t.Errorf("%v, logged %q", d, logs.String())
	}
}

func TestSumsThatGrowTooGreatStay(t *testing.T) {
	var out, logs bytes.Buffer
	e := newEMF(t, &out, &logs)
	e.Record(ctx, cookies.Value("", math.Ldexp(1, 360)))
	e.Record(ctx, cookies.Value("", math.Ldexp(1, 360)))
	e.Flush(ctx)
	if d := readDocuments(t, out.Bytes()); d[0].values["Cookies"][0] != math.Ldexp(1, 360) || !strings.Contains(logs.String(), "dropped=1") {
		t.Errorf("%v, logged %q", d, logs.String())
	}
}

func TestConfigurations(t *testing.T) {
	taken, every := "use a name of your own", "it is 0 (lines are written by Flush alone) or more"
	for _, c := range []struct {
		config telemetry.EMFConfig
		says   string
	}{{telemetry.EMFConfig{Namespace: "AWS/SQS"}, taken}, {telemetry.EMFConfig{Namespace: "\n"}, taken}, {telemetry.EMFConfig{Every: -1}, every}, {telemetry.EMFConfig{Namespace: strings.Repeat("n", 256)}, taken}} {
		if _, err := telemetry.NewEMF(c.config); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.config, err)
		}
	}
}

func TestAFailingWriterFailsNobody(t *testing.T) {
	var logs bytes.Buffer
	e := newEMF(t, broken{}, &logs)
	e.Record(ctx, pixels.Value("photos", 1))
	e.Flush(ctx)
	if !strings.Contains(logs.String(), "no room") {
		t.Errorf("logged: %q", logs.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no room") }

// A writer that tells of each line.
type told chan []byte

func (w told) Write(line []byte) (int, error) {
	w <- bytes.Clone(line)
	return len(line), nil
}

func TestEveryWritesByItself(t *testing.T) {
	out := make(told, 8)
	e, err := telemetry.NewEMF(telemetry.EMFConfig{Out: out, Every: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		e.Record(ctx, cookies.Value("", 1))
		if d := readDocuments(t, <-out); d[0].values["Cookies"][0] != 1 {
			t.Errorf("%v", d)
		}
	}

	e, err = telemetry.NewEMF(telemetry.EMFConfig{Out: out, Every: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	e.Record(ctx, cookies.Value("", 2))
	e.Flush(ctx)
	if len(out) > 0 {
		t.Errorf("Flush wrote %s", <-out)
	}
	e.Close()
	if d := readDocuments(t, <-out); d[0].values["Cookies"][0] != 2 {
		t.Errorf("%v", d)
	}
}

// A writer that lets nothing through until it is released.
type held struct{ entered, release chan bool }

func (w held) Write(line []byte) (int, error) {
	w.entered <- true
	<-w.release
	return len(line), nil
}

// While a line can't be written, who records does not wait.
func TestRecordDoesNotWaitForTheWriter(t *testing.T) {
	out := held{make(chan bool), make(chan bool)}
	e := newEMF(t, out, t.Output())
	e.Record(ctx, cookies.Value("", 1))
	flushed := make(chan bool)
	go func() { e.Flush(ctx); close(flushed) }()
	<-out.entered
	e.Record(ctx, cookies.Value("", 2)) // or the test hangs
	close(out.release)
	<-flushed
}

func TestNoRecorder(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		telemetry.Record(ctx, nil, telemetry.QueueWait.Took("photos", time.Second))
		telemetry.Flush(ctx, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	e := newEMF(t, io.Discard, t.Output())
	r := telemetry.Recorder(e)
	job := func() {
		for range 10 {
			telemetry.Record(ctx, r, telemetry.QueueWait.Took("photos", time.Second))
			telemetry.Record(ctx, r, telemetry.ServiceTime.Took("photos", time.Second))
			telemetry.Record(ctx, r, telemetry.Done.Times("photos", 1))
		}
		telemetry.Flush(ctx, r)
	}
	job()
	if n := testing.AllocsPerRun(100, job); n != 0 {
		t.Errorf("%v allocations in a batch of ten", n)
	}
}

func TestTheToolkitsMetricsAreSound(t *testing.T) {
	names := map[string]bool{}
	for _, m := range telemetry.All() {
		if err := m.Value("photos", 1).Check(); err != nil || names[m.Name] {
			t.Errorf("%+v: %v, twice: %v", m, err, names[m.Name])
		}
		names[m.Name] = true
	}
}

func TestTook(t *testing.T) {
	for _, test := range []struct {
		metric telemetry.Metric
		took   time.Duration
		want   float64
	}{
		{telemetry.QueueWait, 1260 * time.Microsecond, 1.3},
		{telemetry.QueueWait, -time.Second, 0},
		{telemetry.Age, 1_234_567 * time.Microsecond, 1.2346},
		{telemetry.Age, time.Hour, 3600},
	} {
		if got := test.metric.Took("q", test.took).Value; got != test.want {
			t.Errorf("%s of %v is %v, want %v", test.metric.Name, test.took, got, test.want)
		}
	}
}

func FuzzEMF(f *testing.F) {
	f.Add("Pixels", "Count", "Queue", "photos", 1.5, 0)
	f.Add("_aws", "\"", "Queue\\", "\x00", math.Inf(1), 1)
	f.Add("Queue", "", "Queue", "é", 1e-300, 2)
	f.Fuzz(func(t *testing.T, name, unit, by, of string, value float64, kind int) {
		var out bytes.Buffer
		e := newEMF(t, &out, io.Discard)
		m := telemetry.Metric{Name: name, Unit: telemetry.Unit(unit), By: by, Kind: telemetry.Kind(uint(kind) % 3)}.Value(of, value)
		e.Record(ctx, m)
		e.Flush(ctx)
		if err := m.Check(); err != nil {
			if out.Len() > 0 {
				t.Errorf("%v, but it was written: %s", err, out.String())
			}
			return
		}
		d := readDocuments(t, out.Bytes())
		if len(d) != 1 || len(d[0].values[name]) != 1 || d[0].values[name][0] != value || d[0].of != of {
			t.Errorf("%+v was written as %s", m, out.String())
		}
	})
}

// A document as CloudWatch reads it.
type document struct {
	of     string
	values map[string][]float64
}

// readDocuments holds lines against the format's rules.
func readDocuments(t testing.TB, lines []byte) []document {
	t.Helper()
	var found []document
	for line := range bytes.Lines(lines) {
		if len(line) > 256<<10 {
			t.Errorf("a line of %d bytes", len(line))
		}
		var meta struct {
			AWS struct {
				Timestamp         int64
				CloudWatchMetrics []struct {
					Namespace  string
					Dimensions [][]string
					Metrics    []struct{ Name, Unit string }
				}
			} `json:"_aws"`
		}
		var members map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(line, &meta), json.Unmarshal(line, &members)); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		directives := meta.AWS.CloudWatchMetrics
		if len(directives) != 1 || len(directives[0].Dimensions) != 1 || len(directives[0].Metrics) > 100 || meta.AWS.Timestamp == 0 {
			t.Fatalf("not by the rules: %.500s", line)
		}
		d := document{values: map[string][]float64{}}
		for _, by := range directives[0].Dimensions[0] {
			if err := json.Unmarshal(members[by], &d.of); err != nil {
				t.Errorf("the dimension %s: %v", by, err)
			}
		}
		for _, m := range directives[0].Metrics {
			var one float64
			var many []float64
			if json.Unmarshal(members[m.Name], &one) == nil {
				many = []float64{one}
			} else if err := json.Unmarshal(members[m.Name], &many); err != nil || len(many) > 100 {
				t.Errorf("%s has %d values, %v", m.Name, len(many), err)
			}
			if d.values[m.Name] != nil {
				t.Errorf("%s twice", m.Name)
			}
			d.values[m.Name] = many
		}
		if len(members) != len(d.values)+1+len(directives[0].Dimensions[0]) {
			t.Errorf("%d members: %.300s", len(members), line)
		}
		found = append(found, d)
	}
	return found
}

func BenchmarkRecordBatchOfTen(b *testing.B) {
	e := newEMF(b, io.Discard, io.Discard)
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			e.Record(ctx, telemetry.QueueWait.Took("photos", 1234*time.Microsecond))
			e.Record(ctx, telemetry.ServiceTime.Took("photos", 98765*time.Microsecond))
			e.Record(ctx, telemetry.Attempts.Value("photos", 1))
			e.Record(ctx, telemetry.Done.Times("photos", 1))
		}
		e.Flush(ctx)
	}
}
