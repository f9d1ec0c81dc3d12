// Command relay publishes the jobs and letters of the queues that its settings name.
package main

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func main() {
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	jobs, err := store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(cfg), os.Getenv(settings.Table))})
	if err != nil {
		log.Fatal(err)
	}
	environment := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		environment[name] = value
	}
	addresses := map[string]queue.Address{}
	for name, urls := range settings.Queues(environment) {
		addresses[name] = queue.Address{URL: urls.URL, Letters: urls.Letters}
	}
	r, err := relay.New(relay.Config{Jobs: jobs, Queue: queue.New(sqs.NewFromConfig(cfg)), Addresses: addresses})
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(r.Handle)
}
