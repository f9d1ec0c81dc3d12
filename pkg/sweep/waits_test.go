package sweep_test

import (
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// A stack that works in seconds is healed in seconds, by a run that may go through
// the whole table.
func TestShorterWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		waits sweep.Waits
		after time.Duration
		n     int64
	}{
		"as they are":        {sweep.Waits{}, time.Minute, 1},
		"not long enough":    {sweep.Waits{Margin: 5 * time.Second, Relay: 20 * time.Second}, 19 * time.Second, 1},
		"the relay's time":   {sweep.Waits{Margin: 5 * time.Second, Relay: 20 * time.Second}, 21 * time.Second, 2},
		"the queue's margin": {sweep.Waits{Margin: 25 * time.Second, Relay: time.Second}, 29 * time.Second, 1},
		"both are over":      {sweep.Waits{Margin: 25 * time.Second, Relay: time.Second}, 31 * time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				s, err := sweep.New(sweep.Config{
					Jobs: w.jobs, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Depths: depths{"idle": 0},
					Plans:     map[string]sizing.Plan{"idle": {Queue: job.Queue{LongestWait: 5 * time.Second}}},
					Addresses: map[string]queue.Address{"idle": {URL: "idle"}}, Waits: tt.waits, SegmentsPerRun: sweep.Segments,
				})
				if err != nil {
					t.Fatal(err)
				}
				id := w.enqueue("idle", 0)
				time.Sleep(tt.after)
				if err := s.Handle(t.Context()); err != nil {
					t.Fatal(err)
				}
				if rec := w.get(id); rec.N != tt.n {
					t.Errorf("after %v the row was published %d times, want %d", tt.after, rec.N, tt.n)
				}
			})
		})
	}
	if _, err := sweep.New(sweep.Config{Jobs: newWorld(t).jobs, SegmentsPerRun: -1}); err == nil {
		t.Error("a negative number of segments was taken")
	}
}
