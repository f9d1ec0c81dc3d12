package tasks

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Imports is where recipes wait that readers bring along: at the peak 50 a second,
// each of 400 ms.
var Imports = job.Queue{
	Name:         "imports",
	PeakArrivals: job.PerSecond(50),
	ServiceTime:  400 * time.Millisecond,
	LongestWait:  5 * time.Minute,
	Fair:         true, // a file of a thousand recipes keeps nobody else's waiting
	// A file that comes when the queue is full is kept, and split when there is
	// room: its reader has gone away meanwhile, and would not come back.
	Full: job.Spill,
}

// The kinds of file that can be imported.
const (
	ImportLines    = "application/x-ndjson" // a recipe on each line, as JSON
	ImportDocument = "application/ld+json"  // a document of Schema.org's recipes
	ImportPage     = "text/html"            // a page that holds such documents
)

// ImportTypes lists them.
func ImportTypes() []string { return []string{ImportLines, ImportDocument, ImportPage} }

// MostImportBytes is the size of the largest file that is imported.
const MostImportBytes = 25 << 20

// An ImportFile is an uploaded file of recipes.
type ImportFile struct {
	Import string `json:"import"`
	Reader string `json:"reader"`
	// Key is where the upload lies in the bucket.
	Key string `json:"key"`
}

// Validate refuses an import of nothing, or for nobody.
func (f ImportFile) Validate() error {
	if f.Import == "" || f.Reader == "" || f.Key == "" {
		return errors.New("import, reader and key have to be said")
	}
	return nil
}

// SplitImport makes a job of each recipe of a file.
var SplitImport = job.Define[ImportFile]("import.split", job.Policy{
	Queue: Imports, MaxAttempts: 6, Timeout: time.Minute, Backoff: backoff.Policy{Base: 2 * time.Second, Cap: 5 * time.Minute},
})

// An ImportedLine is one recipe of a file, as it is there.
type ImportedLine struct {
	Import string `json:"import"`
	Reader string `json:"reader"`
	// Line is where it begins, and Number which one of the file it is, from 1.
	Line   int `json:"line"`
	Number int `json:"number"`
	// Recipe is JSON: Crumb's own, or a Recipe of Schema.org.
	Recipe json.RawMessage `json:"recipe"`
}

// ImportRecipe keeps one recipe as a draft of the reader's.
var ImportRecipe = job.Define[ImportedLine]("import.recipe", job.Policy{
	Queue: Imports, MaxAttempts: 6, Timeout: 20 * time.Second, Backoff: backoff.Policy{Base: 2 * time.Second, Cap: 5 * time.Minute},
})

// FinishImport tells the reader how it went, when every recipe has had its turn.
var FinishImport = job.Define[ImportFile]("import.finish", job.Policy{
	Queue: Imports, MaxAttempts: 10, Timeout: 20 * time.Second,
})
