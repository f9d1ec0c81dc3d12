package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/s3objects"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/bench/work"
)

// caseJobs is how many jobs each special case is counted for.
const caseJobs = 50

// A special is a case that costs other calls than a job that simply succeeds. run
// makes it happen caseJobs times; only the calls named are its own.
type special struct {
	name  string
	calls []string
	run   func(ctx context.Context) error
}

// Calls that cases may make.
const (
	putItem    = "dynamodb.PutItem"
	updateItem = "dynamodb.UpdateItem"
	getItem    = "dynamodb.GetItem"
	transact   = "dynamodb.TransactWriteItems"
	send       = "sqs.SendMessageBatch"
	hide       = "sqs.ChangeMessageVisibilityBatch"
	count      = "sqs.GetQueueAttributes"
	putObject  = "s3.PutObject"
	getObject  = "s3.GetObject"
)

// specials counts the special cases.
func (b *bench) specials(ctx context.Context, out io.Writer) error {
	direct, err := b.direct()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n| case | calls for each | all |\n|---|---|---|\n")
	for _, s := range []special{
		{"fails once, then succeeds", []string{putItem, send, updateItem, hide, count}, func(ctx context.Context) error {
			return b.through(ctx, "bench.retrying")
		}},
		{"sent again with its Idempotency-Key", []string{putItem, count}, b.sentAgain},
		{"delivered again when it is done", []string{updateItem, hide}, direct.deliveredAgain},
		{"unique", []string{transact, putItem, getItem, send, updateItem, hide}, direct.unique},
		{"claim check: arguments and result of 100 KB", []string{putObject, putItem, send, updateItem, hide, getObject}, direct.large},
		{"unique, while another has its key", []string{transact, putItem, getItem, send, updateItem}, direct.taken},
	} {
		if err := b.reset(ctx); err != nil {
			return err
		}
		if err := s.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		counts, err := b.counts(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, s.line(counts))
	}
	return nil
}

func (s special) line(counts map[string]int) string {
	var parts []string
	sum := 0
	for _, name := range s.calls {
		if n := counts[name]; n > 0 {
			sum += n
			parts = append(parts, fmt.Sprintf("%s %.2f", name[strings.IndexByte(name, '.')+1:], float64(n)/caseJobs))
		}
	}
	return fmt.Sprintf("| %s | %s | **%.2f** |", s.name, strings.Join(parts, ", "), float64(sum)/caseJobs)
}

// through enqueues jobs over HTTP, at a rate that leaves time between them, and
// waits until they have ended.
func (b *bench) through(ctx context.Context, task string) error {
	jobs, err := b.load(ctx, task, caseJobs, 4, 20)
	if err == nil {
		_, err = b.settle(ctx, jobs)
	}
	return err
}

// sentAgain sends requests a second time; only those are counted.
func (b *bench) sentAgain(ctx context.Context) error {
	for range 2 {
		if err := b.reset(ctx); err != nil {
			return err
		}
		for i := range caseJobs {
			if _, err := b.enqueueAs(ctx, "bench.noop", fmt.Sprintf("again-%d", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// A direct is a program beside the stack that enqueues without HTTP.
type direct struct {
	*bench
	producer *producer.Producer
	queue    *queue.SQS
	url      string
}

func (b *bench) direct() (*direct, error) {
	endpoint := b.stack.AWSURL()
	config := aws.Config{
		Region: "us-east-1", BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	}
	jobs, err := store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(config), "JobsTable")})
	if err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(config, func(o *s3.Options) { o.UsePathStyle = true })
	driver, err := s3objects.New(s3objects.Config{API: client, Bucket: "objectsbucket"})
	if err != nil {
		return nil, err
	}
	objects, err := claimcheck.New(driver)
	if err != nil {
		return nil, err
	}
	p, err := producer.New(producer.Config{Jobs: jobs, Objects: objects}, work.All()...)
	if err != nil {
		return nil, err
	}
	return &direct{bench: b, producer: p, queue: queue.New(sqs.NewFromConfig(config)), url: endpoint + "/000000000000/BenchQueue"}, nil
}

var arguments = work.Arguments{Key: "uploads/anonymous/0123456789abcdefghjkmnpqrs"}

// deliveredAgain has SQS deliver a second message for jobs that are done.
func (d *direct) deliveredAgain(ctx context.Context) error {
	jobs, err := d.load(ctx, "bench.noop", caseJobs, 4, 20)
	if err != nil {
		return err
	}
	if _, err := d.settle(ctx, jobs); err != nil {
		return err
	}
	var again []queue.Outgoing
	for _, j := range jobs {
		body, err := queue.Message{ID: job.ID(j.ID), N: 1}.Encode()
		if err != nil {
			return err
		}
		again = append(again, queue.Outgoing{Body: body})
	}
	if err := d.reset(ctx); err != nil {
		return err
	}
	for _, err := range d.queue.Send(ctx, d.url, again) {
		if err != nil {
			return err
		}
	}
	return d.until(ctx, updateItem, caseJobs)
}

// until waits until an operation was called n times.
func (d *direct) until(ctx context.Context, operation string, n int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		counts, err := d.counts(ctx)
		if err != nil {
			return err
		}
		if counts[operation] >= n {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// unique enqueues jobs of different keys. They are waited for by what they write,
// since asking for them would count.
func (d *direct) unique(ctx context.Context) error {
	for i := range caseJobs {
		if err := d.enqueueUnique(ctx, fmt.Sprintf("key-%d", i)); err != nil {
			return err
		}
	}
	return d.until(ctx, updateItem, 2*caseJobs)
}

// large enqueues jobs whose arguments and results lie in objects.
func (d *direct) large(ctx context.Context) error {
	large := work.Arguments{Key: strings.Repeat("k", 100_000)}
	for range caseJobs {
		if _, err := d.producer.Enqueue(ctx, work.Large.With(large)); err != nil {
			return err
		}
	}
	return d.until(ctx, updateItem, 2*caseJobs)
}

// taken enqueues jobs of a key that a waiting job has.
func (d *direct) taken(ctx context.Context) error {
	if err := d.enqueueUnique(ctx, "taken", job.In(time.Hour)); err != nil {
		return err
	}
	if err := d.reset(ctx); err != nil {
		return err
	}
	for range caseJobs {
		if err := d.enqueueUnique(ctx, "taken"); err != nil {
			return err
		}
	}
	return nil
}

func (d *direct) enqueueUnique(ctx context.Context, key string, options ...job.Option) error {
	_, err := d.producer.Enqueue(ctx, work.Unique.With(arguments), slices.Concat(options, []job.Option{job.Unique(key)})...)
	return err
}
