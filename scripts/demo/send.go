package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/client"
)

// A result is what became of a photograph.
type result struct {
	photo
	job client.Job
	// took is the time from the 202 to the job's end.
	took  time.Duration
	sizes []tasks.Size
	// refused is the API's answer where it did not take the upload at all.
	refused *client.ResponseError
	// err is why it did not end as it should, or nil.
	err error
}

// ofUploads are the statuses with which the API refuses an upload for what it is.
var ofUploads = []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}

// sendAll sends the photographs, some at a time, and gives what became of each.
func sendAll(ctx context.Context, api *client.Client, site string, photos []photo) []result {
	results := make([]result, len(photos))
	places := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, p := range photos {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			results[i] = send(ctx, api, p)
			results[i].err = check(ctx, site, results[i])
		})
	}
	wg.Wait()
	return results
}

// send uploads a photograph, asks for its sizes and follows the job to its end.
func send(ctx context.Context, api *client.Client, p photo) result {
	r := result{photo: p}
	data, err := p.data()
	if err != nil {
		return r.failed(err)
	}
	key, err := api.Upload(ctx, p.contentType, data)
	if refusal := (*client.ResponseError)(nil); errors.As(err, &refusal) && slices.Contains(ofUploads, refusal.Status) {
		r.refused = refusal
		return r
	}
	if err != nil {
		return r.failed(err)
	}
	made, err := api.Enqueue(ctx, tasks.Resize.Definition().Name, tasks.ResizePhoto{Key: key})
	if err != nil {
		return r.failed(err)
	}
	accepted := time.Now()
	last := ""
	r.job, err = api.Watch(ctx, made.ID, func(j client.Job) {
		if j.State != last {
			last = j.State
			fmt.Printf("  %-24s %s\n", p.name, j.State)
		}
	})
	if err != nil {
		return r.failed(err)
	}
	// Both clocks are this machine's. A job may end before its 202 was read.
	r.took = max(r.job.FinishedAt.Sub(accepted), 0)
	if r.job.State != "done" {
		return r
	}
	var sizes tasks.Sizes
	if err := json.Unmarshal(r.job.Result, &sizes); err != nil {
		return r.failed(fmt.Errorf("reading the job's result: %w", err))
	}
	r.sizes = sizes.Sizes
	return r
}

func (r result) failed(err error) result {
	r.err = err
	return r
}
