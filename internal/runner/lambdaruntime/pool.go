package lambdaruntime

import (
	"slices"
	"time"
)

// acquire takes an idle environment, or starts one (cold).
func (f *Function) acquire() (e *environment, cold bool, err error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, false, ErrClosed
	}
	if last := len(f.idle) - 1; last >= 0 {
		e = f.idle[last]
		f.idle = f.idle[:last]
		e.idleTimer.Stop()
		f.mu.Unlock()
		return e, false, nil
	}
	f.mu.Unlock()
	e, err = f.start()
	return e, true, err
}

// start makes an environment and its process, if the limit allows one more.
func (f *Function) start() (*environment, error) {
	e := newEnvironment(f)
	f.mu.Lock()
	switch {
	case f.closed:
		f.mu.Unlock()
		return nil, ErrClosed
	case len(f.all) >= f.config.Concurrency:
		f.counts.Throttles++
		f.mu.Unlock()
		return nil, ErrThrottled
	}
	f.all[e] = true
	f.counts.ColdStarts++
	f.mu.Unlock()
	if err := e.launch(); err != nil {
		f.forget(e)
		return nil, err
	}
	return e, nil
}

// release puts an environment back that waits for its next invocation.
func (f *Function) release(e *environment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || !f.all[e] {
		return
	}
	f.idle = append(f.idle, e)
	e.idleTimer = time.AfterFunc(f.config.IdleAfter, func() {
		if f.unidle(e) {
			e.stop()
		}
	})
}

// unidle takes one environment out of the idle ones; false means that it had
// work or was gone already.
func (f *Function) unidle(e *environment) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.removeIdle(e)
}

// removeIdle does unidle's work; the caller holds the lock.
func (f *Function) removeIdle(e *environment) bool {
	at := slices.Index(f.idle, e)
	if at < 0 {
		return false
	}
	f.idle = slices.Delete(f.idle, at, at+1)
	e.idleTimer.Stop()
	return true
}

// forget drops an environment whose process has ended.
func (f *Function) forget(e *environment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.removeIdle(e)
	delete(f.all, e)
}
