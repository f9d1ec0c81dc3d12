package exports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// ErrNone: the reader has no such export, or not any more.
var ErrNone = errors.New("exports: no such export")

// DeskConfig is what a Desk works with. All of it is required.
type DeskConfig struct {
	Rows   *rows.Table
	Jobs   *store.Jobs
	Outbox *outbox.Outbox
	Gate   gates.Gate
	Links  *Links
	// Presign makes a URL by which anybody may read an object for a while.
	Presign func(ctx context.Context, key string, life time.Duration) (string, error)
	Now     func() time.Time
	// Random draws ids.
	Random io.Reader
}

// A Desk takes orders for exports and tells how they stand. It may be used by many
// goroutines.
type Desk struct{ DeskConfig }

// NewDesk makes a Desk.
func NewDesk(config DeskConfig) (*Desk, error) {
	c := config
	if c.Rows == nil || c.Jobs == nil || c.Outbox == nil || c.Gate == nil || c.Links == nil || c.Presign == nil || c.Now == nil || c.Random == nil {
		return nil, errors.New("exports: every field of DeskConfig is required")
	}
	return &Desk{config}, nil
}

// A Status is how an export stands, as its page sees it.
type Status struct {
	ID        string          `json:"id"`
	State     lifecycle.State `json:"state"`
	StatusURL string          `json:"status_url"`
	CreatedAt time.Time       `json:"created_at"`
	// Progress is set while it is worked on.
	Progress *tasks.ExportProgress `json:"progress,omitempty"`
	// URL leads to the archive until ExpiresAt.
	URL       string    `json:"url,omitempty"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Bytes     int64     `json:"bytes,omitempty"`
	// Error says that it failed, and what now.
	Error string `json:"error,omitempty"`
}

// Start orders an export. The row, the job and the reader's pointer to it are one
// transaction. A reader has one export under way: asking again gives that one.
// Errors: *gates.FullError.
func (d *Desk) Start(ctx context.Context, reader string) (Status, error) {
	before, _, err := rows.Get[latest](ctx, d.Rows, latestKey(reader))
	if err != nil {
		return Status{}, err
	}
	if under, err := d.underWay(ctx, reader, before); err != nil || under.ID != "" {
		return under, err
	}
	id, err := job.NewID(d.Random)
	if err != nil {
		return Status{}, fmt.Errorf("exports: %w", err)
	}
	err = gates.Pass(ctx, d.Gate, tasks.Export, func(admitted []job.Option) error {
		return d.order(ctx, reader, id, before, admitted)
	})
	if errors.Is(err, store.ErrCondition) { // two clicks at once: one of them was first
		if before, _, err = rows.Get[latest](ctx, d.Rows, latestKey(reader)); err != nil {
			return Status{}, err
		}
		return d.Status(ctx, reader, before.Export)
	}
	if err != nil {
		return Status{}, fmt.Errorf("exports: ordering one: %w", err)
	}
	return d.Status(ctx, reader, string(id))
}

// underWay gives the status of the reader's latest export if it is not finished; the
// zero Status otherwise.
func (d *Desk) underWay(ctx context.Context, reader string, l latest) (Status, error) {
	if l.Export == "" {
		return Status{}, nil
	}
	status, err := d.Status(ctx, reader, l.Export)
	if errors.Is(err, ErrNone) || err == nil && status.State.Final() {
		return Status{}, nil
	}
	return status, err
}

func (d *Desk) order(ctx context.Context, reader string, id job.ID, before latest, admitted []job.Option) error {
	now := d.Now().UTC()
	row := Export{ID: string(id), Reader: reader, Job: id, CreatedAt: now, Expires: now.Add(keepRows).Unix()}
	// The row, if there is none of its id; and the pointer, if it is as it was read:
	// a lost race is another order of the same reader.
	writes, err := d.Rows.Change().
		Put(Key(row.ID), row, rows.Absent, nil).
		Put(latestKey(reader), latest{Export: row.ID}, "attribute_not_exists(#pk) OR #export = :before", rows.Values{":before": before.Export}).
		Writes()
	if err != nil {
		return err
	}
	request := tasks.Export.With(tasks.ExportData{Export: row.ID, Reader: reader})
	return d.Outbox.Transact(ctx, outbox.Write(writes[0]), outbox.Write(writes[1]),
		outbox.Enqueue(request, append(admitted, job.WithID(id, reader), job.ByClient(reader))...))
}

// Latest tells how a reader's latest export stands; ErrNone where there was none.
func (d *Desk) Latest(ctx context.Context, reader string) (Status, error) {
	l, ok, err := rows.Get[latest](ctx, d.Rows, latestKey(reader))
	if err != nil || !ok {
		return Status{}, errors.Join(err, none(ok))
	}
	return d.Status(ctx, reader, l.Export)
}

func none(ok bool) error {
	if ok {
		return nil
	}
	return ErrNone
}

// Status tells how an export stands; ErrNone where the reader has none of that id.
func (d *Desk) Status(ctx context.Context, reader, id string) (Status, error) {
	// The job is read before the row: one that is done has marked the row as ready.
	rec, err := d.Jobs.Get(ctx, job.ID(id))
	if errors.Is(err, store.ErrNotFound) {
		return Status{}, ErrNone
	}
	if err != nil {
		return Status{}, fmt.Errorf("exports: %w", err)
	}
	export, ok, err := rows.Get[Export](ctx, d.Rows, Key(id))
	if err != nil {
		return Status{}, err
	}
	if !ok || export.Reader != reader {
		return Status{}, ErrNone
	}
	return d.status(export, rec)
}

func (d *Desk) status(x Export, rec store.Record) (Status, error) {
	s := Status{ID: x.ID, State: rec.State, StatusURL: "/exports/" + x.ID, CreatedAt: x.CreatedAt}
	switch {
	case rec.State == lifecycle.Dead:
		s.Error = "Your data could not be collected. Try again; if that fails, too, write to us."
	case rec.State == lifecycle.Done:
		file, err := payload.Decode[tasks.ExportedFile](rec.Result)
		if err != nil {
			return s, fmt.Errorf("exports: reading the result of %s: %w", x.ID, err)
		}
		if x.Ready == nil {
			return s, fmt.Errorf("exports: export %s is done without being ready", x.ID)
		}
		s.Bytes, s.ExpiresAt = file.Bytes, x.Ready.Add(Life)
		if d.Now().Before(s.ExpiresAt) {
			s.URL = d.Links.Make(x.ID, s.ExpiresAt)
		}
	case rec.Progress != nil:
		progress, err := payload.Decode[tasks.ExportProgress](rec.Progress)
		if err != nil {
			return s, fmt.Errorf("exports: reading the progress of %s: %w", x.ID, err)
		}
		s.Progress = &progress
	}
	return s, nil
}

// downloadLife is how long the bucket's own URL of an archive works, to which a link
// leads.
const downloadLife = 5 * time.Minute

// Open gives the bucket's own URL of an archive for a link's until and signature;
// ErrNone where that is no link, or one that has ended.
func (d *Desk) Open(ctx context.Context, id, until, signature string) (string, error) {
	if !d.Links.Good(id, until, signature, d.Now()) {
		return "", ErrNone
	}
	export, ok, err := rows.Get[Export](ctx, d.Rows, Key(id))
	if err != nil || !ok {
		return "", errors.Join(err, none(ok))
	}
	return d.Presign(ctx, archiveKey(tasks.ExportData{Export: id, Reader: export.Reader}), downloadLife)
}
