package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// How the sweep goes through the objects.
const (
	// OrphanAge is how old an object is before it is asked whether a row names
	// it: it is written before its row, and whoever writes it has given up long
	// before.
	OrphanAge = 24 * time.Hour
	// PassEvery is how often the objects are gone through: each pass reads the
	// row of every job that has some.
	PassEvery = 24 * time.Hour
	// ObjectsPerRun is how many objects a run looks at. Were there more than
	// PassEvery has room for (14 million), a pass would take longer.
	ObjectsPerRun = 10_000
	// objectsPerPage is how many S3 lists at once.
	objectsPerPage = 1000
)

// objectsMark is the name of the mark of the pass through the objects.
const objectsMark = "objects"

// A pass is where the sweep stands in the objects.
type pass struct {
	// Began is when it began, in milliseconds since 1970.
	Began int64 `json:"began_ms"`
	// After is the last key that was done with; empty once the pass has ended.
	After string `json:"after,omitempty"`
}

// collect looks at a run's share of the objects and deletes those that no row
// names: the row is gone, or was never written, or names another (the result of an
// attempt that had lost its lease, arguments that were replaced by newer ones). An
// object goes after its row and never before: a row whose time to live is over
// still counts, until DynamoDB has deleted it. No rule of the bucket could know
// that, since jobs are planned for up to a year ahead.
func (s *Sweep) collect(ctx context.Context) error {
	if s.config.Objects == nil {
		return nil
	}
	seen, err := s.config.Jobs.Mark(ctx, objectsMark)
	if err != nil {
		return unlessOver(ctx, err)
	}
	now := s.config.Now()
	var at pass
	if json.Unmarshal([]byte(seen), &at) != nil {
		at = pass{}
	}
	if at.After == "" {
		if now.Sub(time.UnixMilli(at.Began)) < PassEvery {
			return nil
		}
		at.Began = now.UnixMilli()
	}
	at.After, err = s.collectFrom(ctx, at.After, now)
	if err != nil && at.After == "" {
		return unlessOver(ctx, err) // the pass has not begun
	}
	return errors.Join(unlessOver(ctx, err), s.moveObjectsMark(ctx, seen, at))
}

// collectFrom goes on after a key and gives the one that it got to: "" at the end
// of the pass. A page that it could not finish is looked at again.
func (s *Sweep) collectFrom(ctx context.Context, after string, now time.Time) (string, error) {
	for range ObjectsPerRun / objectsPerPage {
		page, more, err := s.config.Objects.List(ctx, after, objectsPerPage)
		if err != nil {
			return after, err
		}
		if err := s.collectPage(ctx, page, now); err != nil {
			return after, err
		}
		if !more {
			return "", nil
		}
		after = page[len(page)-1].Key
	}
	return after, nil
}

// collectPage deletes the orphans of a page.
func (s *Sweep) collectPage(ctx context.Context, page []claimcheck.Listed, now time.Time) error {
	var mu sync.Mutex
	var orphans []string
	var reads errgroup.Group
	reads.SetLimit(Parallel)
	for id, keys := range oldByJob(page, now) {
		reads.Go(func() error {
			unnamed, err := s.unnamed(ctx, id, keys)
			mu.Lock()
			defer mu.Unlock()
			orphans = append(orphans, unnamed...)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return err
	}
	if err := s.config.Objects.Delete(ctx, orphans); err != nil {
		return err
	}
	if len(orphans) > 0 {
		s.config.Logger.InfoContext(ctx, "deleted objects that no job needs any more", "objects", len(orphans), "of", len(page))
	}
	return nil
}

// oldByJob gives the keys of objects that are old enough, by their job. What
// package claimcheck did not write is none of its.
func oldByJob(page []claimcheck.Listed, now time.Time) map[job.ID][]string {
	keys := map[job.ID][]string{}
	for _, object := range page {
		id, ours := claimcheck.JobOf(object.Key)
		if ours && now.Sub(object.Modified) > OrphanAge {
			keys[id] = append(keys[id], object.Key)
		}
	}
	return keys
}

// unnamed gives those of a job's objects that its row does not name. It reads the
// row after the objects were listed: one that is not named now, a day after it was
// written, never will be.
func (s *Sweep) unnamed(ctx context.Context, id job.ID, keys []string) ([]string, error) {
	rec, err := s.config.Jobs.Stored(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return keys, nil
	case errors.Is(err, store.ErrUnreadable):
		s.config.Logger.ErrorContext(ctx, "a row can't be read; its objects stay", "job", id, "error", err.Error())
		return nil, nil
	case err != nil:
		return nil, err
	}
	var unnamed []string
	for _, key := range keys {
		if !names(rec.ArgsObject, key) && !names(rec.ResultObject, key) {
			unnamed = append(unnamed, key)
		}
	}
	return unnamed, nil
}

func names(claim *lifecycle.Object, key string) bool { return claim != nil && claim.Key == key }

func (s *Sweep) moveObjectsMark(ctx context.Context, seen string, next pass) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopBefore/3)
	defer cancel()
	text, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("noting the position in the objects: %w", err)
	}
	_, err = s.config.Jobs.SetMark(ctx, objectsMark, seen, string(text))
	return err
}
