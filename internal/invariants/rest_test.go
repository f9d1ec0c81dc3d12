package invariants

import (
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// idle tells whether nothing is left to do.
func (w *world) idle() bool { return w.unrest() == "" }

// unrest says what is left to do; empty where nothing is.
func (w *world) unrest() string {
	w.sources.Lock()
	defer w.sources.Unlock()
	var left []string
	w.mu.Lock()
	for name, n := range w.running {
		if n > 0 {
			left = append(left, name+" is under way")
		}
	}
	for _, j := range w.jobs {
		if problem := j.unrest(); problem != "" {
			left = append(left, problem)
		}
	}
	for _, e := range w.events {
		if e.row.Publication != nil {
			left = append(left, e.String()+" is in the outbox")
		}
	}
	w.mu.Unlock()
	if n := len(w.steps); n > 0 {
		left = append(left, fmt.Sprintf("%d steps are to come", n))
	}
	if changes, _ := w.table.Changes(w.relayed); len(changes) > 0 {
		left = append(left, "the relay has not read everything")
	}
	for _, q := range []*simulatedQueue{w.notes, w.feeds, w.ordered, w.polls, w.narrow, w.backstop} {
		if n := len(w.sqs.in(q)); n > 0 {
			left = append(left, fmt.Sprintf("queue %s holds %d messages", q.name, n))
		}
	}
	for _, want := range w.wants {
		if problem := want(); problem != "" {
			left = append(left, problem)
		}
	}
	return strings.Join(left, "; ")
}

// unrest says why a job is not at its end.
func (j *tracked) unrest() string {
	switch {
	case !j.rec.State.Final():
		return fmt.Sprintf("%s is %s", j, j.rec.State)
	case j.rec.State == lifecycle.Dead && j.rec.Publication != nil:
		return fmt.Sprintf("the letter of %s is not out", j)
	}
	return ""
}

// next is when the next thing happens by itself.
func (w *world) next() time.Time {
	w.sources.Lock()
	defer w.sources.Unlock()
	next := w.sweepAt
	consider := func(at time.Time) {
		if at.After(time.Now()) && at.Before(next) {
			next = at
		}
	}
	if len(w.steps) > 0 {
		consider(w.start.Add(w.steps[0].at))
	}
	consider(w.retryAt)
	for _, q := range []*simulatedQueue{w.notes, w.feeds, w.ordered, w.polls, w.narrow, w.backstop} {
		for _, m := range w.sqs.in(q) {
			consider(m.visible)
		}
	}
	return next
}

// acknowledged judges that a message was deleted: its job may not need it any
// more, unless there is another one.
func (w *world) acknowledged(q *simulatedQueue, gone *message) {
	m, err := queue.DecodeMessage(gone.body)
	if err != nil || m.Letter != nil {
		return
	}
	for _, other := range append(w.sqs.in(q), w.sqs.in(w.backstop)...) {
		if other.body == gone.body {
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.Event != nil {
		w.heard(q, m)
		return
	}
	j := w.jobs[m.ID]
	if j != nil && j.rec.N == m.N && (j.rec.State == lifecycle.Queued || j.rec.State == lifecycle.Running) {
		w.failLocked("the message of %s was deleted, which is %s", j, j.rec.State)
	}
}

// sawHealing takes note of what the scan does: in most scenarios there is nothing
// for it to find. A letter is asked for again where it could not be noted.
func (w *world) sawHealing(c fault.Call) {
	if c.Site.From == "sweep.(*healer).remedy" && !c.Reads && c.Site.Entry != "store.(*Jobs).RepublishLetter" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.healed = append(w.healed, c.Place())
	}
}
