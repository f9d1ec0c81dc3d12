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
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/s3objects"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/gauge"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/topic"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// An Env is what a function is started with. It is for one goroutine: the one
// that starts the function. What it hands out may be used by many.
type Env struct {
	// AWS is the configuration for further clients.
	AWS aws.Config
	// Settings reads the function's environment.
	Settings *settings.Reader
	// Logger writes JSON lines, which tell of the job whose handler's context they are
	// logged with.
	Logger *slog.Logger
	// Metrics takes what is measured, by the toolkit and by handlers.
	Metrics telemetry.Recorder
	// Now is the clock, for everything that takes one: a local stack's time may
	// not be the machine's.
	Now func() time.Time

	problems []error
	// What several parts of a function share is made once.
	jobs     *store.Jobs
	producer *producer.Producer
	outbox   *outbox.Outbox
	rows     *rows.Table
	claims   *claimcheck.Objects
	bucket   *objects.Objects
	notes    *gauge.Notes
}

// Load reads the AWS configuration and the log level. getenv is os.Getenv in
// functions; logs go to w.
func Load(ctx context.Context, getenv func(string) string, w io.Writer) (*Env, error) {
	reader := settings.Read(getenv)
	logger := slog.New(telemetry.LogHandler(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: reader.Level()})))
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("wire: reading the AWS configuration: %w", err)
	}
	e := &Env{AWS: cfg, Settings: reader, Logger: logger, Now: reader.Now()}
	e.measure(0)
	return e, nil
}

// once makes something where it was not made before, and notes what is wrong with it.
func once[T any](e *Env, kept **T, how func() (*T, error)) *T {
	if *kept == nil {
		made, err := how()
		if err != nil {
			e.problems = append(e.problems, err)
		}
		*kept = made
	}
	return *kept
}

// Jobs is the table of jobs.
func (e *Env) Jobs() *store.Jobs {
	return once(e, &e.jobs, func() (*store.Jobs, error) {
		table := e.Settings.Required(settings.Table)
		return store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(e.AWS), table), Now: e.Now})
	})
}

// Producer makes jobs of requests, of all of Crumb's tasks.
func (e *Env) Producer() *producer.Producer {
	return once(e, &e.producer, func() (*producer.Producer, error) {
		return producer.New(producer.Config{Jobs: e.Jobs(), Objects: e.Objects(), Metrics: e.Metrics, Now: e.Now}, tasks.Defined()...)
	})
}

// Outbox writes rows, jobs and events in one transaction.
func (e *Env) Outbox() *outbox.Outbox {
	return once(e, &e.outbox, func() (*outbox.Outbox, error) {
		return outbox.New(outbox.Config{Jobs: e.Jobs(), Producer: e.Producer()})
	})
}

// Rows is the site's own table.
func (e *Env) Rows() *rows.Table {
	name := e.Settings.Required(rows.Setting)
	if name == "" {
		return nil
	}
	return once(e, &e.rows, func() (*rows.Table, error) {
		return rows.New(dynamo.New(dynamodb.NewFromConfig(e.AWS), name), name, e.Jobs())
	})
}

// Bucket is where uploads lie, and what is made of them.
func (e *Env) Bucket() *objects.Objects {
	return once(e, &e.bucket, func() (*objects.Objects, error) {
		return objects.New(e.AWS, e.Settings.Required(settings.Bucket)), nil
	})
}

// Gates are those before the queues of the tasks, by the queue's name.
func (e *Env) Gates(of ...job.Defined) (map[string]*admission.Gate, error) {
	return gates.New(gates.Config{
		Jobs: e.Jobs(), Counter: e.Queue(), Metrics: e.Metrics, Now: e.Now, Window: e.Settings.Duration(settings.RelayWindow),
		URL: func(queue string) string { return e.Settings.Required(settings.QueueURL(queue)) },
	}, of...)
}

// Gauge takes note of how long jobs waited, for the gates before their queues.
func (e *Env) Gauge() *gauge.Notes {
	jobs := e.Jobs()
	if jobs == nil {
		return nil
	}
	return once(e, &e.notes, func() (*gauge.Notes, error) {
		return gauge.NewNotes(gauge.NotesConfig{Jobs: jobs, Now: e.Now, Logger: e.Logger})
	})
}

// Sessions knows who is signed in.
func (e *Env) Sessions() *sessions.Sessions {
	secret := e.Settings.Required(settings.Secret)
	if secret == "" {
		return nil
	}
	made, err := sessions.New([]byte(secret), e.Now)
	if err != nil {
		e.problems = append(e.problems, err)
	}
	return made
}

// Topics speaks to SNS.
func (e *Env) Topics() *topic.SNS { return topic.New(sns.NewFromConfig(e.AWS)) }

// TopicARNs gives where topics are, by their names.
func (e *Env) TopicARNs(topics ...job.Topic) map[string]string {
	arns := map[string]string{}
	for _, t := range topics {
		arns[t.Name] = e.Settings.Required(settings.TopicARN(t.Name))
	}
	return arns
}

// Objects is where arguments and results are that are too large for their rows.
// Where the configuration overrides the endpoint the bucket is part of the path: a
// name of its own would not resolve there.
func (e *Env) Objects() *claimcheck.Objects {
	bucket := e.Settings.Required(settings.Bucket)
	if bucket == "" {
		return nil
	}
	return once(e, &e.claims, func() (*claimcheck.Objects, error) {
		client := s3.NewFromConfig(e.AWS, func(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil })
		driver, err := s3objects.New(s3objects.Config{API: client, Bucket: bucket, Presigner: s3.NewPresignClient(client)})
		if err != nil {
			return nil, err
		}
		return claimcheck.New(driver)
	})
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
			Fair:    q.Fair,
		}
	}
	return addresses
}

// Worker makes the worker of one queue.
func (e *Env) Worker(q job.Queue, handlers ...worker.Handler) (*worker.Worker, error) {
	return worker.New(worker.Config{
		Jobs:      e.Jobs(),
		Queue:     e.Queue(),
		Addresses: e.Addresses(q),
		Objects:   e.Objects(),
		Gauge:     e.Gauge(),
		Metrics:   e.Metrics,
		Logger:    e.Logger,
		Now:       e.Now,
	}, handlers...)
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
	lambda.Start(flushing{lambda.NewHandler(h), env.Metrics})
}

func refuse(logger *slog.Logger, err error) {
	logger.Error("the function does not start", "error", err.Error())
	os.Exit(1)
}
