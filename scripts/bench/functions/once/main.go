// Command once handles batches in the plain way of aws-lambda-go, with
// idempotency.Once for each record: what Powertools' batch and idempotency are
// compared with beside the worker.
package main

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// An answer is what the work gives: the message's id.
type answer struct {
	ID string `json:"id"`
}

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		table := env.Settings.Required(settings.Table)
		records, err := idempotency.New(idempotency.Config{
			Driver: dynamo.New(dynamodb.NewFromConfig(env.AWS), table), Logger: env.Logger,
		})
		if err != nil {
			return nil, err
		}
		return handler{records}.batch, nil
	})
}

type handler struct{ records *idempotency.Records }

// batch works on records side by side and answers which of them failed.
func (h handler) batch(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
	failed := make([]bool, len(event.Records))
	var group errgroup.Group
	for i, record := range event.Records {
		group.Go(func() error {
			failed[i] = h.record(ctx, record) != nil
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return events.SQSEventResponse{}, err
	}
	response := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
	for i, record := range event.Records {
		if failed[i] {
			response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: record.MessageId})
		}
	}
	return response, nil
}

func (h handler) record(ctx context.Context, record events.SQSMessage) error {
	_, err := idempotency.Once(ctx, h.records, idempotency.Key{Scope: "bench", ID: record.MessageId},
		func(context.Context) (a answer, err error) {
			return a, json.Unmarshal([]byte(record.Body), &a)
		})
	return err
}
