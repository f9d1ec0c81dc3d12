package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// inTheStack is the part of help that says whose things a command is about: it follows
// what they are.
const inTheStack = ` are those of the stack that runs with the data folder. With --table they
are in AWS, as the usual AWS settings have it (AWS_PROFILE, AWS_REGION,
AWS_ENDPOINT_URL and so on).
`

// A stackFlags says which stack is meant: one that runs here, or the table of one in
// AWS.
type stackFlags struct {
	data, table string
	// opened is called with the stack when it is open.
	opened []func(*stack)
}

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
	// found is the stack that runs here; the zero value in AWS.
	found runner.Found
	// clock is the stack's; nil is this machine's.
	clock func() time.Time
}

// now is the time in the stack, which ages are counted to.
func (s *stack) now() time.Time {
	if s.clock == nil {
		return time.Now()
	}
	return s.clock()
}

// open finds the stack. inAWS tells how to name one in AWS instead, or is "".
func (f *stackFlags) open(ctx context.Context, inAWS string) (*stack, error) {
	s, err := f.find(ctx, inAWS)
	if err != nil {
		return nil, err
	}
	for _, opened := range f.opened {
		opened(s)
	}
	return s, nil
}

func (f *stackFlags) find(ctx context.Context, inAWS string) (*stack, error) {
	if f.table != "" {
		cfg, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading the AWS configuration: %w", err)
		}
		return newStack(cfg, f.table, nil)
	}
	found, running, err := runner.Find(f.data)
	if err != nil {
		return nil, err
	}
	if !running {
		return nil, fmt.Errorf("no stack runs with the data folder %s: start it with nightshift dev%s", f.data, inAWS)
	}
	reader := settings.Read(func(name string) string { return found.Settings[name] })
	clock := reader.Now()
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("reading the stack's clock: %w", err)
	}
	s, err := newStack(found.AWSConfig(), found.Settings[settings.Table], clock)
	if err != nil {
		return nil, err
	}
	s.found, s.queues = found, settings.Queues(found.Settings)
	return s, nil
}

// newStack makes a stack whose clock is nil for the machine's.
func newStack(cfg aws.Config, table string, clock func() time.Time) (*stack, error) {
	jobs, err := store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(cfg), table), Now: clock})
	if err != nil {
		return nil, err
	}
	return &stack{jobs: jobs, client: sqs.NewFromConfig(cfg), clock: clock}, nil
}
