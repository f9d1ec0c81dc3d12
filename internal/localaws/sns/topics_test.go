package sns_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

func TestTopics(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	ctx := t.Context()
	topic := a.topic("recipes", map[string]string{"DisplayName": "Recipes"})
	if *topic != "arn:aws:sns:us-east-1:000000000000:recipes" {
		t.Error(*topic)
	}
	if again := a.topic("recipes", nil); *again != *topic {
		t.Error(*again)
	}
	_, err := a.CreateTopic(ctx, &client.CreateTopicInput{Name: aws.String("recipes"), Attributes: map[string]string{"DisplayName": "x"}})
	a.refuses(err, "InvalidParameter: Invalid parameter: Attributes Reason: Topic already exists with different attributes")
	_, err = a.SetTopicAttributes(ctx, &client.SetTopicAttributesInput{TopicArn: topic, AttributeName: aws.String("DisplayName"), AttributeValue: aws.String("New")})
	a.must(err)
	got, err := a.GetTopicAttributes(ctx, &client.GetTopicAttributesInput{TopicArn: topic})
	a.must(err)
	if got.Attributes["DisplayName"] != "New" || got.Attributes["TopicArn"] != *topic || got.Attributes["Owner"] != "000000000000" || !strings.Contains(got.Attributes["Policy"], *topic) {
		t.Error(got.Attributes)
	}
	_, err = a.TagResource(ctx, &client.TagResourceInput{ResourceArn: topic, Tags: []types.Tag{{Key: aws.String("a"), Value: aws.String("1")}, {Key: aws.String("b"), Value: aws.String("2")}}})
	a.must(err)
	_, err = a.UntagResource(ctx, &client.UntagResourceInput{ResourceArn: topic, TagKeys: []string{"a"}})
	a.must(err)
	tags, err := a.ListTagsForResource(ctx, &client.ListTagsForResourceInput{ResourceArn: topic})
	a.must(err)
	if len(tags.Tags) != 1 || *tags.Tags[0].Key != "b" {
		t.Error(tags.Tags)
	}
	for range 2 { // the second time it is gone already
		_, err = a.DeleteTopic(ctx, &client.DeleteTopicInput{TopicArn: topic})
		a.must(err)
	}
	_, err = a.GetTopicAttributes(ctx, &client.GetTopicAttributesInput{TopicArn: topic})
	a.refuses(err, "NotFound: Topic does not exist")
}

func TestRefusedTopics(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	for _, c := range []struct {
		name       string
		attributes map[string]string
		want       string
	}{
		{"", nil, "Topic Name"},
		{"a b", nil, "Topic Name"},
		{strings.Repeat("x", 257), nil, "Topic Name"},
		{"a.fifo", nil, ".fifo suffix"},
		{"a", map[string]string{"FifoTopic": "true"}, ".fifo suffix"},
		{"a", map[string]string{"ContentBasedDeduplication": "true"}, "FIFO topics"},
		{"a", map[string]string{"MaximumMessageSize": "1048577"}, "between 1024 and 1048576"},
		{"a", map[string]string{"Policy": "{"}, "not JSON"},
		{"a", map[string]string{"Nonsense": "1"}, "Nonsense"},
		{"a.fifo", map[string]string{"FifoTopic": "true", "FifoThroughputScope": "Queue"}, "one of Topic, MessageGroup"},
	} {
		_, err := a.CreateTopic(t.Context(), &client.CreateTopicInput{Name: &c.name, Attributes: c.attributes})
		a.refuses(err, "InvalidParameter: Invalid parameter: ")
		a.refuses(err, c.want)
	}
}

func TestListsHavePages(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	const many = 203
	first := a.topic("first", nil)
	for i := 1; i < many; i++ {
		a.topic(fmt.Sprintf("t%d", i), nil)
		a.subscribed(first, fmt.Sprintf("q%d", i), nil)
	}
	topics := map[string]bool{}
	pages := client.NewListTopicsPaginator(a.Client, &client.ListTopicsInput{})
	for n := 1; pages.HasMorePages(); n++ {
		page, err := pages.NextPage(t.Context())
		a.must(err)
		for _, one := range page.Topics {
			topics[*one.TopicArn] = true
		}
		if n > 3 {
			t.Fatal("more pages than there can be")
		}
	}
	if len(topics) != many {
		t.Errorf("%d topics", len(topics))
	}
	subscriptions := map[string]bool{}
	byTopic := client.NewListSubscriptionsByTopicPaginator(a.Client, &client.ListSubscriptionsByTopicInput{TopicArn: first})
	for byTopic.HasMorePages() {
		page, err := byTopic.NextPage(t.Context())
		a.must(err)
		for _, one := range page.Subscriptions {
			subscriptions[*one.Endpoint] = true
		}
	}
	if len(subscriptions) != many-1 {
		t.Errorf("%d subscriptions", len(subscriptions))
	}
}

func TestSubscriptions(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	ctx := t.Context()
	topic, ordered := a.topic("recipes", nil), a.topic("stock.fifo", nil)
	raw := map[string]string{"RawMessageDelivery": "true"}
	one := a.subscribed(topic, "q", raw)
	if again := a.subscribed(topic, "q", raw); *again != *one {
		t.Error("subscribed twice")
	}
	a.subscribed(ordered, "q.fifo", nil)
	a.subscribed(ordered, "q", nil)
	for _, c := range []struct {
		topic              *string
		protocol, endpoint string
		attributes         map[string]string
		want               string
	}{
		{topic, "sqs", arn("q"), map[string]string{"RawMessageDelivery": "false"}, "Subscription already exists with different attributes"},
		{topic, "sqs", arn("q.fifo"), nil, "FIFO SQS Queues can not be subscribed to standard SNS topics"},
		{topic, "sqs", "http://q", nil, "SQS endpoint ARN"},
		{topic, "lambda", "arn:aws:lambda:us-east-1:000000000000:function:f", nil, "only sqs"},
		{topic, "pigeon", "x", nil, "does not support this protocol string: pigeon"},
		{topic, "sqs", arn("r"), map[string]string{"RawMessageDelivery": "yes"}, "Must be true or false"},
		{topic, "sqs", arn("r"), map[string]string{"FilterPolicyScope": "Both"}, "MessageBody or MessageAttributes"},
		{topic, "sqs", arn("r"), map[string]string{"Colour": "red"}, "AttributeName"},
		{topic, "sqs", arn("r"), map[string]string{"RedrivePolicy": "{}"}, "invalid arn"},
		{topic, "sqs", arn("r"), map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + arn("d.fifo") + `"}`}, "standard queue as DLQ"},
		{ordered, "sqs", arn("r"), map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + arn("d") + `"}`}, "FIFO queue as DLQ"},
	} {
		_, err := a.Subscribe(ctx, &client.SubscribeInput{TopicArn: c.topic, Protocol: &c.protocol, Endpoint: &c.endpoint, Attributes: c.attributes})
		a.refuses(err, "InvalidParameter: Invalid parameter: ")
		a.refuses(err, c.want)
	}
	set := func(name, value string) error {
		_, err := a.SetSubscriptionAttributes(ctx, &client.SetSubscriptionAttributesInput{SubscriptionArn: one, AttributeName: &name, AttributeValue: &value})
		return err
	}
	a.must(set("FilterPolicy", `{"event":["a"]}`))
	a.refuses(set("FilterPolicy", `{"event":"a"}`), `"event" must be an object or an array`)
	a.refuses(set("Nonsense", "1"), "AttributeName")
	got, err := a.GetSubscriptionAttributes(ctx, &client.GetSubscriptionAttributesInput{SubscriptionArn: one})
	a.must(err)
	if got.Attributes["FilterPolicy"] != `{"event":["a"]}` || got.Attributes["FilterPolicyScope"] != "MessageAttributes" || got.Attributes["RawMessageDelivery"] != "true" ||
		got.Attributes["PendingConfirmation"] != "false" || got.Attributes["Endpoint"] != arn("q") {
		t.Error(got.Attributes)
	}
	a.must(set("FilterPolicy", ""))
	got, err = a.GetSubscriptionAttributes(ctx, &client.GetSubscriptionAttributesInput{SubscriptionArn: one})
	a.must(err)
	if _, there := got.Attributes["FilterPolicy"]; there {
		t.Error("the policy is still there")
	}
	for range 2 {
		_, err = a.Unsubscribe(ctx, &client.UnsubscribeInput{SubscriptionArn: one})
		a.must(err)
	}
	a.refuses(set("RawMessageDelivery", "true"), "NotFound: Subscription does not exist")
	left, err := a.ListSubscriptions(ctx, nil)
	a.must(err)
	counts, err := a.GetTopicAttributes(ctx, &client.GetTopicAttributesInput{TopicArn: topic})
	a.must(err)
	if len(left.Subscriptions) != 2 || counts.Attributes["SubscriptionsDeleted"] != "1" || counts.Attributes["SubscriptionsConfirmed"] != "0" {
		t.Error(len(left.Subscriptions), counts.Attributes)
	}
}
