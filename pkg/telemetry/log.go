package telemetry

import (
	"context"
	"log/slog"
	"slices"
)

// LogHandler gives a handler that puts job, task, queue, attempt and trace on each line that is
// logged with the context of a job's handler (slog.InfoContext and its like), and trace on
// those of a request. What the line says of them itself stays: no key comes twice.
// They stand outside of all groups.
//
//	logger := slog.New(telemetry.LogHandler(slog.NewJSONHandler(os.Stderr, nil)))
func LogHandler(inner slog.Handler) slog.Handler { return &logHandler{inner: inner, root: inner} }

type logHandler struct {
	inner slog.Handler
	// said are the keys outside of groups that are on every line already.
	said []string
	// Within a group, root is the handler before it was opened and within is what
	// came since: what is put on a line goes between them.
	root   slog.Handler
	within []func(slog.Handler) slog.Handler
}

// Enabled asks the inner handler.
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.inner.Enabled(ctx, level)
}

// Handle hands a line on, with what the context tells.
func (h *logHandler) Handle(ctx context.Context, line slog.Record) error {
	attrs := h.of(ctx, &line)
	if len(attrs) == 0 {
		return h.inner.Handle(ctx, line)
	}
	if len(h.within) == 0 {
		line = line.Clone()
		line.AddAttrs(attrs...)
		return h.inner.Handle(ctx, line)
	}
	inner := h.root.WithAttrs(attrs)
	for _, open := range h.within {
		inner = open(inner)
	}
	return inner.Handle(ctx, line)
}

// of gives what a context tells and the line does not.
func (h *logHandler) of(ctx context.Context, line *slog.Record) []slog.Attr {
	run, running := RunFrom(ctx)
	trace := TraceFrom(ctx)
	if !running && trace.IsZero() {
		return nil
	}
	attrs := make([]slog.Attr, 0, 5)
	if running {
		attrs = append(attrs, slog.String("job", run.Job), slog.String("task", run.Task), slog.String("queue", run.Queue), slog.Int("attempt", run.Attempt))
	}
	if id := trace.ID(); id != "" {
		attrs = append(attrs, slog.String("trace", id))
	}
	said := h.said
	if len(h.within) == 0 {
		said = slices.Clip(said)
		line.Attrs(func(a slog.Attr) bool {
			said = keys(said, a)
			return true
		})
	}
	return slices.DeleteFunc(attrs, func(a slog.Attr) bool { return slices.Contains(said, a.Key) })
}

// WithAttrs gives a handler whose lines have these as well.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	n := *h
	n.inner = h.inner.WithAttrs(attrs)
	if len(h.within) > 0 {
		n.within = append(slices.Clip(h.within), func(inner slog.Handler) slog.Handler { return inner.WithAttrs(attrs) })
		return &n
	}
	n.root = n.inner
	n.said = slices.Clip(h.said)
	for _, a := range attrs {
		n.said = keys(n.said, a)
	}
	return &n
}

// keys adds what an attribute is called on its line: a group without a name stands for
// what is in it.
func keys(said []string, a slog.Attr) []string {
	if a.Key != "" || a.Value.Kind() != slog.KindGroup {
		return append(said, a.Key)
	}
	for _, within := range a.Value.Group() {
		said = keys(said, within)
	}
	return said
}

// WithGroup gives a handler whose lines have what follows in a group.
func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	n := *h
	n.inner = h.inner.WithGroup(name)
	n.within = append(slices.Clip(h.within), func(inner slog.Handler) slog.Handler { return inner.WithGroup(name) })
	return &n
}
