package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A change is one change of a job's row.
type change struct {
	number   int       // counts all changes, in the stream's order
	at       time.Time // to the second
	old, new store.Record
}

// A recorder follows the stream of the table of jobs from its beginning, and holds
// every change to the rules.
type recorder struct {
	client *dynamodbstreams.Client
	plan   *plan

	mu         sync.Mutex
	rows       map[job.ID]store.Record // as they are
	history    map[job.ID][]change
	violations []violation
	changes    int
}

// A violation is a breach of what was promised.
type violation struct {
	id   job.ID // empty where it is no job's
	rule string // what was promised
	text string
}

func newRecorder(client *dynamodbstreams.Client, p *plan) *recorder {
	return &recorder{client: client, plan: p, rows: map[job.ID]store.Record{}, history: map[job.ID][]change{}}
}

// streamOf gives the ARN of a table's stream.
func streamOf(ctx context.Context, client *dynamodb.Client, table string) (string, error) {
	out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return "", fmt.Errorf("looking for the stream of %s: %w", table, err)
	}
	return aws.ToString(out.Table.LatestStreamArn), nil
}

// pollEvery is the time between reads of a stream that has nothing new.
const pollEvery = 50 * time.Millisecond

// follow reads until over is closed and nothing more is there, or ctx ends. The local
// stream has one shard.
func (r *recorder) follow(ctx context.Context, arn string, over <-chan struct{}) error {
	described, err := r.client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &arn})
	if err != nil {
		return fmt.Errorf("reading the stream: %w", err)
	}
	if n := len(described.StreamDescription.Shards); n != 1 {
		return fmt.Errorf("reading the stream: it has %d shards, and one was expected", n)
	}
	start, err := r.client.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: described.StreamDescription.Shards[0].ShardId, ShardIteratorType: streams.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		return fmt.Errorf("reading the stream: %w", err)
	}
	for next := start.ShardIterator; ; {
		page, err := r.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next})
		if err != nil {
			return fmt.Errorf("reading the stream: %w", err)
		}
		next = page.NextShardIterator
		for _, record := range page.Records {
			if err := r.record(record.Dynamodb); err != nil {
				return err
			}
		}
		if len(page.Records) > 0 {
			continue
		}
		select {
		case <-over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

func (r *recorder) record(recorded *streams.StreamRecord) error {
	before, err := rowOf(recorded.OldImage)
	if err != nil {
		return err
	}
	after, err := rowOf(recorded.NewImage)
	if err != nil {
		return err
	}
	if _, ok := store.IDFrom(after); !ok {
		if _, ok := store.IDFrom(before); !ok {
			return nil // a mark of the sweep's
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	old, errOld := decoded(before)
	now, errNew := decoded(after)
	if err := errors.Join(errOld, errNew); err != nil {
		r.violations = append(r.violations, violation{rule: ruleSense, text: err.Error()})
		return nil
	}
	r.take(change{r.changes, aws.ToTime(recorded.ApproximateCreationDateTime), old, now})
	return nil
}

// decoded reads a row that may not be there.
func decoded(row store.Item) (store.Record, error) {
	if row == nil {
		return store.Record{}, nil
	}
	return store.Decode(row)
}

// take holds a change to the rules and keeps it.
func (r *recorder) take(c change) {
	id := c.new.ID
	if id == "" {
		id = c.old.ID
	}
	for _, breach := range breaches(c) {
		r.violations = append(r.violations, violation{id, breach.rule, breach.text})
	}
	if breach := r.overtakes(c); breach != nil {
		r.violations = append(r.violations, violation{id, breach.rule, breach.text})
	}
	r.rows[id] = c.new
	r.history[id] = append(r.history[id], c)
}

// unsettled gives how many of the accepted jobs have not ended, or have a letter
// that is not out.
func (r *recorder) unsettled() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for id, j := range r.plan.byID {
		if row := r.rows[id]; j.accepted && (!row.State.Final() || row.Publication != nil) {
			n++
		}
	}
	return n
}
