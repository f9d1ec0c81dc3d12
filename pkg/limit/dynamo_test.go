package limit_test

import (
	"maps"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// The calls that DynamoDB gets, and no others: what each thing costs.
func TestOverTheWire(t *testing.T) {
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
		BaseEndpoint: &endpoint.URL, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	pk, sk, table := store.PartitionKey, store.SortKey, "jobs"
	if _, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: &pk, AttributeType: types.ScalarAttributeTypeS}, {AttributeName: &sk, AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: &pk, KeyType: types.KeyTypeHash}, {AttributeName: &sk, KeyType: types.KeyTypeRange}},
	}); err != nil {
		t.Fatal(err)
	}
	writes := func(what string, want int) {
		t.Helper()
		if got := server.Counts(); !maps.Equal(got, map[string]int{"dynamodb.UpdateItem": want}) {
			t.Errorf("%s: %v, want %d writes", what, got, want)
		}
		server.ResetCounts()
	}
	server.ResetCounts()
	c, driver := newClock(), dynamo.New(client, table)
	b := newBucket(t, limit.BucketConfig{Driver: driver, Rate: 1, Burst: 2, Now: c.now})
	take(t, b, "ann")
	writes("the first token", 1)
	take(t, b, "ann")
	writes("the second", 1)
	if permit, err := b.Enter(t.Context(), "ann", "1"); err != nil || permit.Granted {
		t.Errorf("%+v %v", permit, err)
	}
	writes("a place in the line, the first, where it is known that there is no token", 2)
	if permit, err := b.Enter(t.Context(), "ann", "2"); err != nil || permit.Granted {
		t.Errorf("%+v %v", permit, err)
	}
	writes("the next place", 1)
	other := newBucket(t, limit.BucketConfig{Driver: driver, Rate: 1, Burst: 2, Now: c.now})
	if permit, err := other.Enter(t.Context(), "ann", "3"); err != nil || permit.Granted || permit.Wait < 3*time.Second {
		t.Errorf("%+v %v", permit, err)
	}
	writes("another process that knows nothing: refused, and in line behind the others", 2)
	s := newSlots(t, limit.SlotsConfig{Driver: driver, AtOnce: 1, Now: c.now})
	slot := acquire(t, s, "1")
	writes("a slot", 1)
	if acquire(t, s, "2") != nil {
		t.Error("there is one")
	}
	writes("none", 1)
	if err := slot.Renew(t.Context()); err != nil {
		t.Error(err)
	}
	if err := slot.Release(t.Context()); err != nil {
		t.Error(err)
	}
	writes("renewed and given back", 2)
}
