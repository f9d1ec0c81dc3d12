package dynamodb

import (
	"context"
	"fmt"
	"testing"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

func benchDB(b *testing.B) map[string]awsjson.Operation {
	b.Helper()
	db, err := Open(Config{Path: InMemory})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	operations := db.tableOperations()
	call(b, operations, "CreateTable", `{"TableName":"jobs","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
		"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`)
	return operations
}

func call(b *testing.B, operations map[string]awsjson.Operation, name, body string) {
	b.Helper()
	if _, err := operations[name](context.Background(), []byte(body)); err != nil {
		b.Fatal(err)
	}
}

func updateBody(i int) string {
	return fmt.Sprintf(`{"TableName":"jobs","Key":{"pk":{"S":"job#%d"},"sk":{"S":"job"}},"UpdateExpression":"SET #s = :s, attempt = if_not_exists(attempt, :z) + :o REMOVE publish",
		"ConditionExpression":"attribute_not_exists(done_ms)","ExpressionAttributeNames":{"#s":"state"},"ExpressionAttributeValues":{":s":{"S":"running"},":z":{"N":"0"},":o":{"N":"1"}},"ReturnValues":"ALL_NEW"}`, i)
}

func BenchmarkUpdateItem(b *testing.B) {
	operations := benchDB(b)
	i := 0
	for b.Loop() {
		call(b, operations, "UpdateItem", updateBody(i%1000))
		i++
	}
}

func BenchmarkUpdateItemParallel(b *testing.B) {
	operations := benchDB(b)
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			call(b, operations, "UpdateItem", updateBody(i%1000))
		}
	})
}

func BenchmarkQueryAmongMany(b *testing.B) {
	operations := benchDB(b)
	for i := range 20_000 {
		call(b, operations, "PutItem", fmt.Sprintf(`{"TableName":"jobs","Item":{"pk":{"S":"job#%d"},"sk":{"S":"%d"},"x":{"S":"some text"}}}`, i/25, i))
	}
	for b.Loop() {
		call(b, operations, "Query", `{"TableName":"jobs","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"job#77"}}}`)
	}
}
