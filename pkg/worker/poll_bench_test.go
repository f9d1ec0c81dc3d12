package worker_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A hand hands out one batch a number of times, and ends when all were deleted. It
// is for one poller.
type hand struct {
	batch          []queue.Incoming
	left, expected int
	end            context.CancelFunc
}

func (h *hand) Receive(ctx context.Context, _ string, _ queue.Ask) ([]queue.Incoming, error) {
	if h.left == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	h.left--
	return h.batch, nil
}

func (h *hand) Delete(_ context.Context, _ string, receipts []string) []error {
	if h.expected -= len(receipts); h.expected == 0 {
		h.end()
	}
	return make([]error, len(receipts))
}

// BenchmarkPoll is the time of a worker that polls, with a lease and a heartbeat
// for each job: everything but AWS.
func BenchmarkPoll(b *testing.B) {
	eachSize(b, func(b *testing.B, size int) {
		jobs, err := store.New(store.Config{Driver: newNoDriver(size)})
		if err != nil {
			b.Fatal(err)
		}
		w, err := worker.New(worker.Config{
			Jobs: jobs, Queue: &sqsFake{}, Logger: slog.New(slog.DiscardHandler),
			Addresses: map[string]queue.Address{"notes": {URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notes", Letters: "letters"}},
		}, worker.Handle(task(notes(nil)), func(context.Context, *job.Job[note]) error { return nil }))
		if err != nil {
			b.Fatal(err)
		}
		ctx, end := context.WithCancel(b.Context())
		defer end()
		h := &hand{left: b.N, expected: b.N * size, end: end}
		for i := range size {
			body, err := queue.Message{ID: benchID(i), N: 1, Trace: benchTrace}.Encode()
			if err != nil {
				b.Fatal(err)
			}
			h.batch = append(h.batch, queue.Incoming{ID: string(benchID(i)), Receipt: string(benchID(i)), Body: body, Receives: 1, Sent: time.Now(), Trace: benchTrace})
		}
		b.ReportAllocs()
		b.ResetTimer()
		if err := w.Poll(ctx, worker.PollConfig{Receiver: h, Pollers: map[string]int{"notes": 1}}); err != nil {
			b.Fatal(err)
		}
		if h.expected != 0 {
			b.Fatalf("%d messages were not deleted", h.expected)
		}
	})
}
