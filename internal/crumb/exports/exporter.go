package exports

import (
	"context"
	"errors"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// Bucket is where archives are written and photographs read; *objects.Objects is
// one.
type Bucket interface {
	objects.Getter
	BeginUpload(ctx context.Context, key, contentType string) (upload string, err error)
	UploadPart(ctx context.Context, key, upload string, number int32, data []byte) error
	CompleteUpload(ctx context.Context, key, upload string, last int32) error
	Size(ctx context.Context, key string) (bytes int64, ok bool, err error)
}

// Defaults of an ExporterConfig.
const (
	DefaultPart = 8 << 20
	DefaultRun  = tasks.ExportRun * 3 / 4
)

// ExporterConfig is what an Exporter works with.
type ExporterConfig struct {
	// Rows, Objects, Outbox, Links and Now are required. Links makes the links that
	// mails hold.
	Rows    *rows.Table
	Objects Bucket
	Outbox  *outbox.Outbox
	Links   *Links
	Now     func() time.Time
	// Part is the fewest bytes of a part, which is in memory; zero means
	// DefaultPart. S3 wants objects.MinPart.
	Part int
	// Run is how long a run works before it lets another go on; zero means
	// DefaultRun. It is less than the task's timeout: a part is begun within it.
	Run time.Duration
}

// An Exporter collects what Crumb has of a reader into an archive. It may be used
// by many goroutines; a call holds a part in memory.
type Exporter struct{ ExporterConfig }

// NewExporter makes an Exporter.
func NewExporter(config ExporterConfig) (*Exporter, error) {
	if config.Rows == nil || config.Objects == nil || config.Outbox == nil || config.Links == nil || config.Now == nil {
		return nil, errors.New("exports: ExporterConfig needs Rows, Objects, Outbox, Links and Now")
	}
	if config.Part == 0 {
		config.Part = DefaultPart
	}
	if config.Run == 0 {
		config.Run = DefaultRun
	}
	return &Exporter{config}, nil
}

// place is how far an export has come: what Continue saves. All of it lies in parts
// that were written.
type place struct {
	// Upload is S3's id of the archive, and Part the last part of it.
	Upload string `json:"upload"`
	Part   int32  `json:"part"`
	// Offset is the archive's length so far, and Members the number of its files.
	Offset  int64 `json:"offset"`
	Members int   `json:"members"`
	// Section, Page and After say what comes next.
	Section int    `json:"section"`
	Page    int    `json:"page"`
	After   string `json:"after,omitempty"`
}

// Export is the handler. A run writes parts until its time is over, and the next goes
// on from there; one that dies is repeated from where the last one came to, and
// writes the same parts again.
func (e *Exporter) Export(ctx context.Context, j *job.Job[tasks.ExportData]) (tasks.ExportedFile, error) {
	at, resumed, err := job.Cursor[place](j)
	if err == nil && !resumed {
		at.Upload, err = e.Objects.BeginUpload(ctx, archiveKey(j.Args), contentType)
	}
	if err != nil {
		return tasks.ExportedFile{}, err
	}
	complete, err := e.run(ctx, j, &at)
	switch {
	case errors.Is(err, objects.ErrNoUpload):
		return e.completedOrLost(ctx, j)
	case err != nil:
		return tasks.ExportedFile{}, err
	case !complete:
		return tasks.ExportedFile{}, job.Continue(at)
	}
	return e.finish(ctx, j)
}

// run writes parts from a place on, until the archive is complete or the run's time
// is over.
func (e *Exporter) run(ctx context.Context, j *job.Job[tasks.ExportData], at *place) (complete bool, err error) {
	sections := e.sections(j.Args.Reader)
	until := e.Now().Add(e.Run)
	for !complete && e.Now().Before(until) {
		if err := worker.Progress(ctx, j, tasks.ExportProgress{Done: at.Section, Of: len(sections)}); err != nil {
			return false, err
		}
		if complete, err = e.part(ctx, j, at, sections); err != nil {
			return false, err
		}
	}
	return complete, nil
}

// completedOrLost goes on where the upload is not there any more. Either a run
// completed it and died before it could say so; or the bucket's rule gave it up,
// after a day: then the export begins anew.
func (e *Exporter) completedOrLost(ctx context.Context, j *job.Job[tasks.ExportData]) (tasks.ExportedFile, error) {
	_, there, err := e.Objects.Size(ctx, archiveKey(j.Args))
	if err != nil {
		return tasks.ExportedFile{}, err
	}
	if there {
		return e.finish(ctx, j)
	}
	upload, err := e.Objects.BeginUpload(ctx, archiveKey(j.Args), contentType)
	if err != nil {
		return tasks.ExportedFile{}, err
	}
	return tasks.ExportedFile{}, job.Continue(place{Upload: upload})
}

const contentType = "application/zip"

// archiveKey is where an export's archive lies: a retry overwrites the same file.
func archiveKey(d tasks.ExportData) string { return "exports/" + d.Reader + "/" + d.Export + ".zip" }
