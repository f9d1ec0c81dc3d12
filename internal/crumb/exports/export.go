// Package exports gives readers everything that Crumb has of them, as an archive.
//
// Collecting takes minutes: longer than a function may live, and longer than
// anybody watches a page. So a run works for a while, writes what it has as parts of
// the archive (S3's multipart upload), saves its place, and lets the next run go
// on. When the archive is complete the job ends in one transaction with the mail
// that has the link: the mail is sent once, and only if there is a file.
package exports

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

const (
	// Life is how long an archive's link works. The bucket's rule keeps the archive a day
	// longer, since its age begins with the first part.
	Life = 7 * 24 * time.Hour
	// keepRows is how long an export's rows are kept: no longer than its job's.
	keepRows = 14 * 24 * time.Hour
)

// An Export is what the site keeps of one. How it stands, its job tells, whose id is the
// same. Key: export#<id>, "export".
type Export struct {
	ID        string    `dynamodbav:"id"`
	Reader    string    `dynamodbav:"reader"`
	Job       job.ID    `dynamodbav:"job"`
	CreatedAt time.Time `dynamodbav:"created_at"`
	// Ready is when the archive was complete and the mail enqueued: it is not
	// enqueued again.
	Ready   *time.Time `dynamodbav:"ready,omitempty"`
	Expires int64      `dynamodbav:"ttl"`
}

// Key is where an export's row lies.
func Key(id string) rows.Key { return rows.Key{Partition: "export#" + id, Sort: "export"} }

// latestKey is where a reader's row lies that names the latest export.
func latestKey(reader string) rows.Key {
	return rows.Key{Partition: "exports#" + reader, Sort: "latest"}
}

// latest is that row.
type latest struct {
	Export string `dynamodbav:"export"`
}

// finish ends the job with its mail, in one transaction with the mark on the row that
// the mail is on its way. A job that was redriven finds the mark, and sends none.
func (e *Exporter) finish(ctx context.Context, j *job.Job[tasks.ExportData]) (tasks.ExportedFile, error) {
	done := tasks.ExportedFile{Key: archiveKey(j.Args)}
	bytes, ok, err := e.Objects.Size(ctx, done.Key)
	if err == nil && !ok {
		err = fmt.Errorf("exports: the archive %s is not there", done.Key)
	}
	if err != nil {
		return done, err
	}
	done.Bytes = bytes
	export, ok, err := rows.Get[Export](ctx, e.Rows, Key(j.Args.Export))
	if err != nil {
		return done, err
	}
	if !ok || export.Ready != nil {
		return done, nil
	}
	writes, err := e.mail(ctx, export)
	if err != nil {
		return done, err
	}
	return done, worker.CommitResult(ctx, j, done, writes...)
}

// mail is the mark and the mail. Condition: no mail was marked yet. A lost race: another
// run of the same job marked it, and has the job's lease.
func (e *Exporter) mail(ctx context.Context, x Export) ([]store.Write, error) {
	now := e.Now().UTC()
	mark, err := e.Rows.Change().Update(Key(x.ID), "SET #ready = :now", "attribute_exists(#pk) AND attribute_not_exists(#ready)", rows.Values{":now": now}).Writes()
	if err != nil {
		return nil, err
	}
	expires := now.Add(Life)
	mail := tasks.ExportReady{Link: e.Links.Make(x.ID, expires), Expires: expires}.To(x.Reader)
	mails, err := e.Outbox.Writes(ctx, outbox.Enqueue(tasks.SendUrgent.With(mail)))
	return append(mark, mails...), err
}
