package runner

// functionLog takes a line that a function or a service wrote: metrics go to the
// endpoint, where it is the stack's own, and everything else into the log.
func (s *Stack) functionLog(from, line string) {
	if s.endpoint == nil || !s.endpoint.Ingest(from, line) {
		s.config.FunctionLog(from, line)
	}
}
