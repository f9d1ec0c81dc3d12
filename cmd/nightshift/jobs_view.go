package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// plainChanges writes a line for each change.
type plainChanges struct{ out io.Writer }

func (v plainChanges) changed(w *watched, now time.Time) error {
	what, detail := standsAt(w, now)
	if m := measureOf(w.rec.Progress); !w.over && m.String() != "" {
		detail = m.String() + "  " + detail
	}
	_, err := fmt.Fprintf(v.out, "%s  %s  %s  %-9s  %s\n", now.Local().Format(time.TimeOnly), plain(w.id, 1000), orDash(plain(w.rec.Task, 80)), what, plain(detail, 300))
	return wrote(err)
}

func (plainChanges) tick([]*watched, time.Time) error { return nil }
func (plainChanges) every() time.Duration             { return 0 }
func (plainChanges) end() error                       { return nil }

// jsonChanges writes the job as a JSON object at each change. Of one that is not
// there the state is "".
type jsonChanges struct{ out io.Writer }

func (v jsonChanges) changed(w *watched, _ time.Time) error { return jsonLine(v.out, detailsOf(w.rec)) }
func (jsonChanges) tick([]*watched, time.Time) error        { return nil }
func (jsonChanges) every() time.Duration                    { return 0 }
func (jsonChanges) end() error                              { return nil }

func wrote(err error) error {
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// isTerminal tells whether somebody looks at what is written.
func isTerminal(w io.Writer) bool {
	file, ok := fileOf(w)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
