package tasks

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// PDFs is where recipes wait to be made printable. It keeps a processor busy.
var PDFs = job.Queue{
	Name:         "pdfs",
	PeakArrivals: job.PerSecond(2),
	ServiceTime:  time.Second,
	LongestWait:  time.Minute,
}

// A PrintRecipe asks for one version of a recipe as a PDF.
type PrintRecipe struct {
	Recipe  string `json:"recipe"`
	Version int    `json:"version"`
}

// Validate refuses what names no version of a recipe.
func (p PrintRecipe) Validate() error {
	if p.Recipe == "" || p.Version < 1 {
		return errors.New("recipe and version, from 1, have to be said")
	}
	return nil
}

// Key is that of the job: readers who ask for the same PDF wait for the same job.
func (p PrintRecipe) Key() string { return fmt.Sprintf("%s/%d", p.Recipe, p.Version) }

// A PDF is the result.
type PDF struct {
	// Key is where it lies in the bucket, URL the path that leads there.
	Key   string `json:"key"`
	URL   string `json:"url"`
	Bytes int    `json:"bytes"`
	Pages int    `json:"pages"`
}

// Print makes a recipe printable. It is enqueued with job.Unique of the argument's
// Key; somebody is watching the page, so it is given up after some minutes.
var Print = job.DefineResult[PrintRecipe, PDF]("recipe.print", job.Policy{
	Queue: PDFs, MaxAttempts: 5, Timeout: 30 * time.Second, Backoff: backoff.Policy{Base: time.Second, Cap: time.Minute},
	Unique: job.Uniqueness{For: 10 * time.Minute},
})
