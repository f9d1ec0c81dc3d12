package sns_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

// A clock that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func TestFIFO(t *testing.T) {
	c := &clock{now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	a := newAccount(t, localaws.Config{Now: c.Now})
	topic := a.topic("stock.fifo", nil)
	ordered, plain := a.queue("ordered.fifo"), a.queue("plain")
	a.subscribed(topic, "ordered.fifo", raw)
	a.subscribed(topic, "plain", nil)
	publish := func(group, dedup string) *client.PublishOutput {
		t.Helper()
		out, err := a.Publish(t.Context(), &client.PublishInput{TopicArn: topic, Message: aws.String(group + dedup), MessageGroupId: &group, MessageDeduplicationId: &dedup})
		a.must(err)
		return out
	}
	first := publish("g", "1")
	again := publish("g", "1")
	second := publish("g", "2")
	if *again.MessageId != *first.MessageId || *again.SequenceNumber != *first.SequenceNumber {
		t.Error("the duplicate has an id of its own")
	}
	if len(*first.SequenceNumber) != 20 || *second.SequenceNumber <= *first.SequenceNumber {
		t.Errorf("sequence %s, %s", *first.SequenceNumber, *second.SequenceNumber)
	}
	got := a.got(ordered)
	if len(got) != 2 || *got[0].Body != "g1" || *got[1].Body != "g2" || got[0].Attributes["MessageGroupId"] != "g" || got[0].Attributes["MessageDeduplicationId"] != "1" {
		t.Fatalf("ordered: %+v", got)
	}
	got = a.got(plain)
	if len(got) != 2 || got[0].Attributes["MessageGroupId"] != "" || !strings.Contains(*got[0].Body, `"SequenceNumber"`) || strings.Contains(*got[0].Body, "Signature") {
		t.Fatalf("plain: %+v", got)
	}
	c.move(5*time.Minute + time.Second)
	if later := publish("g", "1"); *later.MessageId == *first.MessageId {
		t.Error("deduplication never ends")
	}
	if got := a.bodies(ordered); got != "g1" {
		t.Error(got)
	}
}

func TestDeduplication(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	topic := a.topic("a.fifo", map[string]string{"ContentBasedDeduplication": "true"})
	byGroup := a.topic("b.fifo", map[string]string{"ContentBasedDeduplication": "true", "FifoThroughputScope": "MessageGroup"})
	q, q2 := a.queue("q"), a.queue("q2")
	a.subscribed(topic, "q", raw)
	a.subscribed(byGroup, "q2", raw)
	for _, to := range []*string{topic, byGroup} {
		out, err := a.PublishBatch(t.Context(), &client.PublishBatchInput{TopicArn: to, PublishBatchRequestEntries: []types.PublishBatchRequestEntry{
			{Id: aws.String("1"), Message: aws.String("same"), MessageGroupId: aws.String("g")},
			{Id: aws.String("2"), Message: aws.String("same"), MessageGroupId: aws.String("g")},
			{Id: aws.String("3"), Message: aws.String("same"), MessageGroupId: aws.String("h")},
			{Id: aws.String("4"), Message: aws.String("same"), MessageGroupId: aws.String("g"), MessageDeduplicationId: aws.String("own")},
		}})
		a.must(err)
		if len(out.Successful) != 4 || *out.Successful[0].MessageId != *out.Successful[1].MessageId {
			t.Errorf("%+v", out)
		}
	}
	if got := a.bodies(q); got != "same same" {
		t.Errorf("by topic: %s", got)
	}
	if got := a.bodies(q2); got != "same same same" {
		t.Errorf("by group: %s", got)
	}
}

// The order of each group holds, whoever publishes at the same time.
func TestOrderUnderConcurrency(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	topic := a.topic("stock.fifo", nil)
	q := a.queue("q.fifo")
	a.subscribed(topic, "q.fifo", raw)
	const groups, each = 4, 15
	var all sync.WaitGroup
	for g := range groups {
		all.Go(func() {
			for i := range each {
				_, err := a.Publish(t.Context(), &client.PublishInput{TopicArn: topic, Message: aws.String(fmt.Sprint(i)),
					MessageGroupId: aws.String(fmt.Sprint(g)), MessageDeduplicationId: aws.String(fmt.Sprint(g, "-", i))})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	next := map[string]int{}
	for _, m := range a.got(q) {
		group := m.Attributes["MessageGroupId"]
		if *m.Body != fmt.Sprint(next[group]) {
			t.Fatalf("group %s: %s after %d", group, *m.Body, next[group]-1)
		}
		next[group]++
	}
	for g := range groups {
		if next[fmt.Sprint(g)] != each {
			t.Errorf("group %d: %d messages", g, next[fmt.Sprint(g)])
		}
	}
}

// A standard topic hands the group on to standard queues, for fairness.
func TestGroupsOfStandardTopics(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	topic := a.topic("mails", nil)
	q := a.queue("q")
	a.subscribed(topic, "q", raw)
	_, err := a.Publish(t.Context(), &client.PublishInput{TopicArn: topic, Message: aws.String("m"), MessageGroupId: aws.String("tenant")})
	a.must(err)
	if got := a.got(q); len(got) != 1 || got[0].Attributes["MessageGroupId"] != "tenant" {
		t.Errorf("%+v", got)
	}
}

// All of it is there after a restart, deduplication too.
func TestRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	input := &client.PublishInput{Message: aws.String("m"), MessageGroupId: aws.String("g"), MessageDeduplicationId: aws.String("d")}
	var first string
	for round := range 2 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			a := newAccount(t, localaws.Config{Dir: dir})
			if round == 0 {
				a.queue("q.fifo")
				input.TopicArn = a.topic("stock.fifo", nil)
				a.subscribed(input.TopicArn, "q.fifo", map[string]string{"RawMessageDelivery": "true", "FilterPolicy": `{"n":[{"exists":false}]}`})
			}
			out, err := a.Publish(t.Context(), input)
			a.must(err)
			if round == 0 {
				first = *out.MessageId
				return
			}
			if *out.MessageId != first {
				t.Error("the topic forgot the deduplication id")
			}
			listed, err := a.ListSubscriptionsByTopic(t.Context(), &client.ListSubscriptionsByTopicInput{TopicArn: input.TopicArn})
			a.must(err)
			if len(listed.Subscriptions) != 1 || a.bodies(a.queue("q.fifo")) != "m" {
				t.Errorf("%+v", listed)
			}
		})
	}
}
