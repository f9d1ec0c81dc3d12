package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

// An effect is a job's row in the table of effects.
type effect struct{ count, steps int }

// Remains are what is there when everything has come to rest.
type remains struct {
	rows    map[job.ID]store.Record
	effects map[job.ID]effect
	orders  map[string][]int // by group
	letters map[job.ID][]queue.Message
	strange []string       // letters that can't be read
	queued  map[string]int // messages that are left, by queue
}

// inspect reads everything by the calm door.
func inspect(ctx context.Context, k *stack) (*remains, error) {
	m := &remains{
		rows: map[job.ID]store.Record{}, effects: map[job.ID]effect{}, orders: map[string][]int{},
		letters: map[job.ID][]queue.Message{}, queued: map[string]int{},
	}
	err := scan(ctx, k, "JobsTable", func(row store.Item) error {
		if _, ok := store.IDFrom(row); !ok {
			return nil
		}
		rec, err := store.Decode(row)
		m.rows[rec.ID] = rec
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := scan(ctx, k, "EffectsTable", m.effect); err != nil {
		return nil, err
	}
	return m, eachQueue(ctx, k, func(name, url string, letters bool) error {
		if letters {
			return m.read(ctx, k, url)
		}
		m.queued[name], err = depth(ctx, k, url)
		return err
	})
}

func scan(ctx context.Context, k *stack, table string, each func(store.Item) error) error {
	pages := dynamodb.NewScanPaginator(k.dynamodb, &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading %s: %w", table, err)
		}
		for _, row := range page.Items {
			if err := each(row); err != nil {
				return fmt.Errorf("reading %s: %w", table, err)
			}
		}
	}
	return nil
}

func (m *remains) effect(row store.Item) error {
	key, ok := row[work.Key].(*dynamodbtypes.AttributeValueMemberS)
	if !ok {
		return fmt.Errorf("a row without a key: %v", row)
	}
	if order, ok := row[work.Order].(*dynamodbtypes.AttributeValueMemberL); ok {
		for _, v := range order.Value {
			n, err := numberIn(v)
			if err != nil {
				return err
			}
			m.orders[key.Value] = append(m.orders[key.Value], n)
		}
		return nil
	}
	count, err := numberIn(row[work.Count])
	if err != nil {
		return err
	}
	steps, err := numberIn(row[work.Steps])
	m.effects[job.ID(key.Value)] = effect{count, steps}
	return err
}

// numberIn reads a number; what is not there is zero.
func numberIn(value dynamodbtypes.AttributeValue) (int, error) {
	if value == nil {
		return 0, nil
	}
	n, ok := value.(*dynamodbtypes.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("%v is no number", value)
	}
	return strconv.Atoi(n.Value)
}

// queues are all of them, in the order in which SQS moves messages: one that is moved
// between two looks is seen behind the place that it left.
var queues = []string{
	"QuickQueue", "SlowQueue", "OrderedQueue.fifo", "BackstopQueue", "OrderedBackstopQueue.fifo",
	"BackstopDeadLetterQueue", "OrderedBackstopDeadLetterQueue.fifo",
	"QuickDeadLetterQueue", "SlowDeadLetterQueue", "OrderedDeadLetterQueue.fifo",
}

// eachQueue visits the queues that functions read, and those that people read: letters.
func eachQueue(ctx context.Context, k *stack, visit func(name, url string, letters bool) error) error {
	for i, name := range queues {
		letters := i >= len(queues)-3
		out, err := k.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
		if err != nil {
			return fmt.Errorf("looking for %s: %w", name, err)
		}
		if err := visit(name, aws.ToString(out.QueueUrl), letters); err != nil {
			return err
		}
	}
	return nil
}

// depth counts a queue's messages.
func depth(ctx context.Context, k *stack, url string) (int, error) {
	d, err := queue.New(k.sqs).Depth(ctx, url)
	return d.Total(), err
}

// read takes all letters out of a dead-letter queue.
func (m *remains) read(ctx context.Context, k *stack, url string) error {
	for {
		out, err := k.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10})
		if err != nil {
			return fmt.Errorf("reading letters: %w", err)
		}
		if len(out.Messages) == 0 {
			return nil
		}
		remove := &sqs.DeleteMessageBatchInput{QueueUrl: &url}
		for i, message := range out.Messages {
			letter, err := queue.DecodeMessage(aws.ToString(message.Body))
			if err != nil || letter.Letter == nil {
				m.strange = append(m.strange, aws.ToString(message.Body))
			} else {
				m.letters[letter.ID] = append(m.letters[letter.ID], letter)
			}
			remove.Entries = append(remove.Entries, sqstypes.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: message.ReceiptHandle})
		}
		if _, err := k.sqs.DeleteMessageBatch(ctx, remove); err != nil {
			return fmt.Errorf("reading letters: %w", err)
		}
	}
}
