package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A job from its row to its end: three conditional writes.
func Example() {
	ctx := context.Background()
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	made, _, err := jobs.Create(ctx, store.NewJob{
		ID: job.IDOf([16]byte{1}), Task: "photo.resize", Queue: "photos",
		Args: []byte(`{"key":"uploads/1"}`), MaxAttempts: 5,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	claim, err := jobs.Claim(ctx, made.ID, store.Lease{Token: "drawn before the call", Until: time.Now().Add(time.Minute)})
	if err != nil || !claim.Granted {
		fmt.Println(claim.Finding, err)
		return
	}
	ended, err := jobs.Finish(ctx, claim.Record, lifecycle.Outcome{To: lifecycle.Done, Result: map[string]int{"sizes": 4}})
	fmt.Println(made.State, claim.Record.State, ended.State, string(ended.Result), err)
	// Output: queued running done {"sizes":4} <nil>
}
