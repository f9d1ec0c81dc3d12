package sns

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// subscriptionSettings are a subscription's attributes, parsed.
type subscriptionSettings struct {
	raw         bool
	policy      *policy // nil takes everything
	deadLetters string  // ARN of a queue
}

// parseSubscription checks attributes, which have no empty values, by
// https://docs.aws.amazon.com/sns/latest/api/API_SetSubscriptionAttributes.html.
func parseSubscription(given map[string]string, fifo bool) (subscriptionSettings, error) {
	s := subscriptionSettings{}
	scope := given["FilterPolicyScope"]
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		var err error
		switch name {
		case "RawMessageDelivery":
			if s.raw = value == "true"; value != "true" && value != "false" {
				err = invalidParameter("Attributes", "Reason: RawMessageDelivery: Invalid value [%s]. Must be true or false.", value)
			}
		case "FilterPolicyScope":
			if value != scopeAttributes && value != scopeBody {
				err = invalidParameter("Attributes", "Reason: FilterPolicyScope: Invalid value [%s]. Please use either MessageBody or MessageAttributes", value)
			}
		case "FilterPolicy":
			s.policy, err = parsePolicy(value, scope == scopeBody)
		case "RedrivePolicy":
			s.deadLetters, err = parseRedrive(value, fifo)
		case "DeliveryPolicy": // is for HTTP
			if !json.Valid([]byte(value)) {
				err = invalidParameter("DeliveryPolicy", "Reason: it is not JSON")
			}
		default:
			err = invalidParameter("AttributeName", "")
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// parseRedrive reads where messages go that the subscriber can't have.
// https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
func parseRedrive(text string, fifo bool) (string, error) {
	var p struct {
		Target string `json:"deadLetterTargetArn"`
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return "", invalidParameter("RedrivePolicy", "Reason: failed to parse JSON. %v", err)
	}
	if !queueARNPattern.MatchString(p.Target) {
		return "", invalidParameter("RedrivePolicy", "Reason: deadLetterTargetArn is an invalid arn")
	}
	if strings.HasSuffix(p.Target, ".fifo") && !fifo {
		return "", invalidParameter("RedrivePolicy", "Reason: must use a standard queue as DLQ for a subscription to a standard topic")
	}
	if fifo && !strings.HasSuffix(p.Target, ".fifo") {
		return "", invalidParameter("RedrivePolicy", "Reason: must use a FIFO queue as DLQ for a subscription to a FIFO Topic")
	}
	return p.Target, nil
}

// effective gives a subscription's attributes with defaults.
// https://docs.aws.amazon.com/sns/latest/api/API_GetSubscriptionAttributes.html
func (s *subscription) effective() map[string]string {
	account := strings.Split(s.Topic, ":")[4]
	all := map[string]string{
		"SubscriptionArn": s.ARN, "TopicArn": s.Topic, "Owner": account, "Protocol": "sqs", "Endpoint": s.Endpoint,
		"RawMessageDelivery": "false", "PendingConfirmation": "false", "ConfirmationWasAuthenticated": "true",
		"SubscriptionPrincipal": "arn:aws:iam::" + account + ":root",
	}
	if s.settings.policy != nil {
		all["FilterPolicyScope"] = scopeAttributes
	}
	maps.Copy(all, s.Attributes)
	return all
}

func (db *DB) getSubscriptionAttributes(c call) (any, error) {
	s, err := db.bySubscriptionARN(c.get("SubscriptionArn"))
	if err != nil {
		return nil, err
	}
	return asEntries(s.effective()), nil
}

// setSubscriptionAttributes sets one attribute; an empty value takes it away.
func (db *DB) setSubscriptionAttributes(c call) (any, error) {
	s, err := db.bySubscriptionARN(c.get("SubscriptionArn"))
	if err != nil {
		return nil, err
	}
	name, value := c.get("AttributeName"), c.get("AttributeValue")
	changed := map[string]string{}
	maps.Copy(changed, s.Attributes)
	changed[name] = value
	settings, err := parseSubscription(withoutEmpty(changed), db.topics[s.Topic].settings.fifo)
	if err != nil {
		return nil, err
	}
	r := s.subscriptionRecord
	r.Attributes = withoutEmpty(changed)
	if err := db.putSubscription(r); err != nil {
		return nil, err
	}
	s.subscriptionRecord, s.settings = r, settings
	return nil, nil
}
