package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// A targetFlags says which dead-letter queues are meant.
type targetFlags struct {
	stackFlags
	queue, letters string
}

func newTargetFlags(flags *flag.FlagSet) *targetFlags {
	t := &targetFlags{}
	t.add(flags)
	flags.StringVar(&t.queue, "queue", "", "`name` of the queue whose letters are meant; in AWS its name or URL at SQS")
	flags.StringVar(&t.letters, "dlq", "", "`name` or URL of the dead-letter queue at SQS")
	return t
}

// check gives what is wrong with the flags, or "".
func (t *targetFlags) check() string {
	if t.table != "" && t.letters == "" {
		return "with --table, --dlq says which dead-letter queue is meant"
	}
	return ""
}

// A target is one dead-letter queue.
type target struct {
	// name is the queue's, for people.
	name string
	*deadletter.Queue
}

// A place is where letters and jobs are.
type place struct {
	*stack
	targets []target
}

// open finds the dead-letter queues that are meant, in order of their names.
func (t *targetFlags) open(ctx context.Context) (*place, error) {
	found, err := t.stackFlags.open(ctx, ", or name a table and a queue of AWS with --table and --dlq")
	if err != nil {
		return nil, err
	}
	p, queues := &place{stack: found}, found.queues
	if known, ok := queues[t.queue]; ok && t.letters == "" {
		queues = map[string]settings.QueueURLs{t.queue: known}
	} else if t.table != "" || t.queue != "" || t.letters != "" {
		return p, t.named(ctx, p, queues[t.queue].URL)
	}
	for _, name := range slices.Sorted(maps.Keys(queues)) {
		if err := p.add(name, queue.Address{URL: queues[name].URL, Letters: queues[name].Letters}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// named adds the queue that the flags name at SQS. url is the URL of --queue, where
// it is known.
func (t *targetFlags) named(ctx context.Context, p *place, url string) error {
	if t.letters == "" {
		return fmt.Errorf("the stack has no queue %q; --dlq names any dead-letter queue at SQS", t.queue)
	}
	letters, err := p.url(ctx, t.letters)
	if err != nil {
		return err
	}
	if url == "" && t.queue != "" {
		if url, err = p.url(ctx, t.queue); err != nil {
			return err
		}
	}
	return p.add(queue.Address{URL: letters}.Name(), queue.Address{URL: url, Letters: letters})
}

// url gives a queue's URL, by its name or URL.
func (p *place) url(ctx context.Context, name string) (string, error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	out, err := p.client.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
	if err != nil {
		return "", fmt.Errorf("looking for the queue %q: %w", name, err)
	}
	return *out.QueueUrl, nil
}

func (p *place) add(name string, address queue.Address) error {
	q, err := deadletter.New(deadletter.Config{Jobs: p.jobs, SQS: queue.New(p.client), Address: address, Now: p.now})
	if err != nil {
		return fmt.Errorf("the queue %s: %w", name, err)
	}
	p.targets = append(p.targets, target{name, q})
	return nil
}

func (p *place) names() string {
	names := make([]string, len(p.targets))
	for i, t := range p.targets {
		names[i] = t.name
	}
	return strings.Join(names, ", ")
}
