package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

// tableWait bounds the wait for a table to become active.
const tableWait = time.Minute

func (s *Stack) createTable(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var declared samtemplate.Table
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return err
	}
	name := cmp.Or(declared.TableName, r.ID)
	table, err := s.describeTable(ctx, name)
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing):
		if _, err := s.clients.dynamodb.CreateTable(ctx, createTableInput(name, declared)); err != nil {
			return fmt.Errorf("creating the table: %w", err)
		}
	case err != nil:
		return err
	default:
		if err := s.updateTable(ctx, table, declared); err != nil {
			return err
		}
	}
	waiter := dynamodb.NewTableExistsWaiter(s.clients.dynamodb, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 50*time.Millisecond, time.Second
	})
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, tableWait); err != nil {
		return fmt.Errorf("waiting for the table: %w", err)
	}
	if table, err = s.describeTable(ctx, name); err != nil {
		return err
	}
	if err := s.setTTL(ctx, name, declared); err != nil {
		return err
	}
	scope.Set(r.ID, "Ref", name)
	scope.Set(r.ID, "Arn", aws.ToString(table.TableArn))
	if table.LatestStreamArn != nil {
		scope.Set(r.ID, "StreamArn", *table.LatestStreamArn)
	}
	return nil
}

func (s *Stack) describeTable(ctx context.Context, name string) (*types.TableDescription, error) {
	out, err := s.clients.dynamodb.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return nil, fmt.Errorf("looking for the table: %w", err)
	}
	return out.Table, nil
}

func createTableInput(name string, t samtemplate.Table) *dynamodb.CreateTableInput {
	input := &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: definitions(t), KeySchema: keySchema(t.KeySchema), StreamSpecification: stream(t),
	}
	for _, index := range t.GlobalSecondaryIndexes {
		input.GlobalSecondaryIndexes = append(input.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(index.IndexName), KeySchema: keySchema(index.KeySchema), Projection: projection(index)})
	}
	for _, index := range t.LocalSecondaryIndexes {
		input.LocalSecondaryIndexes = append(input.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: aws.String(index.IndexName), KeySchema: keySchema(index.KeySchema), Projection: projection(index)})
	}
	return input
}

// updateTable adds what an existing table lacks: the stream and new indexes.
func (s *Stack) updateTable(ctx context.Context, table *types.TableDescription, declared samtemplate.Table) error {
	if want := stream(declared); want != nil && (table.StreamSpecification == nil || !aws.ToBool(table.StreamSpecification.StreamEnabled)) {
		if _, err := s.clients.dynamodb.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: table.TableName, StreamSpecification: want}); err != nil {
			return fmt.Errorf("turning the stream on: %w", err)
		}
	}
	have := map[string]bool{}
	for _, index := range table.GlobalSecondaryIndexes {
		have[aws.ToString(index.IndexName)] = true
	}
	for _, index := range declared.GlobalSecondaryIndexes {
		if have[index.IndexName] {
			continue
		}
		create := &types.CreateGlobalSecondaryIndexAction{IndexName: aws.String(index.IndexName), KeySchema: keySchema(index.KeySchema), Projection: projection(index)}
		if _, err := s.clients.dynamodb.UpdateTable(ctx, &dynamodb.UpdateTableInput{
			TableName: table.TableName, AttributeDefinitions: definitions(declared),
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: create}},
		}); err != nil {
			return fmt.Errorf("adding the index %s: %w", index.IndexName, err)
		}
	}
	return nil
}

// setTTL turns time to live on, if it is not; a second time is an error in AWS.
func (s *Stack) setTTL(ctx context.Context, name string, declared samtemplate.Table) error {
	want := declared.TimeToLiveSpecification
	if want == nil || !want.Enabled {
		return nil
	}
	got, err := s.clients.dynamodb.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return fmt.Errorf("reading the table's time to live: %w", err)
	}
	if d := got.TimeToLiveDescription; d != nil && (d.TimeToLiveStatus == types.TimeToLiveStatusEnabled || d.TimeToLiveStatus == types.TimeToLiveStatusEnabling) {
		return nil
	}
	_, err = s.clients.dynamodb.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &want.AttributeName, Enabled: aws.Bool(true)}})
	if err != nil {
		return fmt.Errorf("turning time to live on: %w", err)
	}
	return nil
}

func stream(t samtemplate.Table) *types.StreamSpecification {
	if t.StreamSpecification == nil {
		return nil
	}
	return &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(t.StreamSpecification.StreamViewType)}
}

func definitions(t samtemplate.Table) []types.AttributeDefinition {
	all := make([]types.AttributeDefinition, len(t.AttributeDefinitions))
	for i, a := range t.AttributeDefinitions {
		all[i] = types.AttributeDefinition{AttributeName: aws.String(a.AttributeName), AttributeType: types.ScalarAttributeType(a.AttributeType)}
	}
	return all
}

func keySchema(keys []samtemplate.Key) []types.KeySchemaElement {
	all := make([]types.KeySchemaElement, len(keys))
	for i, k := range keys {
		all[i] = types.KeySchemaElement{AttributeName: aws.String(k.AttributeName), KeyType: types.KeyType(k.KeyType)}
	}
	return all
}

func projection(index samtemplate.Index) *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(index.Projection.ProjectionType), NonKeyAttributes: index.Projection.NonKeyAttributes}
}
