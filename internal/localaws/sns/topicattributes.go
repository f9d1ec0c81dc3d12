package sns

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what a message, or the messages of a batch together, may have in bytes.
const (
	defaultMaximumSize = 256 << 10
	leastMaximumSize   = 1 << 10
	mostMaximumSize    = 1 << 20
)

// topicSettings are a topic's attributes, parsed.
type topicSettings struct {
	fifo, contentDedup bool
	groupScope         bool // of deduplication
	maxSize            int
}

// choices of attributes that can be set; nil allows anything. By
// https://docs.aws.amazon.com/sns/latest/api/API_SetTopicAttributes.html.
var choices = map[string][]string{
	"DisplayName":               nil,
	"Policy":                    nil,
	"DeliveryPolicy":            nil,
	"KmsMasterKeyId":            nil,
	"MaximumMessageSize":        nil,
	"TracingConfig":             {"PassThrough", "Active"},
	"SignatureVersion":          {"1", "2"},
	"FifoTopic":                 {"true", "false"},
	"ContentBasedDeduplication": {"true", "false"},
	"FifoThroughputScope":       {"Topic", "MessageGroup"},
}

var fifoOnly = []string{"ContentBasedDeduplication", "FifoThroughputScope"}

// isFeedback matches the attributes about logs of deliveries, which are kept and
// mean nothing here.
func isFeedback(name string) bool {
	return strings.HasSuffix(name, "FeedbackRoleArn") || strings.HasSuffix(name, "FeedbackSampleRate")
}

func parseTopic(given map[string]string) (topicSettings, error) {
	s := topicSettings{fifo: given["FifoTopic"] == "true", maxSize: defaultMaximumSize}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		allowed, known := choices[name]
		switch {
		case isFeedback(name):
		case !known:
			return s, invalidParameter("AttributeName", "Reason: the local endpoint does not know the attribute %s", name)
		case allowed != nil && !slices.Contains(allowed, value):
			return s, invalidParameter("Attributes", "Reason: %s: Invalid value [%s]. It must be one of %s", name, value, strings.Join(allowed, ", "))
		case slices.Contains(fifoOnly, name) && !s.fifo:
			return s, invalidParameter("Attributes", "Reason: %s can only be set for FIFO topics", name)
		case (name == "Policy" || name == "DeliveryPolicy") && value != "" && !json.Valid([]byte(value)):
			return s, invalidParameter(name, "Reason: it is not JSON")
		case name == "MaximumMessageSize":
			size, err := strconv.Atoi(value)
			if err != nil || size < leastMaximumSize || size > mostMaximumSize {
				return s, invalidParameter("MaximumMessageSize", "Reason: it must be between %d and %d", leastMaximumSize, mostMaximumSize)
			}
			s.maxSize = size
		}
	}
	s.contentDedup = given["ContentBasedDeduplication"] == "true"
	s.groupScope = given["FifoThroughputScope"] == "MessageGroup"
	return s, nil
}

// effective gives a topic's attributes with defaults.
// https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
func (t *topic) effective() map[string]string {
	account := strings.Split(t.ARN, ":")[4]
	all := map[string]string{
		"TopicArn": t.ARN, "Owner": account, "DisplayName": "", "Policy": defaultPolicy(t.ARN, account),
		"EffectiveDeliveryPolicy": defaultDeliveryPolicy,
		"SubscriptionsConfirmed":  strconv.Itoa(len(t.subscriptions)), "SubscriptionsPending": "0", "SubscriptionsDeleted": strconv.Itoa(t.Deleted),
	}
	if t.settings.fifo {
		all["FifoTopic"], all["ContentBasedDeduplication"], all["FifoThroughputScope"] = "true", "false", "Topic"
	}
	maps.Copy(all, t.Attributes)
	return all
}

const defaultDeliveryPolicy = `{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":20,"maxDelayTarget":20,"numRetries":3,"numMaxDelayRetries":0,"numNoDelayRetries":0,"numMinDelayRetries":0,"backoffFunction":"linear"},"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"text/plain; charset=UTF-8"}}}`

// defaultPolicy lets the account do everything with its topic.
func defaultPolicy(arn, account string) string {
	return fmt.Sprintf(`{"Version":"2008-10-17","Id":"__default_policy_ID","Statement":[{"Sid":"__default_statement_ID","Effect":"Allow","Principal":{"AWS":"*"},"Action":["SNS:GetTopicAttributes","SNS:SetTopicAttributes","SNS:AddPermission","SNS:RemovePermission","SNS:DeleteTopic","SNS:Subscribe","SNS:ListSubscriptionsByTopic","SNS:Publish"],"Resource":%q,"Condition":{"StringEquals":{"AWS:SourceOwner":%q}}}]}`, arn, account)
}

func (db *DB) getTopicAttributes(c call) (any, error) {
	t, err := db.byARN(c.get("TopicArn"))
	if err != nil {
		return nil, err
	}
	return asEntries(t.effective()), nil
}

func (db *DB) setTopicAttributes(c call) (any, error) {
	t, err := db.byARN(c.get("TopicArn"))
	if err != nil {
		return nil, err
	}
	name, value := c.get("AttributeName"), c.get("AttributeValue")
	if name == "FifoTopic" {
		return nil, invalidParameter("AttributeName", "")
	}
	changed := maps.Clone(t.topicRecord.Attributes)
	if changed[name] = value; value == "" {
		delete(changed, name)
		if _, known := choices[name]; !known && !isFeedback(name) {
			return nil, invalidParameter("AttributeName", "")
		}
	}
	s, err := parseTopic(changed)
	if err != nil {
		return nil, err
	}
	r := t.topicRecord
	r.Attributes = changed
	if err := db.putTopic(r); err != nil {
		return nil, err
	}
	t.topicRecord, t.settings = r, s
	return nil, nil
}
