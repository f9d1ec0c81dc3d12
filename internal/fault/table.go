package fault

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// Table is a table as the process reaches it.
func (p *Process) Table(inner store.Driver) store.Driver { return table{p, inner} }

type table struct {
	p     *Process
	inner store.Driver
}

// Get reads one row.
func (t table) Get(ctx context.Context, key store.Item) (store.Item, error) {
	return perform(ctx, t.p, Call{Method: "Get", Key: keyText(key), Reads: true}, errThrottled, func(ctx context.Context) (store.Item, error) {
		return t.inner.Get(ctx, key)
	})
}

// Write makes one conditional write.
func (t table) Write(ctx context.Context, w store.Write) (store.Item, error) {
	return perform(ctx, t.p, Call{Method: "Write", Key: rowOf(w)}, errThrottled, func(ctx context.Context) (store.Item, error) {
		return t.inner.Write(ctx, w)
	})
}

// Transact makes all of the writes or none.
func (t table) Transact(ctx context.Context, token string, writes []store.Write) error {
	_, err := perform(ctx, t.p, Call{Method: "Transact", Key: rowOf(writes[0])}, errThrottled, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, t.inner.Transact(ctx, token, writes)
	})
	return err
}

// Query reads a page of one partition.
func (t table) Query(ctx context.Context, q store.Query) (store.Page, error) {
	return perform(ctx, t.p, Call{Method: "Query", Key: keyText(q.Values), Reads: true}, errThrottled, func(ctx context.Context) (store.Page, error) {
		return t.inner.Query(ctx, q)
	})
}

// Scan reads a page of the table.
func (t table) Scan(ctx context.Context, s store.Scan) (store.Page, error) {
	return perform(ctx, t.p, Call{Method: "Scan", Key: "a page", Reads: true}, errThrottled, func(ctx context.Context) (store.Page, error) {
		return t.inner.Scan(ctx, s)
	})
}

func rowOf(w store.Write) string {
	if w.Op == store.Put {
		return keyText(w.Item)
	}
	return keyText(w.Key)
}

// keyText is a row's key, or what a query asks for.
func keyText(item store.Item) string {
	text := ""
	for _, name := range []string{store.PartitionKey, store.SortKey, ":slot"} {
		if s, ok := item[name].(*types.AttributeValueMemberS); ok {
			text += s.Value + " "
		}
	}
	return text
}

// isEmpty tells whether an answer is that there is nothing.
func isEmpty(answer any) bool {
	switch answer := answer.(type) {
	case store.Page:
		return len(answer.Items) == 0
	case store.Item:
		return answer == nil
	case listing:
		return len(answer.page) == 0
	}
	return false
}
