package stackclock

import (
	"sync/atomic"
	"time"
)

// Follow gives the clock that a file tells. It reads the file at each call, so that it
// is right whatever the stack has decided meanwhile, and never goes back. A file that
// has become unreadable leaves the course as it last was. The error is that of the
// first reading. The clock may be used by many goroutines.
func Follow(path string) (now func() time.Time, err error) {
	first, err := Read(path)
	if err != nil {
		return nil, err
	}
	var course atomic.Pointer[Course]
	course.Store(&first)
	var latest atomic.Int64
	return func() time.Time {
		// The machine's time is taken before the course: should a new one begin in
		// between, the answer is its beginning and not beyond.
		machine := time.Now()
		if c, err := Read(path); err == nil {
			course.Store(&c)
		}
		return time.Unix(0, raise(&latest, course.Load().At(machine).UnixNano()))
	}, nil
}

// raise gives the greatest value that a counter has been given.
func raise(counter *atomic.Int64, to int64) int64 {
	for {
		before := counter.Load()
		if before >= to {
			return before
		}
		if counter.CompareAndSwap(before, to) {
			return to
		}
	}
}
