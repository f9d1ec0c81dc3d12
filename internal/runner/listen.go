package runner

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"syscall"
)

// ErrRemote means that an address can be reached from other machines and that
// nobody allowed that.
var ErrRemote = errors.New("the address can be reached from other machines")

// listen opens a port, on loopback only unless remote ones are allowed.
func (s *Stack) listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address %q: %w", address, err)
	}
	if !s.config.AllowRemote && !isLoopback(host) {
		return nil, fmt.Errorf("listening on %s: %w", address, ErrRemote)
	}
	listener, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("the port of %s is taken; stop what uses it, or choose another (port 0 takes a free one): %w", address, err)
	}
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", address, err)
	}
	return listener, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// urlOf is the address by which this machine reaches a listener.
func urlOf(l net.Listener) string {
	address := l.Addr().(*net.TCPAddr) // all listeners here are TCP
	if address.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", address.Port)
	}
	return "http://" + address.String()
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func defaultWorkers() int { return max(4, 2*runtime.NumCPU()) }
