package sweep_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// A reminder for noon, and the sweep that runs shortly before: lambda.Start(s.Handle).
func ExampleSweep_Handle() {
	ctx := context.Background()
	noon := time.Date(2026, 12, 24, 12, 0, 0, 0, time.UTC)
	now := noon.Add(-time.Hour)
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{}), Now: func() time.Time { return now }})
	if err != nil {
		fmt.Println(err)
		return
	}
	made, _, err := jobs.Create(ctx, store.NewJob{
		ID: job.IDOf([16]byte{1}), Task: "reminder.send", Queue: "mail", MaxAttempts: 5, Args: []byte(`{}`), NotBefore: noon,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	now = noon.Add(-time.Minute)
	s, err := sweep.New(sweep.Config{Jobs: jobs, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Handle(ctx); err != nil {
		fmt.Println(err)
		return
	}
	due, err := jobs.Get(ctx, made.ID)
	fmt.Println(made.State, "→", due.State, err)
	// Output: scheduled → queued <nil>
}
