package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/bench/work"
)

// Names of the tables: ours and Powertools'.
const (
	jobsTable        = "jobs"
	idempotencyTable = "idempotency"
)

const besideBatch = 10

// beside is programs that handle the same events over the same endpoint, in turn.
type beside struct {
	aws        *localaws.Server
	server     *http.Server
	url        string
	producer   *producer.Producer
	contenders []*contender
	messages   int
}

// A contender is one of the programs.
type contender struct {
	name    string
	command []string
	process *function
	// starts are in ms; first and again are its rounds.
	starts       []float64
	first, again []round
}

func newBeside(ctx context.Context) (*beside, error) {
	server, err := localaws.New(localaws.Config{Dir: localaws.InMemory})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	b := &beside{aws: server, server: &http.Server{Handler: server}, url: "http://" + listener.Addr().String()}
	go func() { _ = b.server.Serve(listener) }() // ends with close
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: &b.url, Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	if err := createTables(ctx, client); err != nil {
		return nil, errors.Join(err, b.close())
	}
	jobs, err := store.New(store.Config{Driver: dynamo.New(client, jobsTable)})
	if err == nil {
		b.producer, err = producer.New(producer.Config{Jobs: jobs}, work.Noop)
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *beside) close() error {
	var problems []error
	for _, c := range b.contenders {
		if c.process != nil {
			problems = append(problems, c.process.close())
		}
	}
	return errors.Join(append(problems, b.server.Close(), b.aws.Close())...)
}

// start starts a contender's process with an event waiting for it, and notes how
// long its first answer took. The last one started goes on.
func (b *beside) start(ctx context.Context, c *contender) error {
	batches, err := b.make(ctx, 1)
	if err != nil {
		return err
	}
	if c.process != nil {
		if err := c.process.close(); err != nil {
			return err
		}
	}
	c.process, err = startFunction(ctx, []string{"AWS_ENDPOINT_URL=" + b.url, "IDEMPOTENCY_TABLE=" + idempotencyTable}, c.command...)
	if err != nil {
		return err
	}
	answer, at, err := c.process.invoke(ctx, batches[0])
	if err != nil {
		return err
	}
	c.starts = append(c.starts, at.Sub(c.process.begun).Seconds()*1000)
	return succeeded(answer)
}

// batches has a contender handle n new batches.
func (b *beside) batches(ctx context.Context, c *contender, n int) (round, [][]byte, error) {
	batches, err := b.make(ctx, n)
	if err != nil {
		return round{}, nil, err
	}
	took, err := b.deliver(ctx, c, batches)
	return took, batches, err
}

// deliver hands batches to a contender, one after the other.
func (b *beside) deliver(ctx context.Context, c *contender, batches [][]byte) (round, error) {
	b.aws.ResetCounts()
	used, _ := c.process.processor()
	begin := time.Now()
	for _, batch := range batches {
		answer, _, err := c.process.invoke(ctx, batch)
		if err == nil {
			err = succeeded(answer)
		}
		if err != nil {
			return round{}, err
		}
	}
	wall := time.Since(begin)
	now, _ := c.process.processor() // zero where it isn't told
	requests := 0
	for _, n := range b.aws.Counts() {
		requests += n
	}
	records := float64(len(batches) * besideBatch)
	return round{
		wall:      wall.Seconds() * 1e6 / records,
		processor: (now - used).Seconds() * 1e6 / records,
		requests:  float64(requests) / records,
	}, nil
}

// succeeded tells whether an answer names no failure.
func succeeded(answer []byte) error {
	var response struct {
		Failures []json.RawMessage `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return fmt.Errorf("the answer %s: %w", answer, err)
	}
	if response.Failures == nil || len(response.Failures) > 0 {
		return fmt.Errorf("the answer %s: no record may fail", answer)
	}
	return nil
}
