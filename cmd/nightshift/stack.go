package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A stackFlags says which stack is meant: one that runs here, or the table of one in
// AWS.
type stackFlags struct{ data, table string }

func (f *stackFlags) add(flags *flag.FlagSet) {
	f.addData(flags)
	flags.StringVar(&f.table, "table", "", "`name` of the jobs table in AWS")
}

func (f *stackFlags) addData(flags *flag.FlagSet) {
	flags.StringVar(&f.data, "data", ".nightshift", "`folder` of the running stack's data")
}

// A stack is where jobs and queues are.
type stack struct {
	jobs   *store.Jobs
	client *sqs.Client
	// queues are those of the stack that runs here, by name; none in AWS.
	queues map[string]settings.QueueURLs
}

// open finds the stack. inAWS tells how to name one in AWS instead, or is "".
func (f *stackFlags) open(ctx context.Context, inAWS string) (*stack, error) {
	if f.table != "" {
		cfg, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the AWS configuration: %w", err)
		}
		return newStack(cfg, f.table)
	}
	found, running, err := runner.Find(f.data)
	if err != nil {
		return nil, err
	}
	if !running {
		return nil, fmt.Errorf("no stack runs with the data folder %s: start it with nightshift dev%s", f.data, inAWS)
	}
	s, err := newStack(found.AWSConfig(), found.Settings[settings.Table])
	if err != nil {
		return nil, err
	}
	s.queues = settings.Queues(found.Settings)
	return s, nil
}

func newStack(cfg aws.Config, table string) (*stack, error) {
	jobs, err := store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(cfg), table)})
	if err != nil {
		return nil, err
	}
	return &stack{jobs: jobs, client: sqs.NewFromConfig(cfg)}, nil
}
