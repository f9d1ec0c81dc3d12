package sweep_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/sizing"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/sweep"
)

// aPass is how many runs go through a small table.
const aPass = sweep.Segments / sweep.SegmentsPerRun

// depths says how many messages of a queue are visible, by its URL.
type depths map[string]int

func (d depths) Depth(_ context.Context, url string) (queue.Depth, error) {
	n, known := d[url]
	if !known {
		return queue.Depth{}, errors.New("access denied")
	}
	return queue.Depth{Visible: n, InFlight: 3}, nil
}

// A world is everything that a sweep works with.
type world struct {
	t      *testing.T
	memory *memstore.Driver
	faults *fault.Driver
	jobs   *store.Jobs // without faults
	sweep  *sweep.Sweep
	depths depths
}

const (
	longestWait = 10 * time.Minute
	visibility  = 6 * time.Minute
)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, memory: memstore.New(memstore.Config{}), depths: depths{"slow": 50, "idle": 0}}
	w.faults = &fault.Driver{Inner: w.memory}
	w.jobs = jobsOn(t, w.memory)
	plan := sizing.Plan{Queue: job.Queue{LongestWait: longestWait}, Visibility: visibility}
	var err error
	w.sweep, err = sweep.New(sweep.Config{
		Jobs: jobsOn(t, w.faults), Depths: w.depths,
		Plans:     map[string]sizing.Plan{"slow": plan, "idle": plan, "denied": plan, "uncounted": plan},
		Addresses: map[string]queue.Address{"slow": {URL: "slow"}, "idle": {URL: "idle"}, "denied": {URL: "denied"}},
		Logger:    slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func jobsOn(t *testing.T, driver store.Driver) *store.Jobs {
	t.Helper()
	jobs, err := store.New(store.Config{Driver: driver})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

func (w *world) enqueue(queue string, in time.Duration) job.ID {
	w.t.Helper()
	id, err := w.jobs.NewID()
	if err != nil {
		w.t.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "note.write", Queue: queue, MaxAttempts: 3, Args: []byte(`{}`)}
	if in > 0 {
		n.NotBefore = time.Now().Add(in)
	}
	if _, _, err := w.jobs.Create(w.t.Context(), n); err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) claim(id job.ID, lease time.Duration) store.Record {
	w.t.Helper()
	claim, err := w.jobs.Claim(w.t.Context(), id, store.Lease{Token: "t-" + string(id), Until: time.Now().Add(lease)})
	if err != nil || !claim.Granted {
		w.t.Fatalf("claim: %+v, %v", claim, err)
	}
	return claim.Record
}

func (w *world) finish(rec store.Record, outcome lifecycle.Outcome) {
	w.t.Helper()
	if _, err := w.jobs.Finish(w.t.Context(), rec, outcome); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(id job.ID) store.Record {
	w.t.Helper()
	rec, err := w.jobs.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return rec
}

// muddle gives a job's row a state that does not exist.
func (w *world) muddle(id job.ID) {
	w.t.Helper()
	_, err := w.memory.Write(w.t.Context(), store.Write{
		Op: store.Update, Key: store.KeyOf(id), Update: "SET #state = :muddled",
		Names:  map[string]string{"#state": "state"},
		Values: store.Item{":muddled": &types.AttributeValueMemberS{Value: "muddled"}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// run makes one run of 50 seconds' time, as Lambda gives it.
func (w *world) run() error {
	ctx, cancel := context.WithTimeout(w.t.Context(), 50*time.Second)
	defer cancel()
	return w.sweep.Handle(ctx)
}

// scanAll makes as many runs as a whole scan of the table takes, without time
// going by.
func (w *world) scanAll() {
	w.t.Helper()
	for range aPass {
		if err := w.run(); err != nil {
			w.t.Fatal(err)
		}
	}
}
