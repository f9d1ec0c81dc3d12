package localaws

import (
	"slices"
	"time"
)

// afterFunc is the clock's AfterFunc.
func (s *Server) afterFunc(d time.Duration, f func()) (stop func() bool) {
	return s.cfg.Clock.AfterFunc(d, f).Stop
}

// machine gives the machine's clock where the stack's is another; nil else.
func (s *Server) machine() func() time.Time {
	if s.cfg.Clock == nil {
		return nil
	}
	return time.Now
}

// polls are the operations with which is asked whether there is something to do. They
// may wait, and are no work.
var polls = []string{"ReceiveMessage", "DescribeStream", "GetShardIterator", "GetRecords"}

// hold keeps the clock at the machine's pace while a call is answered.
func (s *Server) hold(operation string) (release func()) {
	if slices.Contains(polls, operation) {
		return func() {}
	}
	return s.cfg.Clock.Hold()
}
