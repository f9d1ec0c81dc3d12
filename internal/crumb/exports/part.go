package exports

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// A stretch is the part of an archive that is being put together.
type stretch struct {
	buffer  bytes.Buffer
	members []member
}

// part writes the next part of the archive, whole members until there are enough
// bytes, and moves at behind it. When nothing is left it writes the directory, too,
// and completes the archive.
func (e *Exporter) part(ctx context.Context, j *job.Job[tasks.ExportData], at *place, sections []section) (complete bool, err error) {
	var s stretch
	next := *at
	for next.Section < len(sections) && s.buffer.Len() < e.Part {
		files, after, err := e.page(ctx, sections[next.Section], next.Page+1, next.After)
		if err != nil {
			return false, err
		}
		if err := s.add(files, at.Offset, j.CreatedAt); err != nil {
			return false, err
		}
		next.Page, next.After = next.Page+1, after
		if after == "" {
			next.Section, next.Page = next.Section+1, 0
		}
	}
	next.Part++
	next.Offset += int64(s.buffer.Len())
	next.Members += len(s.members)
	if err := e.keep(ctx, j, at.Members, s.members); err != nil {
		return false, err
	}
	complete = next.Section == len(sections)
	if complete {
		err = e.addDirectory(ctx, j, &s, next.Members)
	}
	key := archiveKey(j.Args)
	if err == nil {
		err = e.Objects.UploadPart(ctx, key, at.Upload, next.Part, s.buffer.Bytes())
	}
	if err == nil && complete {
		err = e.Objects.CompleteUpload(ctx, key, at.Upload, next.Part)
	}
	if err != nil {
		return false, err
	}
	*at = next
	return complete, nil
}

// add writes files behind what the stretch has; the stretch begins at an offset of
// the archive.
func (s *stretch) add(files []file, offset int64, at time.Time) error {
	archive := zip.NewWriter(&s.buffer)
	archive.SetOffset(offset + int64(s.buffer.Len()))
	for _, f := range files {
		m, packed, err := pack(f)
		if err == nil {
			err = add(archive, m, at, packed)
		}
		if err != nil {
			return err
		}
		s.members = append(s.members, m)
	}
	return nil
}

// memberKey is where the row of an export's member lies, counted from 0.
func memberKey(export string, number int) rows.Key {
	return rows.Key{Partition: Key(export).Partition, Sort: fmt.Sprintf("%s%07d", memberPlace, number)}
}

const memberPlace = "member#"

// keepAtOnce is how many rows are written side by side: a part of small files has
// thousands.
const keepAtOnce = 16

// keep writes the rows of members, from a number on: over those of a run that died,
// if it came as far. The place that counts them is saved after them.
func (e *Exporter) keep(ctx context.Context, j *job.Job[tasks.ExportData], from int, members []member) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(keepAtOnce)
	for i, m := range members {
		row := memberRow{member: m, Expires: j.CreatedAt.Add(keepRows).Unix()}
		group.Go(func() error {
			return e.Rows.Change().Put(memberKey(j.Args.Export, from+i), row, "", nil).Apply(ctx)
		})
	}
	return group.Wait()
}

// A memberRow is a member as it is kept.
type memberRow struct {
	member
	Expires int64 `dynamodbav:"ttl"`
}

// addDirectory ends the archive: count members, of which the rows tell.
func (e *Exporter) addDirectory(ctx context.Context, j *job.Job[tasks.ExportData], s *stretch, count int) error {
	members := make([]member, 0, count)
	written := rows.Range{Partition: Key(j.Args.Export).Partition, Prefix: memberPlace, Limit: 1000}
	for row, err := range rows.All[memberRow](ctx, e.Rows, written) {
		if err != nil {
			return err
		}
		if len(members) == count {
			break // what follows was left by a run that died
		}
		members = append(members, row.member)
	}
	if len(members) < count {
		return fmt.Errorf("exports: export %s has %d of its %d members", j.Args.Export, len(members), count)
	}
	return directory(&s.buffer, members, j.CreatedAt)
}
