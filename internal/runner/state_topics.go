package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
)

// topicState is a topic of the template and who gets its messages.
type topicState struct {
	Name        string            `json:"name"`
	ARN         string            `json:"arn"`
	Subscribers []subscriberState `json:"subscribers"`
}

type subscriberState struct {
	Queue string `json:"queue"`
	// Filter is the filter policy; missing where all messages are wanted.
	Filter json.RawMessage `json:"filter,omitempty"`
}

func (s *Stack) serveTopics(w http.ResponseWriter, r *http.Request) {
	all := []topicState{}
	for _, t := range s.topics {
		if err := s.subscribers(r.Context(), &t); err != nil {
			refuse(w, http.StatusBadGateway, "ServiceException", err.Error())
			return
		}
		all = append(all, t)
	}
	answerJSON(w, all)
}

func (s *Stack) subscribers(ctx context.Context, t *topicState) error {
	pages := sns.NewListSubscriptionsByTopicPaginator(s.clients.sns, &sns.ListSubscriptionsByTopicInput{TopicArn: &t.ARN})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("listing the subscriptions of %s: %w", t.Name, err)
		}
		for _, found := range page.Subscriptions {
			got, err := s.clients.sns.GetSubscriptionAttributes(ctx, &sns.GetSubscriptionAttributesInput{SubscriptionArn: found.SubscriptionArn})
			if err != nil {
				return fmt.Errorf("reading a subscription of %s: %w", t.Name, err)
			}
			one := subscriberState{Queue: s.called(aws.ToString(found.Endpoint))}
			if policy := got.Attributes["FilterPolicy"]; policy != "" {
				one.Filter = json.RawMessage(policy)
			}
			t.Subscribers = append(t.Subscribers, one)
		}
	}
	return nil
}
