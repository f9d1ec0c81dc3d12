package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func inTransaction(t *testing.T, table *string, text, condition string) types.TransactWriteItem {
	t.Helper()
	p := &types.Put{TableName: table, Item: item(t, text), ReturnValuesOnConditionCheckFailure: "ALL_OLD"}
	if condition != "" {
		p.ConditionExpression = &condition
	}
	return types.TransactWriteItem{Put: p}
}

func addUnits(t *testing.T, table *string, pk string, units int) types.TransactWriteItem {
	t.Helper()
	return types.TransactWriteItem{Update: &types.Update{
		TableName: table, Key: item(t, `{'pk':{'S':'`+pk+`'},'sk':{'S':'s'}}`),
		UpdateExpression: aws.String("ADD units_of :u"), ExpressionAttributeValues: item(t, fmt.Sprintf(`{':u':{'N':'%d'}}`, units)),
	}}
}

func (f *fixture) transact(token string, items ...types.TransactWriteItem) error {
	in := &dynamodb.TransactWriteItemsInput{TransactItems: items}
	if token != "" {
		in.ClientRequestToken = &token
	}
	_, err := f.TransactWriteItems(context.Background(), in)
	return err
}

func TestTransactionIsAllOrNothing(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	f.put(t, table, `{'pk':{'S':'old'},'sk':{'S':'s'},'word':{'S':'x'}}`)
	err := f.transact("",
		inTransaction(t, table, `{'pk':{'S':'new'},'sk':{'S':'s'}}`, ""),
		inTransaction(t, table, `{'pk':{'S':'old'},'sk':{'S':'s'}}`, "attribute_not_exists(pk)"),
		types.TransactWriteItem{Update: &types.Update{TableName: table, Key: item(t, `{'pk':{'S':'z'},'sk':{'S':'s'}}`), UpdateExpression: aws.String("SET a = nope")}},
		inTransaction(t, table, `{'pk':{'S':'big'},'sk':{'S':'s'},'x':{'S':'`+strings.Repeat("x", 400<<10)+`'}}`, ""),
	)
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatal(err)
	}
	var codes []string
	for _, reason := range cancelled.CancellationReasons {
		codes = append(codes, *reason.Code)
	}
	if fmt.Sprint(codes) != "[None ConditionalCheckFailed ValidationError ValidationError]" || text(t, cancelled.CancellationReasons[1].Item) != `{'pk':{'S':'old'},'sk':{'S':'s'},'word':{'S':'x'}}` {
		t.Errorf("reasons: %v, %v", codes, cancelled.CancellationReasons)
	}
	if got := f.records(t, table); got != "INSERT" {
		t.Errorf("records of a cancelled transaction: %s", got)
	}
	err = f.transact("",
		inTransaction(t, table, `{'pk':{'S':'new'},'sk':{'S':'s'}}`, "attribute_not_exists(pk)"), addUnits(t, table, "count", 2),
		types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: table, Key: item(t, `{'pk':{'S':'none'},'sk':{'S':'s'}}`), ConditionExpression: aws.String("attribute_not_exists(pk)")}},
		types.TransactWriteItem{Delete: &types.Delete{TableName: table, Key: item(t, `{'pk':{'S':'old'},'sk':{'S':'s'}}`)}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.records(t, table); got != "INSERT, INSERT, INSERT, REMOVE" {
		t.Errorf("records: %s", got)
	}
}

func TestTransactionMistakes(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	wantCode(t, "one item twice", f.transact("", addUnits(t, table, "a", 1), addUnits(t, table, "a", 1)), "ValidationException", "multiple operations on one item")
	wantCode(t, "an empty item", f.transact("", types.TransactWriteItem{}), "ValidationException", "can only contain one of")
	wantCode(t, "no table", f.transact("", inTransaction(t, aws.String("nope"), key1, "")), "ResourceNotFoundException", "nope")
	wantCode(t, "an unknown value", f.transact("", inTransaction(t, table, key1, "pk = :x")), "ValidationException", ":x")
}

func TestTransactionLimits(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	puts := func(n, size int) []types.TransactWriteItem {
		items := make([]types.TransactWriteItem, n)
		for i := range items {
			items[i] = inTransaction(t, table, fmt.Sprintf(`{'pk':{'S':'%d'},'sk':{'S':'s'},'x':{'S':'%s'}}`, i, strings.Repeat("x", size)), "")
		}
		return items
	}
	for _, c := range []struct {
		n, size int
		taken   bool
	}{{0, 1, false}, {1, 1, true}, {100, 1, true}, {101, 1, false}, {100, 41_000, true}, {100, 45_000, false}} {
		err := f.transact("", puts(c.n, c.size)...)
		if c.taken && err != nil {
			t.Errorf("%d items of %d bytes: %v", c.n, c.size, err)
		}
		if !c.taken {
			wantCode(t, fmt.Sprintf("%d items of %d bytes", c.n, c.size), err, "ValidationException", "")
		}
	}
	check := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: table, Key: item(t, `{'pk':{'S':'0'},'sk':{'S':'s'}}`), ConditionExpression: aws.String("attribute_exists(pk)")}}
	wantCode(t, "a check and a write of one item", f.transact("", check, addUnits(t, table, "0", 1)), "ValidationException", "multiple operations on one item")
}

// The SDK writes the attributes of a map in any order: a repeated transaction is
// the same nevertheless.
func TestRepeatedTransactionIsTheSameInAnyOrder(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	for range 200 {
		check := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: table, Key: item(t, `{'pk':{'S':'none'},'sk':{'S':'s'}}`),
			ConditionExpression:       aws.String("attribute_not_exists(pk) AND :a < :b AND :b < :c"),
			ExpressionAttributeValues: item(t, `{':a':{'N':'1'},':b':{'N':'2'},':c':{'N':'3'}}`)}}
		put := inTransaction(t, table, `{'pk':{'S':'outbox'},'sk':{'S':'s'},'a':{'M':{'x':{'S':'1'},'y':{'S':'2'},'z':{'S':'3'}}},'b':{'SS':['p','q']}}`, "")
		if err := f.transact("token", put, check); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.records(t, table); got != "INSERT" {
		t.Errorf("records: %s", got)
	}
}

func TestClientRequestToken(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	const count = `{'pk':{'S':'count'},'sk':{'S':'s'}}`
	for range 2 {
		if err := f.transact("token", addUnits(t, table, "count", 1)); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.get(t, table, count); !strings.Contains(got, `'units_of':{'N':'1'}`) {
		t.Errorf("applied twice: %s", got)
	}
	wantCode(t, "other items", f.transact("token", addUnits(t, table, "count", 2)), "IdempotentParameterMismatchException", "")
	f.clock.advance(tokenLife + 2*time.Second)
	if err := f.transact("token", addUnits(t, table, "count", 2)); err != nil {
		t.Fatal(err)
	}
	if got := f.get(t, table, count); !strings.Contains(got, `'units_of':{'N':'3'}`) {
		t.Errorf("after the token's life: %s", got)
	}
	f.clock.advance(tokenLife + 2*time.Second)
	if err := f.db.Sweep(); err != nil {
		t.Fatal(err)
	}
	if left := f.count(t, tokensBucket) + f.count(t, tokenAgesBucket); left != 0 {
		t.Errorf("%d token entries left", left)
	}
}

// Writers move units between two items; a reader never sees them torn.
func TestTransactionsAreIsolated(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'s'},'units_of':{'N':'100'}}`)
	f.put(t, table, `{'pk':{'S':'b'},'sk':{'S':'s'},'units_of':{'N':'0'}}`)
	get := func(pk string) types.TransactGetItem {
		return types.TransactGetItem{Get: &types.Get{TableName: table, Key: item(t, `{'pk':{'S':'`+pk+`'},'sk':{'S':'s'}}`), ProjectionExpression: aws.String("units_of")}}
	}
	done := make(chan struct{})
	var reader, writers sync.WaitGroup
	reader.Go(func() {
		for {
			out, err := f.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{get("a"), get("b")}})
			if err != nil {
				t.Error(err)
				return
			}
			var a, b int
			if _, err := fmt.Sscanf(text(t, out.Responses[0].Item)+" "+text(t, out.Responses[1].Item), "{'units_of':{'N':'%d'}} {'units_of':{'N':'%d'}}", &a, &b); err != nil || a+b != 100 {
				t.Errorf("torn: %d and %d, %v", a, b, err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for range 8 {
		writers.Go(func() {
			for range 10 {
				if err := f.transact("", addUnits(t, table, "a", -1), addUnits(t, table, "b", 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	reader.Wait()
	if got := f.get(t, table, `{'pk':{'S':'b'},'sk':{'S':'s'}}`); !strings.Contains(got, `'N':'80'`) {
		t.Errorf("at the end: %s", got)
	}
}
