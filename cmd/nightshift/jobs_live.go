package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// A look is how a terminal is drawn on.
type look struct {
	width       int
	full, empty string
	spinner     []string
}

// environment reads what says how wide the terminal is and what it can show.
func environment() (columns, charset string) {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if charset = os.Getenv(name); charset != "" {
			break
		}
	}
	return os.Getenv("COLUMNS"), charset
}

// lookOf decides on a look. Block characters need UTF-8.
func lookOf(columns, charset string) look {
	l := look{width: 80, full: "#", empty: "-", spinner: []string{"|", "/", "-", `\`}}
	if n, err := strconv.Atoi(columns); err == nil && n > 0 {
		l.width = n
	}
	if charset = strings.ToLower(charset); strings.Contains(charset, "utf-8") || strings.Contains(charset, "utf8") {
		l.full, l.empty, l.spinner = "█", "░", strings.Split("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "")
	}
	return l
}

// liveLines is how many jobs have a line at once; a terminal has a few more.
const liveLines = 20

// A liveView draws a block of lines anew, one for each job that has not ended. Those
// that have ended are written above it, once.
type liveView struct {
	out   io.Writer
	look  look
	drawn int
	turn  int
	// ended are lines to be written above the block.
	ended []string
	// width tells how wide the terminal is now, 0 where it does not know; nil leaves
	// the look's.
	width func() int
}

// Control sequences of terminals. Lines are not wrapped while the block is drawn:
// a terminal that is narrower than it seems would else not find the block's top.
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
const (
	wrapOff  = "\x1b[?7l"
	wrapOn   = "\x1b[?7h"
	clearing = "\r\x1b[J"
)

func newLiveView(out io.Writer, l look) *liveView { return &liveView{out: out, look: l} }

func (v *liveView) every() time.Duration { return 100 * time.Millisecond }

func (v *liveView) changed(w *watched, now time.Time) error {
	if w.over {
		v.ended = append(v.ended, v.look.line(w, v.turn, now))
	}
	return nil
}

// tick draws the block anew.
func (v *liveView) tick(all []*watched, now time.Time) error {
	v.turn++
	if v.width != nil {
		if now := v.width(); now > 0 {
			v.look.width = now
		}
	}
	var lines []string
	more := 0
	for _, w := range all {
		switch {
		case w.over:
		case len(lines) < liveLines:
			lines = append(lines, v.look.line(w, v.turn, now))
		default:
			more++
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return v.draw(lines)
}

// end takes the block away and leaves what has ended.
func (v *liveView) end() error { return v.draw(nil) }

func (v *liveView) draw(lines []string) error {
	var b strings.Builder
	b.WriteString(wrapOff)
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", v.drawn)
	}
	b.WriteString(clearing)
	for _, line := range append(v.ended, lines...) {
		b.WriteString(line + "\n")
	}
	b.WriteString(wrapOn)
	v.drawn, v.ended = len(lines), nil
	_, err := io.WriteString(v.out, b.String())
	return wrote(err)
}

// Cells of the columns of a line.
const (
	idCells    = 26
	shortCells = 9 // of an id, where it is narrow
	taskCells  = 16
	stateCells = 9
	narrow     = 92 // with a whole id there is no room for a bar and words
	leastBar   = 8
	mostBar    = 40
)

// line draws a job: its id, task and state, and a bar and words for the rest.
func (l look) line(w *watched, turn int, now time.Time) string {
	ids := idCells
	if l.width < narrow {
		ids = shortCells
	}
	what, detail := standsAt(w, now)
	start := pad(shortID(w.id, ids), ids) + "  " + pad(fit(plain(orDash(w.rec.Task), 80), taskCells), taskCells) + "  " + pad(what, stateCells) + "  "
	if m := measureOf(w.rec.Progress); !w.over && w.rec.State == lifecycle.Running {
		detail = l.progress(m, turn, detail, l.width-cells(start))
	} else if !w.over && m.String() != "" {
		detail = m.String() + "  " + detail
	}
	return strings.TrimRight(fit(start+plain(detail, 1000), l.width), " ")
}

// progress draws how far a running job is, into so many cells.
func (l look) progress(m measure, turn int, detail string, room int) string {
	if !m.known {
		return strings.TrimSpace(l.spinner[turn%len(l.spinner)] + " " + m.text + "  " + detail)
	}
	words := fmt.Sprintf("%3d%%", m.percent())
	if m.text != "" {
		words += "  " + m.text
	}
	words += "  " + detail
	if bar := min(room-cells(words)-1, mostBar); bar >= leastBar {
		return m.bar(bar, l) + " " + words
	}
	return strings.TrimSpace(words)
}

// shortID cuts an id to its end: ids of a FIFO queue begin alike.
func shortID(id string, most int) string {
	id = plain(id, 1000)
	runes := []rune(id)
	if len(runes) <= most {
		return id
	}
	return "…" + string(runes[len(runes)-most+1:])
}

// standsAt tells a job's state, and in words what it waits for or how it ended.
func standsAt(w *watched, now time.Time) (state, detail string) {
	rec := &w.rec
	view := viewpoint{now: now}
	tried := ""
	if rec.Attempt > 1 {
		tried = ", attempt " + ofMost(rec.Attempt, rec.MaxAttempts)
	}
	switch {
	case rec.State == lifecycle.None && w.over:
		return "gone", "there is no such job"
	case rec.State == lifecycle.None:
		return "?", ""
	case rec.State == lifecycle.Done:
		return string(rec.State), "after " + span(rec.Finished.Sub(rec.Created)) + tried
	case rec.State.Final():
		detail = "after " + span(rec.Finished.Sub(rec.Created)) + tried
	case rec.CancelRequested:
		detail = "asked to stop" + tried
	case rec.Spilled:
		detail = "spilled " + view.distance(rec.Created) + ", until its queue is short" + tried
	case waitsForTime(*rec, now):
		detail = "due " + view.distance(rec.NotBefore) + tried
	case rec.State == lifecycle.Running:
		return string(rec.State), span(now.Sub(rec.Started)) + tried
	default:
		detail = "made " + view.distance(rec.Created) + tried
	}
	if rec.Error != nil {
		detail += ": " + rec.Error.Message
	}
	return string(rec.State), detail
}
