package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// createTables makes the jobs table as it is deployed, and the one that
// Powertools' documentation has.
func createTables(ctx context.Context, client *dynamodb.Client) error {
	attribute := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
	}
	key := func(name string, kind types.KeyType) types.KeySchemaElement {
		return types.KeySchemaElement{AttributeName: &name, KeyType: kind}
	}
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(jobsTable), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute(store.PartitionKey, types.ScalarAttributeTypeS), attribute(store.SortKey, types.ScalarAttributeTypeS),
			attribute(store.DueSlot, types.ScalarAttributeTypeS), attribute(store.DueAt, types.ScalarAttributeTypeN),
		},
		KeySchema: []types.KeySchemaElement{key(store.PartitionKey, types.KeyTypeHash), key(store.SortKey, types.KeyTypeRange)},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String(store.DueIndex),
			KeySchema:  []types.KeySchemaElement{key(store.DueSlot, types.KeyTypeHash), key(store.DueAt, types.KeyTypeRange)},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	if err != nil {
		return err
	}
	_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(idempotencyTable), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{attribute("id", types.ScalarAttributeTypeS)},
		KeySchema:            []types.KeySchemaElement{key("id", types.KeyTypeHash)},
	})
	return err
}
