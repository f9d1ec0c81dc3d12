package sns

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A subscription is one queue's subscription to a topic.
type subscription struct {
	subscriptionRecord
	settings subscriptionSettings
}

type subscriptionRecord struct {
	ARN        string            `json:"arn"`
	Topic      string            `json:"topic"`
	Endpoint   string            `json:"endpoint"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

var queueARNPattern = regexp.MustCompile(`^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:([A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo)$`)

// others are the protocols that AWS has and the local endpoint hasn't.
var others = []string{"http", "https", "email", "email-json", "sms", "application", "lambda", "firehose"}

type subscriptionResult struct{ SubscriptionArn string }

// subscribe gives the ARN of a subscription that is there, if it has the attributes
// asked for. Whether the queue exists is looked at when something is delivered, as
// with AWS. https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
func (db *DB) subscribe(c call) (any, error) {
	t, err := db.byARN(c.get("TopicArn"))
	if err != nil {
		return nil, err
	}
	endpoint := c.get("Endpoint")
	if err := checkEndpoint(t, c.get("Protocol"), endpoint); err != nil {
		return nil, err
	}
	given := withoutEmpty(c.entries("Attributes"))
	s, err := parseSubscription(given, t.settings.fifo)
	if err != nil {
		return nil, err
	}
	for _, present := range t.subscriptions {
		if present.Endpoint == endpoint {
			return &subscriptionResult{present.ARN}, present.sameAs(given)
		}
	}
	r := subscriptionRecord{ARN: t.ARN + ":" + newID(), Topic: t.ARN, Endpoint: endpoint, Attributes: given}
	if err := db.putSubscription(r); err != nil {
		return nil, err
	}
	db.attach(t, &subscription{r, s})
	return &subscriptionResult{r.ARN}, nil
}

func checkEndpoint(t *topic, protocol, endpoint string) error {
	switch {
	case slices.Contains(others, protocol):
		return invalidParameter("Protocol", "Reason: the local endpoint has no subscribers of the protocol %s, only sqs", protocol)
	case protocol != "sqs":
		return invalidParameter("", "Amazon SNS does not support this protocol string: %s", protocol)
	case !queueARNPattern.MatchString(endpoint):
		return invalidParameter("SQS endpoint ARN", "")
	case strings.HasSuffix(endpoint, ".fifo") && !t.settings.fifo:
		return invalidParameter("Endpoint", "Reason: FIFO SQS Queues can not be subscribed to standard SNS topics")
	}
	return nil
}

func (s *subscription) sameAs(given map[string]string) error {
	present := s.effective()
	for name, value := range given {
		if present[name] != value {
			return invalidParameter("Attributes", "Reason: Subscription already exists with different attributes")
		}
	}
	return nil
}

func withoutEmpty(all map[string]string) map[string]string {
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(_, value string) bool { return value == "" })
	return kept
}

// attach puts a subscription into the index.
func (db *DB) attach(t *topic, s *subscription) {
	db.subscriptions[s.ARN] = s
	at, _ := slices.BinarySearchFunc(t.subscriptions, s.ARN, func(s *subscription, arn string) int { return strings.Compare(s.ARN, arn) })
	t.subscriptions = slices.Insert(t.subscriptions, at, s)
}

func (db *DB) putSubscription(r subscriptionRecord) error {
	return db.write(func(tx *bolt.Tx) error { return putJSON(tx, subscriptionsBucket, []byte(r.ARN), r) })
}

// bySubscriptionARN finds a subscription, or refuses.
func (db *DB) bySubscriptionARN(arn string) (*subscription, error) {
	if parts := strings.Split(arn, ":"); len(parts) != 7 || parts[2] != "sns" {
		return nil, invalidParameter("SubscriptionArn", "Reason: An ARN must have at least 6 elements, not %d", len(parts))
	}
	s := db.subscriptions[arn]
	if s == nil {
		return nil, notFound("Subscription")
	}
	return s, nil
}

// unsubscribe of what isn't there is no error.
func (db *DB) unsubscribe(c call) (any, error) {
	s, err := db.bySubscriptionARN(c.get("SubscriptionArn"))
	if err != nil && asError(err).Code == "NotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := db.topics[s.Topic]
	r := t.topicRecord
	r.Deleted++
	err = db.write(func(tx *bolt.Tx) error {
		if err := tx.Bucket(subscriptionsBucket).Delete([]byte(s.ARN)); err != nil {
			return err
		}
		return putJSON(tx, topicsBucket, []byte(r.ARN), r)
	})
	if err != nil {
		return nil, err
	}
	t.topicRecord = r
	t.subscriptions = slices.DeleteFunc(t.subscriptions, func(other *subscription) bool { return other == s })
	delete(db.subscriptions, s.ARN)
	return nil, nil
}

type subscriptionsResult struct {
	Subscriptions []listedSubscription `xml:"Subscriptions>member"`
	NextToken     string               `xml:",omitempty"`
}

type listedSubscription struct{ SubscriptionArn, Owner, Protocol, Endpoint, TopicArn string }

func (db *DB) listSubscriptions(c call) (any, error) {
	return db.list(slices.Sorted(maps.Keys(db.subscriptions)), c.get("NextToken")), nil
}

func (db *DB) listSubscriptionsByTopic(c call) (any, error) {
	t, err := db.byARN(c.get("TopicArn"))
	if err != nil {
		return nil, err
	}
	arns := make([]string, len(t.subscriptions))
	for i, s := range t.subscriptions {
		arns[i] = s.ARN
	}
	return db.list(arns, c.get("NextToken")), nil
}

func (db *DB) list(arns []string, token string) *subscriptionsResult {
	some, next := page(arns, token)
	out := &subscriptionsResult{NextToken: next}
	for _, arn := range some {
		s := db.subscriptions[arn]
		out.Subscriptions = append(out.Subscriptions, listedSubscription{s.ARN, strings.Split(s.Topic, ":")[4], "sqs", s.Endpoint, s.Topic})
	}
	return out
}
