package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner"
)

// A bench is the benchmarks' stack, running.
type bench struct {
	stack  *runner.Stack
	client *http.Client
}

func startBench(ctx context.Context) (*bench, error) {
	stack, err := runner.Start(ctx, runner.Config{
		Template: "scripts/bench/template.yaml", DataDir: runner.InMemory,
		FunctionLog: func(function, line string) { fmt.Fprintf(os.Stderr, "%s: %s\n", function, line) },
	})
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	return &bench{stack: stack, client: &http.Client{Transport: transport, Timeout: 30 * time.Second}}, nil
}

func (b *bench) close() error {
	b.client.CloseIdleConnections()
	return b.stack.Close()
}

// A benchJob is what the benchmarks read of a job.
type benchJob struct {
	ID       string    `json:"id"`
	State    string    `json:"state"`
	Attempts int       `json:"attempts"`
	Finished time.Time `json:"finished_at"`
	// accepted is when the 202 was here.
	accepted time.Time
}

func (j benchJob) final() bool {
	return j.State == "done" || j.State == "dead" || j.State == "cancelled"
}

func (b *bench) enqueue(ctx context.Context, task string) (benchJob, error) {
	return b.enqueueAs(ctx, task, "")
}

// enqueueAs sends an Idempotency-Key along, unless it is empty.
func (b *bench) enqueueAs(ctx context.Context, task, key string) (benchJob, error) {
	body := `{"key":"uploads/anonymous/0123456789abcdefghjkmnpqrs"}`
	job, err := b.call(ctx, http.MethodPost, "/jobs/"+task, body, key, http.StatusAccepted)
	job.accepted = time.Now()
	return job, err
}

func (b *bench) status(ctx context.Context, id string) (benchJob, error) {
	return b.call(ctx, http.MethodGet, "/jobs/"+id, "", "", http.StatusOK)
}

func (b *bench) call(ctx context.Context, method, path, body, key string, want int) (job benchJob, err error) {
	request, err := http.NewRequestWithContext(ctx, method, b.stack.HTTPURL()+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return job, err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", `"`+key+`"`)
	}
	response, err := b.client.Do(request)
	if err != nil {
		return job, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != want {
		return job, fmt.Errorf("%s %s: %s, want %d", method, path, response.Status, want)
	}
	return job, json.NewDecoder(response.Body).Decode(&job)
}

// load enqueues n jobs of a task, at a rate a second (0: as fast as it goes, by
// a number of callers), and gives them as they were accepted.
func (b *bench) load(ctx context.Context, task string, n, callers int, rate float64) ([]benchJob, error) {
	jobs, failures := make([]benchJob, n), make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := range next {
				jobs[i], failures[i] = b.enqueue(ctx, task)
			}
		})
	}
	begin := time.Now()
	for i := range n {
		if rate > 0 {
			due := begin.Add(time.Duration(float64(i) / rate * float64(time.Second)))
			time.Sleep(time.Until(due))
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return jobs, errors.Join(failures...)
}

// settle waits until every job is final and gives them as they ended.
func (b *bench) settle(ctx context.Context, jobs []benchJob) ([]benchJob, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	ended := make([]benchJob, len(jobs))
	for i := len(jobs) - 1; i >= 0; i-- {
		for {
			job, err := b.status(ctx, jobs[i].ID)
			if err != nil {
				return nil, err
			}
			if job.final() {
				job.accepted = jobs[i].accepted
				ended[i] = job
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return ended, nil
}

// counts reads how often each AWS operation was called since reset.
func (b *bench) counts(ctx context.Context) (counts map[string]int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.stack.AWSURL()+"/_nightshift/requests", nil)
	if err != nil {
		return nil, err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	return counts, json.NewDecoder(response.Body).Decode(&counts)
}

func (b *bench) reset(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, b.stack.AWSURL()+"/_nightshift/requests", nil)
	if err != nil {
		return err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
