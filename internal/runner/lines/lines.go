// Package lines turns what a program writes into whole lines.
package lines

import (
	"bytes"
	"sync"
)

// Longest bounds a line, in bytes; longer ones are cut into pieces.
const Longest = 256 << 10

// A Writer passes on whole lines. It may be used by many goroutines.
type Writer struct {
	mu   sync.Mutex
	rest []byte
	line func(string)
}

// NewWriter makes a Writer; line is given each line without its end, one at a time.
func NewWriter(line func(string)) *Writer { return &Writer{line: line} }

// Write takes a piece of output; it never fails.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		end := bytes.IndexByte(w.rest, '\n')
		switch {
		case end >= 0:
			w.line(string(bytes.TrimRight(w.rest[:end], "\r")))
			w.rest = w.rest[end+1:]
		case len(w.rest) >= Longest:
			w.line(string(w.rest[:Longest]))
			w.rest = w.rest[Longest:]
		default:
			return len(p), nil
		}
	}
}

// Flush passes on a last line that has no end.
func (w *Writer) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) > 0 {
		w.line(string(w.rest))
		w.rest = nil
	}
}
