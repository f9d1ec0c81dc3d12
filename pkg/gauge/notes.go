package gauge

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// How often notes are made.
const (
	// LeastBetween is the least that lies between two notes of a process about a
	// queue.
	LeastBetween = time.Second
	// MostBetween is the most that lies between them where jobs begin that had waited
	// for long, and MostCalm where they had not: for less than a twentieth of the
	// longest wait. Both are a twentieth of that, where it is less.
	MostBetween = 10 * time.Second
	MostCalm    = time.Minute
	short       = 20
	// rate is how many notes a second all processes of a queue are to make.
	rate = 1.0
	// noteTime is the longest that a note may take: then it is of no use any more.
	noteTime = time.Second
)

// A NotesConfig says what Notes works with.
type NotesConfig struct {
	// Jobs is the table. Required.
	Jobs *store.Jobs
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Logger takes notes that could not be made, at debug level: the next one
	// is made soon. Default slog.Default().
	Logger *slog.Logger
}

// Notes takes note of what workers see of their queues. It is for worker.Config.Gauge,
// and may be used by many goroutines. It never waits for the table.
type Notes struct {
	config NotesConfig

	mu     sync.Mutex
	queues map[string]*noting
}

// noting is what is to be noted of one queue, and when.
type noting struct {
	// oldest is since when the job had waited that waited longest of those begun
	// since recent.
	oldest, recent time.Time
	finished       int64
	busy           time.Duration
	// last is when the last note was made, every how much lies between two;
	// writing tells that one is on its way.
	last    time.Time
	every   time.Duration
	writing bool
	// notes is how many all processes had made at last.
	notes int64
}

// NewNotes makes Notes.
func NewNotes(config NotesConfig) (*Notes, error) {
	if config.Jobs == nil {
		return nil, errors.New("gauge: NotesConfig.Jobs is nil: make it with store.New")
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	return &Notes{config: config, queues: map[string]*noting{}}, nil
}

// Began notes that a job of the queue began that had waited so long; zero where nobody
// knows, which still says that somebody works.
func (n *Notes) Began(q job.Queue, waited time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	now, of := n.config.Now(), n.of(q.Name)
	if since := now.Add(-max(waited, 0)); now.Sub(of.recent) > LeastBetween || since.Before(of.oldest) {
		of.oldest, of.recent = since, now
	}
	if of.writing || now.Sub(of.last) < of.between(q, now) {
		return
	}
	note := store.Note{At: now, Oldest: of.oldest, Finished: of.finished, Busy: of.busy}
	before := of.last
	of.last, of.writing, of.finished, of.busy = now, true, 0, 0
	go n.write(q, note, before)
}

// between is how much lies between two notes, by what is to be noted now.
func (of *noting) between(q job.Queue, now time.Time) time.Duration {
	if now.Sub(of.oldest) < q.LongestWait/short {
		return max(of.every, atMost(q, MostCalm))
	}
	return of.every
}

// atMost is a time, or a twentieth of the longest wait where that is less.
func atMost(q job.Queue, most time.Duration) time.Duration {
	return min(max(q.LongestWait/short, LeastBetween), most)
}

// Ended notes that a job of the queue was run, and how long that took.
func (n *Notes) Ended(q job.Queue, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	of := n.of(q.Name)
	of.finished++
	of.busy += took
}

func (n *Notes) of(queue string) *noting {
	if n.queues[queue] == nil {
		n.queues[queue] = &noting{every: LeastBetween}
	}
	return n.queues[queue]
}

// write makes a note. It outlives the invocation that began it, if it has to: then it
// is made, or given up, in the next one.
func (n *Notes) write(q job.Queue, note store.Note, before time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	g, noted, err := n.config.Jobs.NoteWait(ctx, q.Name, note)
	if err != nil {
		n.config.Logger.DebugContext(ctx, "a wait was not noted", "queue", q.Name, "error", err.Error())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	of := n.of(q.Name)
	of.writing = false
	if err != nil || !noted { // the table may have too much to do, or others note enough
		of.every = min(2*of.every, atMost(q, MostBetween))
		return
	}
	of.pace(q, g.Notes, note.At.Sub(before))
}

// pace sets how much lies between two notes, so that all processes together make
// about one a second.
func (of *noting) pace(q job.Queue, notes int64, between time.Duration) {
	if of.notes > 0 && between > 0 {
		made := float64(notes-of.notes) / between.Seconds()
		of.every = time.Duration(float64(of.every) * min(max(made/rate, 0.5), 2))
	}
	of.every = min(max(of.every, LeastBetween), atMost(q, MostBetween))
	of.notes = notes
}
