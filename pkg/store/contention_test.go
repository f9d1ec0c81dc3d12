package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A busy driver takes its time, and refuses transactions on rows that another one
// holds, as DynamoDB does.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
type busy struct {
	*memstore.Driver
	// takes is how long a transaction holds its rows.
	takes time.Duration

	mu        sync.Mutex
	held      map[string]bool
	tried     int // transactions
	conflicts int
	refusals  int // for a condition
}

func (d *busy) Transact(ctx context.Context, token string, writes []store.Write) error {
	rows := make([]string, len(writes))
	for i, w := range writes {
		key := w.Key
		if w.Op == store.Put {
			key = store.Item{store.PartitionKey: w.Item[store.PartitionKey], store.SortKey: w.Item[store.SortKey]}
		}
		rows[i] = rowName(key)
	}
	d.mu.Lock()
	d.tried++
	for _, row := range rows {
		if d.held[row] {
			d.conflicts++
			d.mu.Unlock()
			return fmt.Errorf("%w: %s", store.ErrConflict, row)
		}
	}
	d.hold(rows, true)
	d.mu.Unlock()
	time.Sleep(d.takes)
	err := d.Driver.Transact(ctx, token, writes)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold(rows, false)
	if err != nil {
		d.refusals++
	}
	return err
}

func (d *busy) hold(rows []string, held bool) {
	for _, row := range rows {
		d.held[row] = held
	}
}

// A load is a batch that so many workers work through.
type load struct {
	members, shards, workers int
	service                  time.Duration // on average
}

// run works through a batch and gives the driver, how many ends had to be written
// once more by their worker, and how long it took.
func (l load) run(t *testing.T) (d *busy, again int, took time.Duration) {
	ctx := t.Context()
	d = &busy{Driver: memstore.New(memstore.Config{Streamless: true}), held: map[string]bool{}}
	random := rand.New(rand.NewPCG(1, 2))
	jobs, err := store.New(store.Config{Driver: d})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := jobs.CreateBatch(ctx, store.NewBatch{ID: "b", Total: l.members, Shards: l.shards, After: store.FollowUp{Task: "after", Queue: "q", MaxAttempts: 1, Args: []byte(`{}`)}})
	if err != nil {
		t.Fatal(err)
	}
	addMembers(t, jobs, b)
	d.takes, d.tried, d.conflicts, d.refusals = 15*time.Millisecond, 0, 0, 0
	services := make(chan time.Duration, l.members)
	for range l.members {
		services <- time.Duration(random.ExpFloat64() * float64(l.service))
	}
	close(services)
	start := time.Now()
	var (
		beside  sync.WaitGroup
		mu      sync.Mutex
		indexes int
	)
	for range l.workers {
		beside.Go(func() {
			for service := range services {
				mu.Lock()
				index := indexes
				indexes++
				mu.Unlock()
				claim, err := jobs.Claim(ctx, job.Member(b.Seed, index), store.Lease{Token: fmt.Sprint(index), Until: time.Now().Add(time.Hour)})
				if err != nil || !claim.Granted {
					t.Errorf("member %d: %v, %v", index, claim.Finding, err)
					return
				}
				time.Sleep(service)
				for tries := 0; ; tries++ {
					if _, err = jobs.Finish(ctx, claim.Record, lifecycle.Outcome{To: lifecycle.Done}); err == nil {
						break
					}
					if tries == 100 {
						t.Errorf("member %d: %v", index, err)
						return
					}
					mu.Lock()
					again++
					mu.Unlock()
				}
			}
		})
	}
	beside.Wait()
	took = time.Since(start)
	if now, err := jobs.Batch(ctx, "b"); err != nil || now.Done != l.members || now.Finished.IsZero() {
		t.Errorf("the batch is %+v, %v", now, err)
	}
	if _, err := jobs.Get(ctx, b.Job); err != nil {
		t.Errorf("the job after the batch: %v", err)
	}
	return d, again, took
}

func addMembers(t *testing.T, jobs *store.Jobs, b store.Batch) {
	t.Helper()
	for from := 0; from < b.Total; from += 100 {
		var chunk []store.NewJob
		for i := from; i < min(from+100, b.Total); i++ {
			follow, err := store.NewFollow(nil, b.Member(i))
			if err != nil {
				t.Fatal(err)
			}
			chunk = append(chunk, store.NewJob{ID: job.Member(b.Seed, i), Task: "t", Queue: "q", Args: []byte(`{}`), MaxAttempts: 1, Follow: follow})
		}
		if err := jobs.CreateAll(t.Context(), chunk); err != nil {
			t.Fatal(err)
		}
	}
}

// Conflicts by shards, at several rates of ends. The figures of docs/batches.md:
//
//	go test ./pkg/store -run TestContention -v
func TestContention(t *testing.T) {
	t.Logf("%7s %8s %7s %6s %14s %14s %10s", "members", "workers", "ends/s", "shards", "conflicts/end", "transacts/end", "again/end")
	for i, l := range []load{
		{2000, 1, 40, 400 * time.Millisecond}, {2000, 8, 40, 400 * time.Millisecond}, {2000, 0, 40, 400 * time.Millisecond},
		{4096, 8, 200, 400 * time.Millisecond}, {4096, 32, 200, 400 * time.Millisecond}, {4096, 0, 200, 400 * time.Millisecond}, {4096, 128, 200, 400 * time.Millisecond},
		{8000, 32, 400, 400 * time.Millisecond}, {8000, 0, 400, 400 * time.Millisecond}, {8000, 128, 400, 400 * time.Millisecond},
	} {
		if !testing.Verbose() && i != 1 && i != 2 {
			continue // the whole table takes half a minute
		}
		synctest.Test(t, func(t *testing.T) {
			d, again, took := l.run(t)
			shards := l.shards
			if shards == 0 {
				shards = store.ShardsFor(l.members)
			}
			per := func(n int) float64 { return float64(n) / float64(l.members) }
			t.Logf("%7d %8d %7.0f %6d %14.3f %14.3f %10.3f", l.members, l.workers, float64(l.members)/took.Seconds(), shards, per(d.conflicts), per(d.tried), per(again))
			if l.shards == 0 && l.workers <= 200 && (per(d.conflicts) > 0.3) {
				t.Errorf("%d shards: %.3f conflicts for each end, %d ends written again", shards, per(d.conflicts), again)
			}
		})
	}
}

// rowName is a row's key as text.
func rowName(key store.Item) string {
	pk, sk := key[store.PartitionKey].(*types.AttributeValueMemberS), key[store.SortKey].(*types.AttributeValueMemberS)
	return pk.Value + " " + sk.Value
}
