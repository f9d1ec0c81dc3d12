package lambdaruntime

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Kill ends one of the function's processes with SIGKILL, as a crash would: what
// it had in hand fails, and the next event gets a fresh process. choose is given
// how many processes live, oldest first, and says which one dies. false means that
// none lived.
func (f *Function) Kill(choose func(n int) int) (bool, error) {
	living := f.processes(func(e *environment) bool { return !slices.Contains(f.idle, e) })
	if len(living) == 0 {
		living = f.processes(func(*environment) bool { return true })
	}
	if len(living) == 0 {
		return false, nil
	}
	slices.SortFunc(living, func(a, b *os.Process) int { return cmp.Compare(a.Pid, b.Pid) })
	// Process.Kill knows whether the process has been waited for, so that its id
	// can't be another's by now.
	if err := living[choose(len(living))].Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return false, fmt.Errorf("lambdaruntime: killing a process of %s: %w", f.config.Name, err)
	} else if err != nil {
		return false, nil
	}
	return true, nil
}

// processes gives the processes of some of the environments.
func (f *Function) processes(of func(*environment) bool) (all []*os.Process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for e := range f.all {
		if p := e.running.Load(); p != nil && of(e) {
			all = append(all, p)
		}
	}
	return all
}
