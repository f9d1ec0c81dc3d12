package main

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTerminalWidth(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(); _ = w.Close() }() // nothing was written
	if got := terminalWidth(w); got != 0 {
		t.Errorf("a pipe has %d columns", got)
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine makes no terminals: %v", err)
	}
	defer func() { _ = terminal.Close() }()
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 123}); err != nil {
		t.Skipf("this machine's terminals have no size: %v", err)
	}
	if got := terminalWidth(terminal); got != 123 {
		t.Errorf("a terminal of 123 columns has %d", got)
	}
}
