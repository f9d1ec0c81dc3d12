package tasks

import (
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Exports is where readers' exports of their data wait. One takes two to twenty
// minutes, in runs of a few: a function does not live as long.
var Exports = job.Queue{
	Name:         "exports",
	PeakArrivals: job.PerMinute(2),
	ServiceTime:  5 * time.Minute,
	LongestWait:  time.Hour,
}

// ExportRun is how long one run of an export takes at most; what is left is done by
// the next, from where this one came to.
const ExportRun = 5 * time.Minute

// An ExportData collects everything that Crumb has of a reader.
type ExportData struct {
	Export string `json:"export"`
	Reader string `json:"reader"`
}

// Validate refuses an export of nobody.
func (e ExportData) Validate() error {
	if e.Export == "" || e.Reader == "" {
		return errors.New("export and reader have to be said")
	}
	return nil
}

// An ExportedFile is the result of an export.
type ExportedFile struct {
	Key   string `json:"key"`
	Bytes int64  `json:"bytes"`
	// Files is how many files it holds.
	Files int `json:"files"`
}

// ExportProgress is what an export tells of itself while it runs.
type ExportProgress struct {
	Done int `json:"done"`
	Of   int `json:"of"`
}

// Export makes the archive. Its timeout is that of a run; there may be many.
var Export = job.DefineResult[ExportData, ExportedFile]("data.export", job.Policy{
	Queue: Exports, MaxAttempts: 8, Timeout: ExportRun, Backoff: backoff.Policy{Base: 5 * time.Second, Cap: 10 * time.Minute},
})
