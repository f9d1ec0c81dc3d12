package main

import (
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// A log writes the stack's lines and the functions' lines to one stream, whole
// and each with its source.
type log struct {
	mu    sync.Mutex
	w     io.Writer
	level slog.Level
}

func newLog(w io.Writer, verbose bool) *log {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	return &log{w: w, level: level}
}

// Write takes one line of the stack.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// function takes one line of a function.
func (l *log) function(name, line string) {
	// Standard error is where a failure to write would be told.
	_, _ = fmt.Fprintf(l, "%-10s | %s\n", name, line)
}

func (l *log) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: l.level, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey && len(groups) == 0 {
			return slog.String(slog.TimeKey, a.Value.Time().Format("15:04:05.000"))
		}
		return a
	}}))
}
