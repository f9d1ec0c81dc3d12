package idempotency_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// overTheWire is a world whose table is behind the local endpoint, with the
// machine's clock.
func overTheWire(t *testing.T, config localaws.Config, edits ...func(*idempotency.Config)) (*world, *localaws.Server) {
	t.Helper()
	config.Dir = ":memory:"
	server, err := localaws.New(config)
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
	pk, sk, table := store.PartitionKey, store.SortKey, "jobs"
	_, err = client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &table, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: &pk, AttributeType: types.ScalarAttributeTypeS}, {AttributeName: &sk, AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: &pk, KeyType: types.KeyTypeHash}, {AttributeName: &sk, KeyType: types.KeyTypeRange}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, driver: dynamo.New(client, table)}
	edits = append([]func(*idempotency.Config){func(c *idempotency.Config) {
		c.Driver, c.Logger = w.driver, slog.New(slog.DiscardHandler)
	}}, edits...)
	var c idempotency.Config
	for _, edit := range edits {
		edit(&c)
	}
	if w.records, err = idempotency.New(c); err != nil {
		t.Fatal(err)
	}
	return w, server
}

func TestOverTheWire(t *testing.T) {
	w, server := overTheWire(t, localaws.Config{})
	requests := func(want map[string]int) {
		t.Helper()
		if got := server.Counts(); !maps.Equal(got, want) {
			t.Errorf("requests %v, not %v", got, want)
		}
		server.ResetCounts()
	}
	server.ResetCounts()
	w.mustPay(key("a"), 1)
	requests(map[string]int{"dynamodb.UpdateItem": 1, "dynamodb.PutItem": 1})
	w.mustPay(key("a"), 1)
	requests(map[string]int{"dynamodb.UpdateItem": 1})
	other := key("a")
	other.Payload = charge{"bob", 1}
	if _, err := w.pay(other); !errors.Is(err, idempotency.ErrOtherPayload) {
		t.Error(err)
	}
	requests(map[string]int{"dynamodb.UpdateItem": 1})
	down := errors.New("down")
	if err := w.records.Do(t.Context(), key("b"), func(context.Context) error { return down }); err != down {
		t.Error(err)
	}
	requests(map[string]int{"dynamodb.UpdateItem": 2})
	w.mustPay(key("b"), 2)

	w.mustPay(key(strings.Repeat("k", 5000)), 3)
	w.mustPay(key("\xff"), 4)
	w.mustPay(key("\xfe"), 5)
	w.mustPay(key("\xff"), 4)

	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			if r, err := w.pay(key("c")); err != nil && !errors.Is(err, idempotency.ErrInProgress) || err == nil && r.Number != 6 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	callers.Wait()
	w.wantCharges(6)
}

func TestOverTheWireAClaimIsTakenOver(t *testing.T) {
	w, _ := overTheWire(t, localaws.Config{})
	reference := newWorld(t)
	reference.mustPay(key("a"), 1)
	w.put(rawClaim(attribute(reference.row(), "fingerprint"), time.Now().UnixMilli()-30_000, time.Now().Unix()+30))
	w.mustPay(key("a"), 1)
	w.mustPay(key("a"), 1)
	w.wantCharges(1)
}

// The largest answer, with the longest key, fits into a row of DynamoDB's.
func TestOverTheWireTheLargestRow(t *testing.T) {
	w, _ := overTheWire(t, localaws.Config{}, func(c *idempotency.Config) { c.MaxResult = idempotency.MostMaxResult })
	k := idempotency.Key{Scope: strings.Repeat("#", idempotency.LongestScope), ID: strings.Repeat("k", 1024)}
	large := strings.Repeat("x", idempotency.MostMaxResult-2)
	for range 2 {
		got, err := idempotency.Once(t.Context(), w.records, k, func(context.Context) (string, error) { return large, nil })
		if err != nil || got != large {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// Answers that are lost on the wire: the SDK repeats the calls, and the token tells
// that they had been applied.
func TestOverTheWireAnswersAreLost(t *testing.T) {
	var mu sync.Mutex
	dropped := map[string]bool{}
	w, server := overTheWire(t, localaws.Config{Fault: func(_, operation string, _ *http.Request) *localaws.Fault {
		mu.Lock()
		defer mu.Unlock()
		if first := !dropped[operation]; first && (operation == "UpdateItem" || operation == "PutItem") {
			dropped[operation] = true
			return &localaws.Fault{Drop: true}
		}
		return nil
	}})
	server.ResetCounts()
	w.mustPay(key("a"), 1)
	w.mustPay(key("a"), 1)
	w.wantCharges(1)
	if counts := server.Counts(); counts["dynamodb.UpdateItem"] != 3 || counts["dynamodb.PutItem"] != 2 {
		t.Errorf("no call was repeated: %v", counts)
	}
}
