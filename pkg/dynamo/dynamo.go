// Package dynamo is the store driver for Amazon DynamoDB.
package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// API is the part of the DynamoDB client that the driver uses.
type API interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
}

// Driver keeps rows in a DynamoDB table. It may be used by many goroutines.
// Calls whose answer is lost are repeated by the SDK, as its options say.
type Driver struct {
	api   API
	table string
}

// New makes a Driver for a table.
func New(api API, table string) *Driver { return &Driver{api: api, table: table} }

// Get reads one row with a consistent read.
func (d *Driver) Get(ctx context.Context, key store.Item) (store.Item, error) {
	out, err := d.api.GetItem(ctx, &dynamodb.GetItemInput{TableName: &d.table, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, translate(err)
	}
	return out.Item, nil
}

// Write makes one conditional write.
func (d *Driver) Write(ctx context.Context, w store.Write) (store.Item, error) {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	var err error
	switch w.Op {
	case store.Put:
		_, err = d.api.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: d.tableOf(w), Item: w.Item, ConditionExpression: optional(w.Condition),
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: old,
		})
	case store.Delete:
		_, err = d.api.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: d.tableOf(w), Key: w.Key, ConditionExpression: optional(w.Condition),
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: old,
		})
	case store.Update:
		var out *dynamodb.UpdateItemOutput
		out, err = d.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: d.tableOf(w), Key: w.Key, UpdateExpression: &w.Update, ConditionExpression: optional(w.Condition),
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValues: types.ReturnValueAllNew,
			ReturnValuesOnConditionCheckFailure: old,
		})
		if err == nil {
			return out.Attributes, nil
		}
	default:
		return nil, fmt.Errorf("dynamo: a condition check stands in a transaction only")
	}
	return nil, translate(err)
}

// Transact makes all of the writes or none.
func (d *Driver) Transact(ctx context.Context, token string, writes []store.Write) error {
	items := make([]types.TransactWriteItem, len(writes))
	for i, w := range writes {
		items[i] = d.transactItem(w)
	}
	_, err := d.api.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items, ClientRequestToken: optional(token)})
	return translate(err)
}

func (d *Driver) transactItem(w store.Write) types.TransactWriteItem {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	table, condition := d.tableOf(w), optional(w.Condition)
	switch w.Op {
	case store.Put:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: w.Item, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: old,
		}}
	case store.Delete:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: old,
		}}
	case store.Check:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: table, Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: old,
		}}
	default:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: w.Key, UpdateExpression: &w.Update, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values, ReturnValuesOnConditionCheckFailure: old,
		}}
	}
}

// Query reads a page of one partition.
func (d *Driver) Query(ctx context.Context, q store.Query) (store.Page, error) {
	in := &dynamodb.QueryInput{
		TableName: &d.table, IndexName: optional(q.Index), KeyConditionExpression: &q.Condition,
		ExpressionAttributeNames: q.Names, ExpressionAttributeValues: q.Values, ExclusiveStartKey: q.Start,
	}
	if q.Index == "" {
		in.ConsistentRead = aws.Bool(true) // an index has no consistent reads
	}
	if q.Descending {
		in.ScanIndexForward = aws.Bool(false)
	}
	if q.Limit > 0 {
		in.Limit = aws.Int32(int32(q.Limit))
	}
	out, err := d.api.Query(ctx, in)
	if err != nil {
		return store.Page{}, translate(err)
	}
	return store.Page{Items: out.Items, Next: out.LastEvaluatedKey}, nil
}

// Scan reads a page of the table.
func (d *Driver) Scan(ctx context.Context, s store.Scan) (store.Page, error) {
	in := &dynamodb.ScanInput{TableName: &d.table, ExclusiveStartKey: s.Start}
	if s.Segments > 1 {
		in.Segment, in.TotalSegments = aws.Int32(int32(s.Segment)), aws.Int32(int32(s.Segments))
	}
	if s.Limit > 0 {
		in.Limit = aws.Int32(int32(s.Limit))
	}
	out, err := d.api.Scan(ctx, in)
	if err != nil {
		return store.Page{}, translate(err)
	}
	return store.Page{Items: out.Items, Next: out.LastEvaluatedKey}, nil
}

func (d *Driver) tableOf(w store.Write) *string {
	if w.Table != "" {
		return &w.Table
	}
	return &d.table
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// translate gives the store's errors for DynamoDB's.
func translate(err error) error {
	var condition *types.ConditionalCheckFailedException
	var cancelled *types.TransactionCanceledException
	var api smithy.APIError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &condition):
		return &store.ConditionError{Old: condition.Item}
	case errors.As(err, &cancelled):
		return cancellation(cancelled)
	case errors.As(err, &api):
		if kind := kindOf(api.ErrorCode(), api.ErrorMessage()); kind != nil {
			return fmt.Errorf("dynamo: %w: %w", kind, err)
		}
	}
	return fmt.Errorf("dynamo: %w", err)
}

// cancellation gives every reason of a cancelled transaction. A conflict is told
// only where nothing worse is: it goes away by itself.
func cancellation(cancelled *types.TransactionCanceledException) error {
	var conditions, others []error
	for i, reason := range cancelled.CancellationReasons {
		switch code := aws.ToString(reason.Code); code {
		case "None", "":
		case "ConditionalCheckFailed":
			conditions = append(conditions, &store.ConditionError{Old: reason.Item, Index: i})
		default:
			kind := kindOf(code, aws.ToString(reason.Message))
			if kind == nil {
				kind = errors.New(code)
			}
			others = append(others, fmt.Errorf("dynamo: write %d: %w: %s", i, kind, aws.ToString(reason.Message)))
		}
	}
	if len(conditions) > 0 {
		return errors.Join(conditions...)
	}
	if len(others) > 0 {
		return errors.Join(others...)
	}
	return fmt.Errorf("dynamo: %w", cancelled)
}
