package dynamo_test

import (
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/storetest"
)

// The driver passes the suite over the wire, against the local endpoint.
func TestConformance(t *testing.T) {
	server, err := localaws.New(localaws.Config{Dir: ":memory:"})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := httptest.NewServer(server)
	t.Cleanup(func() {
		endpoint.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: &endpoint.URL, Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	var tables atomic.Int32
	storetest.Run(t, func(t *testing.T) store.Driver {
		name := fmt.Sprintf("jobs-%d", tables.Add(1))
		createTable(t, client, name)
		return dynamo.New(client, name)
	})
}

func createTable(t *testing.T, client *dynamodb.Client, name string) {
	t.Helper()
	attribute := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
	}
	schema := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: &hash, KeyType: types.KeyTypeHash},
			{AttributeName: &sort, KeyType: types.KeyTypeRange},
		}
	}
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute(store.PartitionKey, types.ScalarAttributeTypeS), attribute(store.SortKey, types.ScalarAttributeTypeS),
			attribute(store.DueSlot, types.ScalarAttributeTypeS), attribute(store.DueAt, types.ScalarAttributeTypeN),
		},
		KeySchema: schema(store.PartitionKey, store.SortKey),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(store.DueIndex), KeySchema: schema(store.DueSlot, store.DueAt),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
}
