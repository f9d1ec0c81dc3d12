package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// dataDir is where the stack keeps the day: other commands find it there.
const dataDir = "dist/load/data"

// start brings up the stack of template.yaml in a folder of its own, with a scaled
// clock.
func start(ctx context.Context, scale float64) (*runner.Stack, error) {
	if err := os.RemoveAll(dataDir); err != nil {
		return nil, err
	}
	return runner.Start(ctx, runner.Config{
		Template: "template.yaml", DataDir: dataDir, TimeScale: scale,
		Logger:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		FunctionLog: func(string, string) {},
	})
}

// settle lets the stack's time pass until no job is left that could still run today,
// and gives every job that there is. Jobs planned for other days are left.
func settle(ctx context.Context, stack *runner.Stack) ([]store.Record, error) {
	jobs, err := table()
	if err != nil {
		return nil, err
	}
	end := stack.Clock().Now().Add(3 * time.Hour)
	for {
		records, err := everyJob(ctx, jobs)
		if err != nil {
			return nil, err
		}
		now := stack.Clock().Now()
		left := 0
		for _, rec := range records {
			if !rec.State.Final() && rec.NotBefore.Before(end) {
				left++
			}
		}
		if left == 0 {
			return records, nil
		}
		if now.After(end) {
			return nil, fmt.Errorf("three hours after the day %d jobs have not ended: `nightshift jobs list --data %s` shows which", left, dataDir)
		}
		if err := stack.Clock().Sleep(ctx, time.Minute); err != nil {
			return nil, err
		}
	}
}

// table is the jobs table of the stack.
func table() (*store.Jobs, error) {
	found, running, err := runner.Find(dataDir)
	if err != nil || !running {
		return nil, errors.Join(err, errors.New("the stack is not found"))
	}
	driver := dynamo.New(dynamodb.NewFromConfig(found.AWSConfig()), found.Settings[settings.Table])
	return store.New(store.Config{Driver: driver})
}

func everyJob(ctx context.Context, jobs *store.Jobs) ([]store.Record, error) {
	var all []store.Record
	for page := (store.Scan{Limit: 1000}); ; {
		scanned, err := jobs.ScanPage(ctx, page)
		if err != nil {
			return nil, fmt.Errorf("reading the jobs: %w", err)
		}
		all = append(all, scanned.Jobs...)
		if scanned.Next == nil {
			return all, nil
		}
		page.Start = scanned.Next
	}
}
