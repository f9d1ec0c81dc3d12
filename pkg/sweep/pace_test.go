package sweep_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// crowded is a table that has the same jobs in every segment.
type crowded struct {
	store.Driver
	jobs  []store.Item
	scans *int
}

func (c crowded) Scan(context.Context, store.Scan) (store.Page, error) {
	*c.scans++
	return store.Page{Items: c.jobs}, nil
}

// A pass is paid for by the size of the table: a small one is gone through in an
// hour, a large one takes its time.
func TestThePaceFollowsTheTable(t *testing.T) {
	for _, c := range []struct {
		perSegment, want int
	}{
		{0, sweep.SegmentsPerRun},
		{10, sweep.SegmentsPerRun},
		{sweep.RowsPerRun / 4, 4},
		{sweep.RowsPerRun, 1},
	} {
		memory := memstore.New(memstore.Config{})
		scans := 0
		table := crowded{Driver: memory, scans: &scans}
		jobs, err := store.New(store.Config{Driver: table})
		if err != nil {
			t.Fatal(err)
		}
		for range c.perSegment {
			id, err := jobs.NewID()
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := jobs.Create(t.Context(), store.NewJob{ID: id, Task: "note.write", Queue: "notes", MaxAttempts: 1, Args: []byte(`{}`)}); err != nil {
				t.Fatal(err)
			}
		}
		table.jobs = memory.Rows()
		if jobs, err = store.New(store.Config{Driver: table}); err != nil {
			t.Fatal(err)
		}
		s, err := sweep.New(sweep.Config{Jobs: jobs, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Handle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if scans != c.want {
			t.Errorf("%d jobs a segment: a run read %d segments, want %d", c.perSegment, scans, c.want)
		}
	}
}
