package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"

	"encoding/json"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

func untimed(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

func running(task string) context.Context {
	trace, _ := telemetry.ParseTrace(w3c)
	return telemetry.WithRun(context.Background(), telemetry.Run{Job: "01kb", Task: task, Queue: "photos", Attempt: 2, Trace: trace})
}

func TestLogHandler(t *testing.T) {
	const of = ` job=01kb task=photo.resize queue=photos attempt=2 trace=4bf92f3577b34da6a3ce929d0e0e4736`
	trace, _ := telemetry.ParseTrace(xray)
	for name, test := range map[string]struct {
		log  func(*slog.Logger)
		want string
	}{
		"a run":             {func(l *slog.Logger) { l.InfoContext(running("photo.resize"), "read") }, "msg=read" + of},
		"no run":            {func(l *slog.Logger) { l.Info("read", "a", 1) }, "msg=read a=1"},
		"a request":         {func(l *slog.Logger) { l.InfoContext(telemetry.WithTrace(ctx, trace), "read") }, "msg=read trace=5759e988bd862e3fe1be46a994272793"},
		"its own words":     {func(l *slog.Logger) { l.InfoContext(running("photo.resize"), "read", "attempt", 7, "bytes", 3) }, "msg=read attempt=7 bytes=3" + strings.Replace(of, " attempt=2", "", 1)},
		"words said before": {func(l *slog.Logger) { l.With("job", "mine").InfoContext(running("photo.resize"), "read") }, "msg=read job=mine" + strings.Replace(of, " job=01kb", "", 1)},
		"words in a nameless group": {func(l *slog.Logger) {
			l.With(slog.Group("", slog.Int("attempt", 8))).InfoContext(running("photo.resize"), "read", slog.Group("", slog.String("job", "mine")))
		}, "msg=read attempt=8 job=mine" + strings.Replace(strings.Replace(of, " job=01kb", "", 1), " attempt=2", "", 1)},
		"in a group": {func(l *slog.Logger) {
			l.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h").InfoContext(running("photo.resize"), "read", "job", "theirs")
		}, "msg=read a=1" + of + " g.b=2 g.h.job=theirs"},
		"in a group, outside of a run": {func(l *slog.Logger) { l.WithGroup("g").Info("read", "a", 1) }, "msg=read g.a=1"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			test.log(slog.New(telemetry.LogHandler(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: untimed}))))
			if got := strings.TrimSuffix(out.String(), "\n"); got != test.want {
				t.Errorf("logged %q\nwant   %q", got, test.want)
			}
		})
	}
}

// Loggers that come from one another do not write into each other's lines.
func TestLoggersAreApart(t *testing.T) {
	var out bytes.Buffer
	l := slog.New(telemetry.LogHandler(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: untimed}))).With("a", 1, "b", 2, "c", 3)
	task, queue := l.With("task", "x"), l.With("queue", "y")
	grouped := l.WithGroup("g").With("k", 0)
	one, two := grouped.With("task", "x"), grouped.With("queue", "y")
	for _, l := range []*slog.Logger{task, queue, one, two} {
		l.InfoContext(running("r"), "m")
	}
	want := `msg=m a=1 b=2 c=3 task=x job=01kb queue=photos attempt=2 trace=4bf92f3577b34da6a3ce929d0e0e4736
msg=m a=1 b=2 c=3 queue=y job=01kb task=r attempt=2 trace=4bf92f3577b34da6a3ce929d0e0e4736
msg=m a=1 b=2 c=3 job=01kb task=r queue=photos attempt=2 trace=4bf92f3577b34da6a3ce929d0e0e4736 g.k=0 g.task=x
msg=m a=1 b=2 c=3 job=01kb task=r queue=photos attempt=2 trace=4bf92f3577b34da6a3ce929d0e0e4736 g.k=0 g.queue=y
`
	if out.String() != want {
		t.Errorf("logged\n%swant\n%s", out.String(), want)
	}
}

// It keeps slog's own rules.
func TestLogHandlerIsAHandler(t *testing.T) {
	var out bytes.Buffer
	err := slogtest.TestHandler(telemetry.LogHandler(slog.NewJSONHandler(&out, nil)), func() []map[string]any {
		var lines []map[string]any
		for line := range bytes.Lines(out.Bytes()) {
			var m map[string]any
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, m)
		}
		return lines
	})
	if err != nil {
		t.Error(err)
	}
}
