package process

import "syscall"

// attributes give the process a group of its own, and let it end when the runner dies:
// nothing else would tell it that the stack has gone.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
