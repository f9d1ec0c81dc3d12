package main

import (
	"io"

	"golang.org/x/sys/unix"
)

// terminalWidth tells how many columns a terminal has; 0 where that is not known.
func terminalWidth(w io.Writer) int {
	file, ok := fileOf(w)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0 // no terminal, or one that does not tell
	}
	return int(size.Col)
}
