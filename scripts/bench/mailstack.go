package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"golang.org/x/sync/errgroup"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A mailBench is Crumb's stack, running, and what enqueues into it.
type mailBench struct {
	stack    *runner.Stack
	jobs     *store.Jobs
	producer *producer.Producer
	sqs      *sqs.Client
	queue    string // the URL of the newsletter's
	sent     int    // mails so far
}

func startMailBench(ctx context.Context) (m *mailBench, err error) {
	stack, err := runner.Start(ctx, runner.Config{Template: "template.yaml", DataDir: runner.InMemory,
		FunctionLog: func(function, line string) {
			if os.Getenv("BENCH_LOG") != "" {
				fmt.Fprintf(os.Stderr, "%s: %s\n", function, line)
			}
		}})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, stack.Close())
		}
	}()
	config := aws.Config{Region: "us-east-1", BaseEndpoint: aws.String(stack.AWSURL()),
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	m = &mailBench{stack: stack, sqs: sqs.NewFromConfig(config)}
	if m.jobs, err = store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(config), "JobsTable")}); err != nil {
		return nil, err
	}
	if m.producer, err = producer.New(producer.Config{Jobs: m.jobs}, tasks.SendUrgent, tasks.BeginIssue); err != nil {
		return nil, err
	}
	found, err := m.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("NewsletterQueue")})
	if err != nil {
		return nil, err
	}
	m.queue = *found.QueueUrl
	return m, nil
}

// urgent sends n mails and gives the milliseconds that each took from its enqueueing
// until SES had it.
func (m *mailBench) urgent(ctx context.Context, n int) ([]float64, error) {
	began := map[string]time.Time{}
	for range n {
		m.sent++
		to := fmt.Sprintf("reader%d@example.org", m.sent)
		began[to] = time.Now()
		if _, err := m.producer.Enqueue(ctx, tasks.SendUrgent.With(tasks.PasswordChanged{Name: "Ada"}.To(to))); err != nil {
			return nil, err
		}
		if err := wait(ctx, urgentEvery); err != nil {
			return nil, err
		}
	}
	var took []float64
	for to, at := range began {
		arrived, err := m.arrived(ctx, to)
		if err != nil {
			return nil, err
		}
		took = append(took, float64(arrived.Sub(at).Microseconds())/1000)
	}
	return took, nil
}

// arrived waits for a mail and gives the time at which SES took it.
func (m *mailBench) arrived(ctx context.Context, to string) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		var mails []struct {
			At int64 `json:"at_ms"`
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.stack.HTTPURL()+"/_nightshift/mail?to="+url.QueryEscape(to), nil)
		if err != nil {
			return time.Time{}, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return time.Time{}, err
		}
		err = errors.Join(json.NewDecoder(response.Body).Decode(&mails), response.Body.Close())
		if err != nil || len(mails) > 0 {
			if err == nil && mails[0].At == 0 {
				err = fmt.Errorf("the mail to %s has no time", to)
			}
			if err != nil {
				return time.Time{}, err
			}
			return time.UnixMilli(mails[0].At), nil
		}
		if err := wait(ctx, 100*time.Millisecond); err != nil {
			return time.Time{}, fmt.Errorf("waiting for the mail to %s: %w", to, err)
		}
	}
}

// behind fills the newsletter's queue with n messages and gives how long a job waits
// that is put behind them.
func (m *mailBench) behind(ctx context.Context, n int) (time.Duration, error) {
	if _, _, err := m.fill(ctx, n); err != nil {
		return 0, err
	}
	began := time.Now()
	id, err := m.producer.Enqueue(ctx, tasks.BeginIssue.With(tasks.Issue{Monday: "2001-01-01"})) // a week without recipes
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for {
		rec, err := m.jobs.Get(ctx, id)
		if err != nil {
			return 0, err
		}
		if rec.State.Final() {
			return rec.Finished.Sub(began), nil
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return 0, err
		}
	}
}

// fill sends n messages to the newsletter's queue, or as many as fit into fillFor.
func (m *mailBench) fill(ctx context.Context, n int) (sent int, took time.Duration, err error) {
	began := time.Now()
	var next, done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range 8 {
		group.Go(func() error {
			for next.Add(10) <= int64(n) && time.Since(began) < fillFor {
				if err := m.send(ctx); err != nil {
					return err
				}
				done.Add(10)
			}
			return nil
		})
	}
	err = group.Wait()
	return int(done.Load()), time.Since(began), err
}

// send sends ten messages.
func (m *mailBench) send(ctx context.Context) error {
	entries := make([]types.SendMessageBatchRequestEntry, 10)
	for i := range entries {
		id, err := job.NewID(rand.Reader)
		if err != nil {
			return err
		}
		entries[i] = types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(fmt.Sprintf(`{"id":%q,"n":1}`, id)),
		}
	}
	out, err := m.sqs.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &m.queue, Entries: entries})
	if err != nil {
		return err
	}
	if len(out.Failed) > 0 {
		return fmt.Errorf("SQS refused %d messages: %s", len(out.Failed), aws.ToString(out.Failed[0].Message))
	}
	return nil
}

// depth counts what waits in the newsletter's queue.
func (m *mailBench) depth(ctx context.Context) (int, error) {
	out, err := m.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &m.queue, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameApproximateNumberOfMessages},
	})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out.Attributes["ApproximateNumberOfMessages"])
}

// wait waits, unless the context ends first.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
