package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
)

// plain makes a text of somebody else's fit for a line of a terminal, and cuts it.
func plain(text string, limit int) string {
	var b strings.Builder
	for i, r := range []rune(text) {
		if i == limit {
			return b.String() + "…"
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// who names a letter: its job, or the message that can't be read.
func who(l deadletter.Letter) string {
	if l.Unreadable {
		return l.MessageID
	}
	return string(l.Job)
}

// moment shows a time to the second.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}

// orDash shows that there is nothing.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// attempts shows "3 of 5", or less where less is known.
func attempts(l deadletter.Letter) string {
	switch {
	case l.Unreadable:
		return "-"
	case l.MaxAttempts == 0:
		return fmt.Sprint(l.Attempts)
	}
	return fmt.Sprintf("%d of %d", l.Attempts, l.MaxAttempts)
}

// standing shows what a letter means to its job.
func standing(l deadletter.Letter) string {
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

// jsonLine writes one object on a line.
func jsonLine(w io.Writer, v any) error {
	encoded, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", encoded)
	}
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}
