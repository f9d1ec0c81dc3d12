package dynamodb

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// A clock is set by its test. It begins at a whole second.
type clock struct{ seconds atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.seconds.Store(1_800_000_000)
	return c
}

func (c *clock) now() time.Time          { return time.Unix(c.seconds.Load(), 0) }
func (c *clock) advance(d time.Duration) { c.seconds.Add(int64(d / time.Second)) }

// A fixture is a DB, without a sweeper of its own, and the SDK's clients
// talking to it over HTTP.
type fixture struct {
	*dynamodb.Client
	db      *DB
	clock   *clock
	streams *dynamodbstreams.Client
	url     string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{clock: newClock()}
	db, err := Open(Config{Path: filepath.Join(t.TempDir(), "dynamodb.db"), Now: f.clock.now, SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	f.db = db
	server := httptest.NewServer(serve(db))
	t.Cleanup(func() {
		server.Close()
		if err := db.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	f.url = server.URL
	config := aws.Config{
		Region: "us-east-1", BaseEndpoint: &server.URL, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}
	f.Client, f.streams = dynamodb.NewFromConfig(config), dynamodbstreams.NewFromConfig(config)
	return f
}

func serve(db *DB) http.Handler {
	services := map[string]*awsjson.Service{}
	for _, s := range db.Services() {
		services[s.Prefix] = s
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		prefix, _ := awsjson.OperationOf(r)
		services[prefix].ServeHTTP(w, r)
	})
}

// item reads an item in wire form, with single quotes for double ones.
func item(t testing.TB, text string) map[string]types.AttributeValue {
	t.Helper()
	var read ddb.Item
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &read); err != nil {
		t.Fatalf("the item %s: %v", text, err)
	}
	return sdk.ItemToSDK(read)
}

// text writes an item in wire form, names in order.
func text(t testing.TB, from map[string]types.AttributeValue) string {
	t.Helper()
	converted, err := sdk.ItemFromSDK(from)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(converted)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), `"`, "'")
}

// table makes a table with the keys pk and sk (S), a stream of both images and
// the sparse index "due" on due_slot (S) and due_ms (N), keys only.
func (f *fixture) table(t testing.TB) *string {
	t.Helper()
	name := aws.String("jobs")
	attribute := func(name string, kind types.ScalarAttributeType) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: kind}
	}
	key := func(hash, rng string) []types.KeySchemaElement {
		return []types.KeySchemaElement{{AttributeName: &hash, KeyType: "HASH"}, {AttributeName: &rng, KeyType: "RANGE"}}
	}
	_, err := f.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName: name, BillingMode: "PAY_PER_REQUEST", KeySchema: key("pk", "sk"),
		AttributeDefinitions: []types.AttributeDefinition{attribute("pk", "S"), attribute("sk", "S"), attribute("due_slot", "S"), attribute("due_ms", "N")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("due"), KeySchema: key("due_slot", "due_ms"), Projection: &types.Projection{ProjectionType: "KEYS_ONLY"},
		}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: "NEW_AND_OLD_IMAGES"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func (f *fixture) put(t testing.TB, table *string, text string) {
	t.Helper()
	if _, err := f.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: table, Item: item(t, text)}); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) get(t testing.TB, table *string, key string) string {
	t.Helper()
	out, err := f.GetItem(context.Background(), &dynamodb.GetItemInput{TableName: table, Key: item(t, key)})
	if err != nil {
		t.Fatal(err)
	}
	return text(t, out.Item)
}

// wantCode checks an error's code, and that its message holds a text.
func wantCode(t testing.TB, what string, err error, code, message string) {
	t.Helper()
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != code || !strings.Contains(api.ErrorMessage(), message) {
		t.Errorf("%s: got %v, want %s about %q", what, err, code, message)
	}
}

// records reads a table's stream from the beginning to its present end.
func (f *fixture) records(t testing.TB, table *string) string {
	t.Helper()
	ctx := context.Background()
	listed, err := f.streams.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: table})
	if err != nil || len(listed.Streams) != 1 {
		t.Fatalf("streams: %v, %v", listed, err)
	}
	described, err := f.streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: listed.Streams[0].StreamArn})
	if err != nil || len(described.StreamDescription.Shards) != 1 {
		t.Fatalf("shards: %v, %v", described, err)
	}
	at, err := f.streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: listed.Streams[0].StreamArn, ShardId: described.StreamDescription.Shards[0].ShardId, ShardIteratorType: "TRIM_HORIZON",
	})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for iterator := at.ShardIterator; iterator != nil; {
		out, err := f.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Records {
			by := ""
			if r.UserIdentity != nil {
				by = " by " + *r.UserIdentity.PrincipalId
			}
			lines = append(lines, string(r.EventName)+by)
		}
		if iterator = out.NextShardIterator; len(out.Records) == 0 {
			break
		}
	}
	return strings.Join(lines, ", ")
}
