package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// limitMemory holds the process to the function's MemorySize, as Lambda does: the
// kernel refuses to map more data than that, and Go's runtime then ends the process
// with "out of memory".
// Where the kernel does not enforce it (macOS), eat ends the process itself.
func limitMemory(megabytes string) error {
	mb, err := strconv.ParseUint(megabytes, 10, 32)
	if err != nil {
		return fmt.Errorf("the function's memory size: %w", err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("reading the limit of memory: %w", err)
	}
	limit.Cur = min(mb<<20, limit.Max)
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	return nil
}

// hoard keeps what was eaten.
var hoard [][]byte

// eat takes memory until the process dies of it. What is mapped counts, touched or
// not.
func eat() {
	const piece, most = 16 << 20, 2 << 30
	for taken := 0; taken < most; taken += piece {
		hoard = append(hoard, make([]byte, piece))
	}
	fmt.Fprintln(os.Stderr, "the limit of memory is not enforced here; the process ends itself")
	os.Exit(137)
}
