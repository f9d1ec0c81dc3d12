package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// An output is a command's standard output. It remembers the first write that failed,
// writes no more after it, and ends the command, whether that looks at its writes or not:
// what nobody reads needs no more work, and what was not written is no success.
type output struct {
	to  io.Writer
	end context.CancelFunc

	mu     sync.Mutex
	failed error
}

// Write writes, or gives why it can't.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil {
		return 0, o.failed
	}
	n, err := o.to.Write(text)
	if err != nil {
		o.failed = err
		o.end()
	}
	return n, err
}

// exitCode is a command's, by what became of it and of what it wrote.
func (o *output) exitCode(s streams, err error) int {
	o.mu.Lock()
	failed := o.failed
	o.mu.Unlock()
	switch {
	case failed == nil:
		return exitCode(s, err)
	case errors.Is(failed, syscall.EPIPE):
		return exitFailure // who reads has what it wanted
	}
	fmt.Fprintln(s.err, "nightshift:", wrote(failed))
	if err != nil && !errors.Is(err, failed) && !errors.Is(err, context.Canceled) {
		exitCode(s, err)
	}
	return exitFailure
}

// fileOf gives the file that is written to, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	if o, ok := w.(*output); ok {
		w = o.to
	}
	file, ok := w.(*os.File)
	return file, ok
}
