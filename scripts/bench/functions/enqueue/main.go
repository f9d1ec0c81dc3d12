// Command enqueue accepts the benchmarks' jobs and tells of them.
package main

import (
	"context"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/scripts/bench/work"
)

func main() { wire.Start(handler) }

func handler(env *wire.Env) (any, error) {
	tasks := work.All()
	store := env.Jobs()
	jobs, err := producer.New(producer.Config{Jobs: store}, tasks...)
	if err != nil {
		return nil, err
	}
	admit, err := env.Gates(tasks...)
	if err != nil {
		return nil, err
	}
	enqueue, err := httpapi.NewEnqueue(httpapi.EnqueueConfig{
		Producer: jobs, Gates: admit, Secret: []byte(env.Settings.Required(settings.Secret)), Logger: env.Logger,
	})
	if err != nil {
		return nil, err
	}
	status, err := httpapi.NewStatus(httpapi.JobsConfig{Jobs: store, Logger: env.Logger})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		if r.RequestContext.HTTP.Method == http.MethodGet {
			return status.Handle(ctx, r)
		}
		return enqueue.Handle(ctx, r)
	}, nil
}
