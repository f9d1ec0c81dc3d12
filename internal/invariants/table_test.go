package invariants

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A table is the jobs table, whose every change is judged as it happens.
type table struct {
	*memstore.Driver

	mu sync.Mutex
	// seen is the judge's place in the stream.
	seen int
	// due counts the rows in each partition of the due index.
	due map[string]int
}

// A view is the table as one process writes to it.
type view struct {
	*table
	p *process
}

// Write makes one conditional write.
func (v view) Write(ctx context.Context, w store.Write) (store.Item, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	item, err := v.Driver.Write(ctx, w)
	v.judge()
	return item, err
}

// Transact makes all of the writes or none.
func (v view) Transact(ctx context.Context, token string, writes []store.Write) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.Driver.Transact(ctx, token, writes)
	v.judge()
	return err
}

// Query reads a page of a partition. Most of what the sweep asks for is empty.
func (v view) Query(ctx context.Context, q store.Query) (store.Page, error) {
	v.mu.Lock()
	empty := q.Index == store.DueIndex && v.due[slotOf(q.Values[":slot"])] == 0
	v.mu.Unlock()
	if empty {
		return store.Page{}, ctx.Err()
	}
	return v.Driver.Query(ctx, q)
}

// every is which of the sweep's segments hold rows: one in each run.
const every = 12

// Scan reads a page. The rows lie in every twelfth segment, so that each run of the
// sweep meets them all.
func (v view) Scan(ctx context.Context, s store.Scan) (store.Page, error) {
	if s.Segment%every != 0 {
		return store.Page{}, ctx.Err()
	}
	s.Segments = 0
	return v.Driver.Scan(ctx, s)
}

// judge looks at what the process changed.
func (v view) judge() {
	changes, _ := v.Changes(v.seen)
	for _, c := range changes {
		v.seen++
		v.due[slotOf(c.Old[store.DueSlot])]--
		v.due[slotOf(c.New[store.DueSlot])]++
		v.p.w.changed(v.p, c)
	}
}

func slotOf(value types.AttributeValue) string {
	if s, ok := value.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
