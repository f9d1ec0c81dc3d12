//go:build !linux

package process

import "syscall"

// attributes give the process a group of its own. It outlives a runner that is
// killed, here.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
