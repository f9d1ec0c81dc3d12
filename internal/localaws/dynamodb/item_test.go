package dynamodb

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const key1 = `{'pk':{'S':'job#1'},'sk':{'S':'job'}}`

func TestConditionalWrites(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	f.put(t, table, `{'pk':{'S':'job#1'},'sk':{'S':'job'},'state_of':{'S':'queued'},'n':{'N':'1'}}`)

	out, err := f.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: table, Key: item(t, key1), UpdateExpression: aws.String("SET state_of = :r, n = n + :one REMOVE gone"),
		ConditionExpression:       aws.String("state_of = :q"),
		ExpressionAttributeValues: item(t, `{':q':{'S':'queued'},':r':{'S':'running'},':one':{'N':'1'}}`), ReturnValues: "UPDATED_NEW",
	})
	if err != nil || text(t, out.Attributes) != `{'n':{'N':'2'},'state_of':{'S':'running'}}` {
		t.Fatalf("the update: %v, %v", out, err)
	}
	refused := aws.String("attribute_not_exists(pk)")
	_, putErr := f.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item(t, key1), ConditionExpression: refused, ReturnValuesOnConditionCheckFailure: "ALL_OLD"})
	_, updateErr := f.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: table, Key: item(t, key1), ConditionExpression: refused, ReturnValuesOnConditionCheckFailure: "ALL_OLD"})
	_, deleteErr := f.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: table, Key: item(t, key1), ConditionExpression: refused, ReturnValuesOnConditionCheckFailure: "ALL_OLD"})
	for what, err := range map[string]error{"put": putErr, "update": updateErr, "delete": deleteErr} {
		var failed *types.ConditionalCheckFailedException
		if !errors.As(err, &failed) || text(t, failed.Item) != `{'n':{'N':'2'},'pk':{'S':'job#1'},'sk':{'S':'job'},'state_of':{'S':'running'}}` {
			t.Errorf("%s: %v", what, err)
		}
	}
	f.put(t, table, `{'pk':{'S':'job#1'},'sk':{'S':'job'},'state_of':{'S':'running'},'n':{'N':'2.0'}}`) // changes nothing
	if got := f.records(t, table); got != "INSERT, MODIFY" {
		t.Errorf("records: %s", got)
	}
}

func TestOneOfManyConditionalPutsWins(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	var won atomic.Int64
	var writers sync.WaitGroup
	for range 40 {
		writers.Go(func() {
			_, err := f.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item(t, key1), ConditionExpression: aws.String("attribute_not_exists(pk)")})
			var failed *types.ConditionalCheckFailedException
			if err == nil {
				won.Add(1)
			} else if !errors.As(err, &failed) {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if won.Load() != 1 {
		t.Errorf("%d puts won", won.Load())
	}
}

// A request that the endpoint cannot do right is refused by the name of what
// it does not support, and changes nothing.
func TestUnsupportedIsRefused(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	for _, c := range []struct{ operation, body, code, message string }{
		{"PutItem", `{"TableName":"jobs","Item":{"pk":{"S":"a"},"sk":{"S":"b"}},"Expected":{}}`, "ValidationException", "parameter Expected"},
		{"UpdateItem", `{"TableName":"jobs","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"AttributeUpdates":{}}`, "ValidationException", "parameter AttributeUpdates"},
		{"Query", `{"TableName":"jobs","KeyConditions":{}}`, "ValidationException", "parameter KeyConditions"},
		{"CreateTable", `{"TableName":"more","LocalSecondaryIndexes":[]}`, "ValidationException", "parameter LocalSecondaryIndexes"},
		{"ExecuteStatement", `{}`, "UnknownOperationException", `"ExecuteStatement"`},
		{"PutItem", `{"TableName":"jobs","Item":{"pk":{"S":"a"},"sk":{"S":5}}}`, "SerializationException", ""},
		{"PutItem", `{"TableName":`, "SerializationException", ""},
		{"PutItem", `{"TableName":"jobs","Item":{"pk":{"S":"a"},"sk":{"S":"b","N":"1"}}}`, "ValidationException", "more than one datatypes"},
	} {
		request, err := http.NewRequest(http.MethodPost, f.url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Amz-Target", "DynamoDB_20120810."+c.operation)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		if err != nil || response.Body.Close() != nil {
			t.Fatal(err)
		}
		if response.StatusCode != 400 || !bytes.Contains(answer, []byte("#"+c.code)) || !strings.Contains(strings.ReplaceAll(string(answer), `\"`, `"`), c.message) {
			t.Errorf("%s %s: %d %s", c.operation, c.body, response.StatusCode, answer)
		}
	}
	if got := f.records(t, table); got != "" {
		t.Errorf("records: %s", got)
	}
}

func TestItemMistakes(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	for text, message := range map[string]string{
		`{'pk':{'S':''},'sk':{'S':'b'}}`:                                                   "cannot contain an empty string value. Key: pk",
		`{'pk':{'N':'1'},'sk':{'S':'b'}}`:                                                  "Type mismatch for key pk expected: S actual: N",
		`{'pk':{'S':'a'}}`:                                                                 "Missing the key sk in the item",
		`{'pk':{'S':'a'},'sk':{'S':'` + strings.Repeat("x", 1025) + `'}}`:                  "Size of rangekey has exceeded",
		`{'pk':{'S':'a'},'sk':{'S':'b'},'due_slot':{'N':'1'}}`:                             "Type mismatch for Index Key due_slot Expected: S Actual: N IndexName: due",
		`{'pk':{'S':'a'},'sk':{'S':'b'},'x':{'S':'` + strings.Repeat("x", 400<<10) + `'}}`: "Item size has exceeded the maximum allowed size",
	} {
		_, err := f.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item(t, text)})
		wantCode(t, text[:min(60, len(text))], err, "ValidationException", message)
	}
	_, err := f.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: table, Key: item(t, key1), UpdateExpression: aws.String("REMOVE sk")})
	wantCode(t, "a key's removal", err, "ValidationException", "Cannot update attribute sk. This attribute is part of the key")
	_, err = f.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: item(t, `{'pk':{'S':'a'}}`)})
	wantCode(t, "half a key", err, "ValidationException", "The provided key element does not match the schema")
	_, err = f.PutItem(ctx, &dynamodb.PutItemInput{TableName: table, Item: item(t, key1), ReturnValues: "ALL_NEW"})
	wantCode(t, "ALL_NEW of a put", err, "ValidationException", "returnValues")
	_, err = f.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("nope"), Key: item(t, key1)})
	wantCode(t, "no table", err, "ResourceNotFoundException", "nope")
	if got := f.records(t, table); got != "" {
		t.Errorf("records: %s", got)
	}
}

func TestConsumedCapacity(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	put, err := f.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: table, ReturnConsumedCapacity: "INDEXES",
		Item: item(t, `{'pk':{'S':'a'},'sk':{'S':'b'},'due_slot':{'S':'x'},'due_ms':{'N':'1'},'x':{'S':'`+strings.Repeat("x", 1500)+`'}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	c := put.ConsumedCapacity
	if *c.CapacityUnits != 3 || *c.Table.CapacityUnits != 2 || *c.GlobalSecondaryIndexes["due"].CapacityUnits != 1 {
		t.Errorf("put: %v, %v, %v", *c.CapacityUnits, *c.Table.CapacityUnits, c.GlobalSecondaryIndexes)
	}
	for strong, want := range map[bool]float64{true: 1, false: 0.5} {
		got, err := f.GetItem(ctx, &dynamodb.GetItemInput{TableName: table, Key: item(t, `{'pk':{'S':'a'},'sk':{'S':'b'}}`), ConsistentRead: &strong, ReturnConsumedCapacity: "TOTAL"})
		if err != nil || *got.ConsumedCapacity.CapacityUnits != want {
			t.Errorf("get: %v, %v", got.ConsumedCapacity, err)
		}
	}
}
