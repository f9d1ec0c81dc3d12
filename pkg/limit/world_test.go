package limit_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

var epoch = time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)

// clock is a time that tests move. Many may read it.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ns.Store(epoch.UnixNano())
	return c
}

func (c *clock) now() time.Time       { return time.Unix(0, c.ns.Load()) }
func (c *clock) pass(d time.Duration) { c.ns.Add(int64(d)) }

func memory() store.Driver { return memstore.New(memstore.Config{Streamless: true}) }

func newBucket(t testing.TB, c limit.BucketConfig) *limit.Bucket {
	t.Helper()
	if c.Name == "" {
		c.Name = "api"
	}
	b, err := limit.NewBucket(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func take(t testing.TB, b *limit.Bucket, key string) limit.Decision {
	t.Helper()
	d, err := b.Take(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// counting counts the calls of a driver.
type counting struct {
	store.Driver
	writes atomic.Int64
}

func (c *counting) Write(ctx context.Context, w store.Write) (store.Item, error) {
	c.writes.Add(1)
	return c.Driver.Write(ctx, w)
}

// unsure loses one answer in four: the call is repeated, as the SDK does it, and the
// answer is the second one's; or nobody repeats it, and there is an error.
type unsure struct {
	store.Driver
	mu     sync.Mutex
	random *rand.Rand
}

func (u *unsure) Write(ctx context.Context, w store.Write) (store.Item, error) {
	u.mu.Lock()
	fate := u.random.IntN(8)
	u.mu.Unlock()
	switch fate {
	case 0:
		_, _ = u.Driver.Write(ctx, w)
	case 1:
		_, _ = u.Driver.Write(ctx, w)
		return nil, context.DeadlineExceeded
	}
	return u.Driver.Write(ctx, w)
}

// failing answers every write with an error.
type failing struct {
	store.Driver
	err error
}

func (f failing) Write(context.Context, store.Write) (store.Item, error) { return nil, f.err }

var ctx = context.Background()

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// switched is a table that can be away.
type switched struct {
	store.Driver
	down atomic.Bool
}

func (s *switched) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if s.down.Load() {
		return nil, store.ErrThrottled
	}
	return s.Driver.Write(ctx, w)
}
