package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A metered driver counts calls that write, and the write units of rows of at most 1
// KB: one for each, two in a transaction.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-capacity-handling
type metered struct {
	*memstore.Driver
	calls, units int
}

func (m *metered) Write(ctx context.Context, w store.Write) (store.Item, error) {
	m.calls, m.units = m.calls+1, m.units+1
	return m.Driver.Write(ctx, w)
}

func (m *metered) Transact(ctx context.Context, token string, writes []store.Write) error {
	m.calls, m.units = m.calls+1, m.units+2*len(writes)
	return m.Driver.Transact(ctx, token, writes)
}

// What exact counting costs is said in docs/full-queues.md.
func TestWhatAHardBoundCosts(t *testing.T) {
	for _, c := range []struct {
		hard         bool
		together     int
		calls, units float64
	}{
		{false, 1, 3, 3},
		{true, 1, 4, 10},
		{true, 10, 3.1, 8.2},
	} {
		m := &metered{Driver: memstore.New(memstore.Config{})}
		jobs, err := store.New(store.Config{Driver: m})
		if err != nil {
			t.Fatal(err)
		}
		var ended []store.Record
		for range c.together {
			id, err := jobs.NewID()
			if err != nil {
				t.Fatal(err)
			}
			n := store.NewJob{ID: id, Task: "photo.resize", Queue: "photos", Args: []byte(`{}`), MaxAttempts: 3}
			if c.hard {
				n.Hard = &store.Bound{Limit: 100, Shards: 1}
			}
			if _, _, err := jobs.Create(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			claim, err := jobs.Claim(t.Context(), id, store.Lease{Token: string(id), Until: time.Now().Add(time.Minute)})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := jobs.Finish(t.Context(), claim.Record, lifecycle.Outcome{To: lifecycle.Done})
			if err != nil {
				t.Fatal(err)
			}
			ended = append(ended, rec)
		}
		if _, err := jobs.Release(t.Context(), ended...); err != nil {
			t.Fatal(err)
		}
		n := float64(c.together)
		if got, want := fmt.Sprintf("%.1f calls, %.1f units", float64(m.calls)/n, float64(m.units)/n), fmt.Sprintf("%.1f calls, %.1f units", c.calls, c.units); got != want {
			t.Errorf("hard %v, %d ended together: %s a job, want %s", c.hard, c.together, got, want)
		}
	}
}
