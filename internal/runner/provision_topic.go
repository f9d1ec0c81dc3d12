package runner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/samtemplate"
)

func (s *Stack) createTopic(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var declared samtemplate.Topic
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return err
	}
	name := declared.TopicName
	if name == "" {
		name = r.ID
		if declared.FifoTopic {
			name += ".fifo"
		}
	}
	arn, err := s.ensureTopic(ctx, name, declared)
	if err != nil {
		return err
	}
	for _, inline := range declared.Subscription {
		err := s.ensureSubscription(ctx, samtemplate.Subscription{TopicArn: arn, Protocol: inline.Protocol, Endpoint: inline.Endpoint})
		if err != nil {
			return err
		}
	}
	s.topics = append(s.topics, topicState{Name: name, ARN: arn})
	scope.Set(r.ID, "Ref", arn)
	scope.Set(r.ID, "TopicArn", arn)
	scope.Set(r.ID, "TopicName", name)
	return nil
}

// ensureTopic finds or creates the topic and sets its attributes.
func (s *Stack) ensureTopic(ctx context.Context, name string, declared samtemplate.Topic) (string, error) {
	var kind map[string]string
	wanted := map[string]string{"DisplayName": declared.DisplayName}
	if declared.FifoTopic {
		kind = map[string]string{"FifoTopic": "true"}
		wanted["ContentBasedDeduplication"] = strconv.FormatBool(declared.ContentBasedDeduplication)
		wanted["FifoThroughputScope"] = cmp.Or(declared.FifoThroughputScope, "Topic")
	}
	if declared.MaximumMessageSize != nil {
		wanted["MaximumMessageSize"] = strconv.Itoa(*declared.MaximumMessageSize)
	}
	created, err := s.clients.sns.CreateTopic(ctx, &sns.CreateTopicInput{Name: &name, Attributes: kind})
	if err != nil {
		return "", fmt.Errorf("creating the topic: %w", err)
	}
	present, err := s.clients.sns.GetTopicAttributes(ctx, &sns.GetTopicAttributesInput{TopicArn: created.TopicArn})
	if err != nil {
		return "", fmt.Errorf("reading the topic's attributes: %w", err)
	}
	for _, attribute := range slices.Sorted(maps.Keys(wanted)) {
		if present.Attributes[attribute] == wanted[attribute] {
			continue
		}
		_, err := s.clients.sns.SetTopicAttributes(ctx, &sns.SetTopicAttributesInput{TopicArn: created.TopicArn, AttributeName: &attribute, AttributeValue: aws.String(wanted[attribute])})
		if err != nil {
			return "", fmt.Errorf("setting the topic's %s: %w", attribute, err)
		}
	}
	return *created.TopicArn, nil
}

func (s *Stack) createSubscription(ctx context.Context, r *samtemplate.Resource, scope *samtemplate.Scope) error {
	var declared samtemplate.Subscription
	if err := s.template.Decode(r, scope, &declared); err != nil {
		return err
	}
	if err := s.ensureSubscription(ctx, declared); err != nil {
		return err
	}
	scope.Set(r.ID, "Ref", s.subscriptions[len(s.subscriptions)-1])
	scope.Set(r.ID, "Arn", s.subscriptions[len(s.subscriptions)-1])
	return nil
}

// ensureSubscription finds or makes a queue's subscription and sets its attributes.
// One of another kind, such as an operator's mail address, means nothing here.
func (s *Stack) ensureSubscription(ctx context.Context, declared samtemplate.Subscription) error {
	if declared.Protocol != "sqs" {
		s.config.Logger.Warn("a subscription is left out: only queues subscribe here", "protocol", declared.Protocol, "topic", declared.TopicArn)
		s.subscriptions = append(s.subscriptions, "PendingConfirmation")
		return nil
	}
	arn, err := s.findSubscription(ctx, declared)
	if err != nil {
		return err
	}
	wanted := map[string]string{
		"RawMessageDelivery": strconv.FormatBool(declared.RawMessageDelivery), "FilterPolicyScope": declared.FilterPolicyScope,
		"FilterPolicy": string(declared.FilterPolicy), "RedrivePolicy": string(declared.RedrivePolicy),
	}
	if arn == "" {
		maps.DeleteFunc(wanted, func(_, value string) bool { return value == "" })
		made, err := s.clients.sns.Subscribe(ctx, &sns.SubscribeInput{TopicArn: &declared.TopicArn, Protocol: &declared.Protocol, Endpoint: &declared.Endpoint,
			Attributes: wanted, ReturnSubscriptionArn: true})
		if err != nil {
			return fmt.Errorf("subscribing: %w", err)
		}
		s.subscriptions = append(s.subscriptions, *made.SubscriptionArn)
		return nil
	}
	s.subscriptions = append(s.subscriptions, arn)
	return s.updateSubscription(ctx, arn, wanted)
}

func (s *Stack) findSubscription(ctx context.Context, declared samtemplate.Subscription) (string, error) {
	pages := sns.NewListSubscriptionsByTopicPaginator(s.clients.sns, &sns.ListSubscriptionsByTopicInput{TopicArn: &declared.TopicArn})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return "", fmt.Errorf("listing subscriptions: %w", err)
		}
		for _, one := range page.Subscriptions {
			if aws.ToString(one.Endpoint) == declared.Endpoint && aws.ToString(one.Protocol) == declared.Protocol {
				return aws.ToString(one.SubscriptionArn), nil
			}
		}
	}
	return "", nil
}

// updateSubscription sets what differs. A policy goes before its scope changes, for
// it may make no sense in the other one.
func (s *Stack) updateSubscription(ctx context.Context, arn string, wanted map[string]string) error {
	got, err := s.clients.sns.GetSubscriptionAttributes(ctx, &sns.GetSubscriptionAttributesInput{SubscriptionArn: &arn})
	if err != nil {
		return fmt.Errorf("reading the subscription: %w", err)
	}
	present := got.Attributes
	set := func(name, value string) {
		if err != nil || present[name] == value {
			return
		}
		if _, err = s.clients.sns.SetSubscriptionAttributes(ctx, &sns.SetSubscriptionAttributesInput{SubscriptionArn: &arn, AttributeName: &name, AttributeValue: &value}); err != nil {
			err = fmt.Errorf("setting the subscription's %s: %w", name, err)
		}
		present[name] = value
	}
	if scope := cmp.Or(wanted["FilterPolicyScope"], "MessageAttributes"); cmp.Or(present["FilterPolicyScope"], "MessageAttributes") != scope {
		set("FilterPolicy", "")
		set("FilterPolicyScope", scope)
	}
	for _, name := range []string{"RawMessageDelivery", "FilterPolicy", "RedrivePolicy"} {
		set(name, wanted[name])
	}
	return err
}

var subscriptionsBucket = []byte("subscriptions")

// dropSubscriptions takes away the subscriptions that the template had at an earlier
// start, and remembers those that it has now. What programs subscribed stays.
func (s *Stack) dropSubscriptions(ctx context.Context) error {
	before, err := s.folder.exchange(subscriptionsBucket, s.subscriptions)
	if err != nil {
		return fmt.Errorf("the template's subscriptions: %w", err)
	}
	for _, arn := range before {
		if slices.Contains(s.subscriptions, arn) || !strings.HasPrefix(arn, "arn:") {
			continue
		}
		if _, err := s.clients.sns.Unsubscribe(ctx, &sns.UnsubscribeInput{SubscriptionArn: &arn}); err != nil {
			return fmt.Errorf("ending the subscription %s: %w", arn, err)
		}
	}
	return nil
}

// exchange adds names to those kept in a bucket, and gives those that were there.
// Names that are gone stay: what is done about them may be cut short, and is done
// again.
func (f *folder) exchange(bucket []byte, names []string) (before []string, err error) {
	err = f.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		err = b.ForEach(func(name, _ []byte) error {
			before = append(before, string(name))
			return nil
		})
		for _, name := range names {
			if err == nil {
				err = b.Put([]byte(name), nil)
			}
		}
		return err
	})
	return before, err
}
