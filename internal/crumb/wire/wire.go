// Package wire puts together what Crumb's functions run on: settings, the AWS
// clients, the logger.
//
// A function names what it needs by calling for it; what it does not call for is
// neither read nor made. All settings that are missing are reported at once,
// before the function takes its first event:
//
//	func main() {
//		wire.Start(func(env *wire.Env) (any, error) {
//			return relay.New(relay.Config{Jobs: env.Jobs(), Queue: env.Queue(), …})
//		})
//	}
package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/s3objects"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// An Env is what a function is started with. It is for one goroutine: the one
// that starts the function. What it hands out may be used by many.
type Env struct {
	// AWS is the configuration for further clients.
	AWS aws.Config
	// Settings reads the function's environment.
	Settings *settings.Reader
	// Logger writes JSON lines.
	Logger *slog.Logger

	problems []error
}

// Load reads the AWS configuration and the log level. getenv is os.Getenv in
// functions; logs go to w.
func Load(ctx context.Context, getenv func(string) string, w io.Writer) (*Env, error) {
	reader := settings.Read(getenv)
	logger := slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: reader.Level()}))
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("wire: reading the AWS configuration: %w", err)
	}
	return &Env{AWS: cfg, Settings: reader, Logger: logger}, nil
}

// Jobs is the table of jobs.
func (e *Env) Jobs() *store.Jobs {
	table := e.Settings.Required(settings.Table)
	jobs, err := store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(e.AWS), table)})
	if err != nil {
		e.problems = append(e.problems, err)
	}
	return jobs
}

// Objects is where arguments and results are that are too large for their rows.
// Where the configuration overrides the endpoint the bucket is part of the path: a
// name of its own would not resolve there.
func (e *Env) Objects() *claimcheck.Objects {
	bucket := e.Settings.Required(settings.Bucket)
	if bucket == "" {
		return nil
	}
	client := s3.NewFromConfig(e.AWS, func(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil })
	driver, err := s3objects.New(s3objects.Config{API: client, Bucket: bucket, Presigner: s3.NewPresignClient(client)})
	if err != nil {
		e.problems = append(e.problems, err)
		return nil
	}
	objects, err := claimcheck.New(driver)
	if err != nil {
		e.problems = append(e.problems, err)
	}
	return objects
}

// Queue speaks to SQS.
func (e *Env) Queue() *queue.SQS { return queue.New(sqs.NewFromConfig(e.AWS)) }

// Addresses gives where queues and their dead-letter queues are, by the queue's
// name.
func (e *Env) Addresses(queues ...job.Queue) map[string]queue.Address {
	addresses := map[string]queue.Address{}
	for _, q := range queues {
		addresses[q.Name] = queue.Address{
			URL:     e.Settings.Required(settings.QueueURL(q.Name)),
			Letters: e.Settings.Required(settings.LettersURL(q.Name)),
		}
	}
	return addresses
}

// Err gives everything that was missing or wrong so far, or nil.
func (e *Env) Err() error { return errors.Join(append(e.problems, e.Settings.Err())...) }

// Start runs a Lambda function: handler makes what aws-lambda-go takes, a
// lambda.Handler or a function. It does not return. A function that lacks
// settings refuses to start and says which.
func Start(handler func(env *Env) (any, error)) {
	env, err := Load(context.Background(), os.Getenv, os.Stderr)
	if err != nil {
		refuse(slog.New(slog.NewJSONHandler(os.Stderr, nil)), err)
	}
	h, err := handler(env)
	if missing := env.Err(); missing != nil {
		err = missing // what could not be made follows from what is missing
	}
	if err != nil {
		refuse(env.Logger, err)
	}
	lambda.Start(h)
}

func refuse(logger *slog.Logger, err error) {
	logger.Error("the function does not start", "error", err.Error())
	os.Exit(1)
}
