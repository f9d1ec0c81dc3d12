package dynamodb

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func batchKey(i int) string { return fmt.Sprintf(`{'pk':{'S':'%03d'},'sk':{'S':'s'}}`, i) }

func TestBatchWrite(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	write := func(requests ...types.WriteRequest) error {
		out, err := f.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*table: requests}})
		if err == nil && len(out.UnprocessedItems) > 0 {
			t.Errorf("unprocessed: %v", out.UnprocessedItems)
		}
		return err
	}
	put := func(i int) types.WriteRequest {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: item(t, batchKey(i))}}
	}
	var many []types.WriteRequest
	for i := range 26 {
		many = append(many, put(i))
	}
	wantCode(t, "26 requests", write(many...), "ValidationException", "'requestItems'")
	wantCode(t, "one item twice", write(put(1), put(1)), "ValidationException", "contains duplicates")
	wantCode(t, "neither", write(types.WriteRequest{}), "ValidationException", "either a PutRequest or a DeleteRequest")
	if got := f.records(t, table); got != "" {
		t.Errorf("refused batches wrote: %s", got)
	}
	if err := write(many[:3]...); err != nil {
		t.Fatal(err)
	}
	if err := write(put(9), types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: item(t, batchKey(1))}}); err != nil {
		t.Fatal(err)
	}
	if got := f.records(t, table); got != "INSERT, INSERT, INSERT, INSERT, REMOVE" {
		t.Errorf("records: %s", got)
	}
}

func TestBatchGet(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	var keys []map[string]types.AttributeValue
	for i := range 101 {
		keys = append(keys, item(t, batchKey(i)))
	}
	for i := range 45 { // more than 16 MB
		f.put(t, table, strings.TrimSuffix(batchKey(i), "}")+`,'x':{'S':'`+strings.Repeat("x", 390<<10)+`'}}`)
	}
	get := func(keys ...map[string]types.AttributeValue) (*dynamodb.BatchGetItemOutput, error) {
		return f.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*table: {Keys: keys}}})
	}
	_, err := get(keys...)
	wantCode(t, "101 keys", err, "ValidationException", "Too many")
	_, err = get(keys[0], keys[0])
	wantCode(t, "one key twice", err, "ValidationException", "contains duplicates")
	out, err := get(keys[40:50]...)
	if err != nil || len(out.Responses[*table]) != 5 || len(out.UnprocessedKeys) != 0 {
		t.Errorf("with gaps: %d, %v", len(out.Responses[*table]), err)
	}
	seen := 0
	for left := keys[:45]; len(left) > 0; left = out.UnprocessedKeys[*table].Keys {
		if out, err = get(left...); err != nil || len(out.Responses[*table]) == 0 {
			t.Fatal(err)
		}
		if seen += len(out.Responses[*table]); seen == 45 && len(left) == 45 {
			t.Error("16 MB are no limit")
		}
	}
	if seen != 45 {
		t.Errorf("saw %d items of 45", seen)
	}
}
