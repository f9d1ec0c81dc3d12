package main

import "github.com/nightshift-go/nightshift/pkg/deadletter"

// who names a letter: its job, or the message that can't be read.
func who(l deadletter.Letter) string {
	if l.Unreadable {
		return l.MessageID
	}
	return string(l.Job)
}

// attempts shows "3 of 5", or less where less is known.
func attempts(l deadletter.Letter) string {
	if l.Unreadable {
		return "-"
	}
	return ofMost(l.Attempts, l.MaxAttempts)
}

// standingOf shows what a letter means to its job.
func standingOf(l deadletter.Letter) string {
	if l.Unreadable {
		return "unreadable"
	}
	return orDash(string(l.Standing))
}

// A resultLine is a letter and what became of it, as a JSON object.
type resultLine struct {
	Status deadletter.Status `json:"status"`
	Error  string            `json:"error,omitempty"`
	deadletter.Letter
}

func newResultLine(r deadletter.Result) resultLine {
	line := resultLine{Status: r.Status, Letter: r.Letter}
	if r.Err != nil {
		line.Error = r.Err.Error()
	}
	return line
}
