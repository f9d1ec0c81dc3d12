package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Errors that callers decide on.
var (
	// ErrNone: the reader has no such import, or not any more.
	ErrNone = errors.New("imports: no such import")
	// ErrKey: the key is not that of an upload.
	ErrKey = errors.New("imports: not the key of an upload")
)

// mostBad is how many bad recipes a page shows.
const mostBad = 100

// DeskConfig is what a Desk works with. All of it is required.
type DeskConfig struct {
	Rows     *rows.Table
	Jobs     *store.Jobs
	Outbox   *outbox.Outbox
	Producer *producer.Producer
	// Gate is that of the queue.
	Gate gates.Gate
	Now  func() time.Time
	// Random draws ids.
	Random io.Reader
}

// A Desk takes files of recipes and tells how their imports stand. It may be used by
// many goroutines.
type Desk struct{ DeskConfig }

// NewDesk makes a Desk.
func NewDesk(config DeskConfig) (*Desk, error) {
	c := config
	if c.Rows == nil || c.Jobs == nil || c.Outbox == nil || c.Producer == nil || c.Gate == nil || c.Now == nil || c.Random == nil {
		return nil, errors.New("imports: every field of DeskConfig is required")
	}
	return &Desk{config}, nil
}

// A Status is how an import stands, as its page sees it.
type Status struct {
	ID    string          `json:"id"`
	State lifecycle.State `json:"state"`
	// Lines counts the recipes of the file, good or bad, and Done those that had
	// their turn; both are known when the file is split.
	Lines int `json:"lines"`
	Done  int `json:"done"`
	// Imported counts the drafts that were made.
	Imported int `json:"imported"`
	// Bad are the first of those that did not come in.
	Bad []Bad `json:"bad"`
	// Error says why the whole file did not.
	Error string `json:"error,omitempty"`
}

// Start imports an upload: the row and the job that splits the file are one
// transaction. Errors: ErrKey, *gates.FullError.
func (d *Desk) Start(ctx context.Context, reader, key string) (Status, error) {
	if _, err := uploads.Parse(key, ""); err != nil {
		return Status{}, ErrKey
	}
	id, err := job.NewID(d.Random)
	if err != nil {
		return Status{}, fmt.Errorf("imports: %w", err)
	}
	now := d.Now().UTC()
	row := Import{ID: string(id), Reader: reader, CreatedAt: now, Expires: now.Add(keepRows).Unix()}
	writes, err := d.Rows.Change().Put(keyOf(row.ID), row, rows.Absent, nil).Writes()
	if err != nil {
		return Status{}, err
	}
	request := tasks.SplitImport.With(tasks.ImportFile{Import: row.ID, Reader: reader, Key: key})
	err = gates.Pass(ctx, d.Gate, tasks.SplitImport, func(admitted []job.Option) error {
		return d.Outbox.Transact(ctx, outbox.Write(writes[0]),
			outbox.Enqueue(request, append(admitted, job.WithID(id, key), job.ByClient(reader))...))
	})
	if err != nil {
		return Status{}, fmt.Errorf("imports: starting one: %w", err)
	}
	return d.Status(ctx, reader, row.ID)
}

// Status tells how an import stands; ErrNone where the reader has none of that id.
//
// What is written first is read last: of recipes that are under way the row knows how
// many there are.
func (d *Desk) Status(ctx context.Context, reader, id string) (Status, error) {
	splitting, err := d.Jobs.Get(ctx, job.ID(id))
	if errors.Is(err, store.ErrNotFound) {
		return Status{}, ErrNone
	}
	if err != nil {
		return Status{}, fmt.Errorf("imports: %w", err)
	}
	batch, err := d.Producer.Batch(ctx, batchOf(id))
	split := err == nil
	if err != nil && !errors.Is(err, store.ErrNoBatch) {
		return Status{}, fmt.Errorf("imports: %w", err)
	}
	row, ok, err := rows.Get[Import](ctx, d.Rows, keyOf(id))
	if err != nil {
		return Status{}, err
	}
	if !ok || row.Reader != reader {
		return Status{}, ErrNone
	}
	bad, err := rows.List[Bad](ctx, d.Rows, rows.Range{Partition: keyOf(id).Partition, Prefix: badPlace, Limit: mostBad})
	if err != nil {
		return Status{}, err
	}
	s := Status{ID: id, State: splitting.State, Lines: row.Lines, Bad: bad.Rows, Error: row.Refused}
	if splitting.State == lifecycle.Dead && s.Error == "" {
		s.Error = "The file could not be read. Send it again; if that fails, too, write to us."
	}
	if split {
		s.count(batch)
	}
	return s, nil
}

// count adds what became of the recipes. The import is done when they all have had
// their turn.
func (s *Status) count(batch store.Batch) {
	s.Imported = batch.Done
	s.Done = s.Lines - batch.Pending()
	if s.State == lifecycle.Done && batch.Finished.IsZero() {
		s.State = lifecycle.Running
	}
}
