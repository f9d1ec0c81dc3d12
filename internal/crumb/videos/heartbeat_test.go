package videos_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/sqssim"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// An afternoon: a few films, of two minutes each, and more processes than films.
const (
	films      = 4
	processes  = 16
	takes      = 2 * time.Minute
	visibility = 30 * time.Second
)

// runs counts how often each film's job was run, and when the first run of the last
// one was through.
type runs struct {
	mu      sync.Mutex
	began   map[string]int
	through map[string]time.Duration
	start   time.Time
}

func newRuns() *runs {
	return &runs{began: map[string]int{}, through: map[string]time.Duration{}, start: time.Now()}
}

// work stands for a film's two minutes.
func (r *runs) work(ctx context.Context, film string) error {
	r.mu.Lock()
	r.began[film]++
	r.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(takes):
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, before := r.through[film]; !before {
		r.through[film] = time.Since(r.start)
	}
	return nil
}

// perFilm is the mean, and total the processes' minutes.
func (r *runs) perFilm() float64 {
	total := 0
	for _, n := range r.began {
		total += n
	}
	return float64(total) / films
}

// aQueue is SQS with the queue of films, whose messages come soon after they can.
func aQueue() (*sqssim.SQS, string) {
	sqs := sqssim.New(sqssim.Config{Wait: func(ctx context.Context, d time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(d, 70*time.Millisecond)): // at no time when a message becomes visible
			return nil
		}
	}})
	return sqs, sqs.Add("videos", sqssim.Queue{Visibility: visibility})
}

// withoutHeartbeat is what many a worker does: receive, work, delete.
func withoutHeartbeat(t *testing.T) *runs {
	sqs, url := aQueue()
	client := queue.New(sqs)
	for i := range films {
		send(t, client, url, queue.Message{ID: filmID(i), N: 1})
	}
	r := newRuns()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			for ctx.Err() == nil {
				got, err := client.Receive(ctx, url, queue.Ask{Most: 1, Wait: queue.LongestPoll, Hide: visibility})
				if err != nil || len(got) == 0 {
					continue
				}
				if r.work(ctx, got[0].Body) == nil {
					client.Delete(ctx, url, []string{got[0].Receipt})
				}
			}
		})
	}
	waitUntil(func() bool { return len(sqs.Peek("videos")) == 0 })
	cancel()
	all.Wait()
	return r
}

// withHeartbeat is worker.Poll under the same visibility timeout.
func withHeartbeat(t *testing.T) *runs {
	sqs, url := aQueue()
	client := queue.New(sqs)
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	for i := range films {
		if _, _, err := jobs.Create(t.Context(), store.NewJob{
			ID: filmID(i), Task: "video.transcode", Queue: "videos", MaxAttempts: 5, Args: []byte(`{"key":"` + upload + `"}`),
		}); err != nil {
			t.Fatal(err)
		}
		send(t, client, url, queue.Message{ID: filmID(i), N: 1})
	}
	r := newRuns()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range processes {
		w, err := worker.New(worker.Config{
			Jobs: jobs, Queue: client, Logger: slog.New(slog.DiscardHandler),
			Addresses: map[string]queue.Address{"videos": {URL: url, Letters: sqs.Add("letters", sqssim.Queue{})}},
		}, worker.HandleResult(tasks.Transcode, func(ctx context.Context, j *job.Job[tasks.TranscodeVideo]) (tasks.Video, error) {
			return tasks.Video{}, r.work(ctx, string(j.ID))
		}))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if err := w.Poll(ctx, worker.PollConfig{
				Receiver: client, Pollers: map[string]int{"videos": 1}, Hold: worker.HoldFor(visibility),
			}); err != nil {
				t.Error(err)
			}
		})
	}
	waitUntil(func() bool { return len(sqs.Peek("videos")) == 0 })
	cancel()
	all.Wait()
	return r
}

func filmID(i int) job.ID { return job.ID(fmt.Sprintf("%026d", i)) }

func send(t *testing.T, client *queue.SQS, url string, m queue.Message) {
	t.Helper()
	body, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range client.Send(t.Context(), url, []queue.Outgoing{{Body: body}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// waitUntil looks every second, for a day at most.
func waitUntil(holds func() bool) {
	for range 24 * 3600 {
		if holds() {
			return
		}
		time.Sleep(time.Second)
	}
}

// Jobs of two minutes under a visibility timeout of thirty seconds: without a heartbeat
// SQS hands them out again and again; with it, each is run once. The figures are those
// of docs/containers.md.
func TestHeartbeats(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "containers.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		run  func(*testing.T) *runs
		once bool
	}{"receive, work, delete": {withoutHeartbeat, false}, "`worker.Poll`": {withHeartbeat, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := c.run(t)
				if len(r.through) != films {
					t.Fatalf("%d films of %d were made", len(r.through), films)
				}
				if once := r.perFilm() == 1; once != c.once {
					t.Errorf("%.1f runs a film", r.perFilm())
				}
				row := fmt.Sprintf("| %s | %.1f | %.0f min |", name, r.perFilm(), r.perFilm()*films*takes.Minutes())
				if !strings.Contains(string(docs), row) {
					t.Errorf("docs/containers.md does not say: %s", row)
				}
			})
		})
	}
}
