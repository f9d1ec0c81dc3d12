package s3

import (
	"encoding/xml"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A notification says who is told of what happens in a bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
type notification struct {
	ID       string   `json:"id"`
	Events   []string `json:"events"`
	Prefix   string   `json:"prefix,omitempty"`
	Suffix   string   `json:"suffix,omitempty"`
	Queue    string   `json:"queue,omitempty"`
	Function string   `json:"function,omitempty"`
}

// happenings are what a bucket can tell of here. Deleting without versions makes no
// marker, and browsers' POST is not served; the names are taken all the same.
var happenings = []string{
	"s3:ObjectCreated:*", "s3:ObjectCreated:Put", "s3:ObjectCreated:Post", "s3:ObjectCreated:Copy", "s3:ObjectCreated:CompleteMultipartUpload",
	"s3:ObjectRemoved:*", "s3:ObjectRemoved:Delete", "s3:ObjectRemoved:DeleteMarkerCreated",
}

// otherHappenings begin the names of events that S3 has and the local endpoint has not.
var otherHappenings = []string{
	"s3:ReducedRedundancyLostObject", "s3:ObjectRestore:", "s3:Replication:", "s3:LifecycleTransition", "s3:LifecycleExpiration:", "s3:IntelligentTiering", "s3:ObjectTagging:", "s3:ObjectAcl:",
}

// covers tells whether an event of a configuration, which may end in *, is another one
// or has something in common with it.
func covers(configured, event string) bool {
	kind, all := strings.CutSuffix(configured, "*")
	return configured == event || all && strings.HasPrefix(event, kind)
}

func (n notification) matches(event, key string) bool {
	wanted := slices.ContainsFunc(n.Events, func(e string) bool { return covers(e, event) })
	return wanted && strings.HasPrefix(key, n.Prefix) && strings.HasSuffix(key, n.Suffix)
}

// overlaps tells whether one event of one key could mean both. S3 refuses that.
func (n notification) overlaps(other notification) bool {
	common := slices.ContainsFunc(n.Events, func(a string) bool {
		return slices.ContainsFunc(other.Events, func(b string) bool { return covers(a, b) || covers(b, a) })
	})
	prefixes := strings.HasPrefix(n.Prefix, other.Prefix) || strings.HasPrefix(other.Prefix, n.Prefix)
	suffixes := strings.HasSuffix(n.Suffix, other.Suffix) || strings.HasSuffix(other.Suffix, n.Suffix)
	return common && prefixes && suffixes
}

// Documents of the API.
type (
	notificationDocument struct {
		XMLName     xml.Name        `xml:"NotificationConfiguration"`
		Namespace   string          `xml:"xmlns,attr,omitempty"`
		Queues      []queueNotice   `xml:"QueueConfiguration"`
		Functions   []invokedNotice `xml:"CloudFunctionConfiguration"`
		Topics      []struct{}      `xml:"TopicConfiguration"`
		EventBridge *struct{}       `xml:"EventBridgeConfiguration"`
	}
	noticeRules struct {
		ID     string        `xml:"Id"`
		Events []string      `xml:"Event"`
		Filter *noticeFilter `xml:"Filter"`
	}
	queueNotice struct {
		noticeRules
		Queue string
	}
	invokedNotice struct {
		noticeRules
		Function string `xml:"CloudFunction"`
	}
	noticeFilter struct {
		Rules []filterRule `xml:"S3Key>FilterRule"`
	}
	filterRule struct{ Name, Value string }
)

// maxNotifications is S3's limit for a bucket.
const maxNotifications = 100

// notifications reads and checks a document.
func (in notificationDocument) notifications() (all []notification, err error) {
	if len(in.Topics) > 0 || in.EventBridge != nil {
		return nil, notImplemented("the local endpoint notifies queues and functions, not topics or EventBridge")
	}
	add := func(rules noticeRules, queue, function string) error {
		n, err := rules.notification()
		if err != nil {
			return err
		}
		if n.Queue, n.Function = queue, function; strings.HasSuffix(queue, ".fifo") {
			return invalidArgument("FIFO SQS queues are not supported: %s", queue)
		}
		if !strings.HasPrefix(queue, "arn:aws:sqs:") && !strings.HasPrefix(function, "arn:aws:lambda:") {
			return invalidArgument("The ARN could not be parsed: %s%s", queue, function)
		}
		if slices.ContainsFunc(all, n.overlaps) {
			return invalidArgument("Configurations overlap. Configurations on the same bucket cannot share a common event type.")
		}
		all = append(all, n)
		return nil
	}
	for _, q := range in.Queues {
		if err := add(q.noticeRules, q.Queue, ""); err != nil {
			return nil, err
		}
	}
	for _, f := range in.Functions {
		if err := add(f.noticeRules, "", f.Function); err != nil {
			return nil, err
		}
	}
	if len(all) > maxNotifications {
		return nil, invalidArgument("A bucket has at most %d notification configurations", maxNotifications)
	}
	return all, nil
}

func (in noticeRules) notification() (notification, error) {
	n := notification{ID: in.ID, Events: in.Events}
	if n.ID == "" {
		n.ID = newID()
	}
	if len(n.ID) > 255 || len(n.Events) == 0 {
		return n, malformedXML()
	}
	for _, event := range in.Events {
		if slices.ContainsFunc(otherHappenings, func(kind string) bool { return strings.HasPrefix(event, kind) }) {
			return n, notImplemented("the local endpoint has no event %s", event)
		}
		if !slices.Contains(happenings, event) {
			return n, invalidArgument("The event is not supported for notifications: %s", event)
		}
	}
	if in.Filter == nil {
		return n, nil
	}
	seen := map[string]bool{}
	for _, rule := range in.Filter.Rules {
		name := strings.ToLower(rule.Name)
		switch {
		case name != "prefix" && name != "suffix":
			return n, invalidArgument("filter rule name must be either prefix or suffix")
		case seen[name]:
			return n, invalidArgument("Cannot specify more than one %s rule in a filter.", name)
		case len(rule.Value) > maxKey:
			return n, invalidArgument("Size of filter rule value cannot exceed %d bytes in UTF-8 representation", maxKey)
		case name == "prefix":
			n.Prefix = rule.Value
		default:
			n.Suffix = rule.Value
		}
		seen[name] = true
	}
	return n, nil
}

func (n notification) rules() noticeRules {
	rules := noticeRules{ID: n.ID, Events: n.Events}
	filter := &noticeFilter{}
	if n.Prefix != "" {
		filter.Rules = append(filter.Rules, filterRule{"Prefix", n.Prefix})
	}
	if n.Suffix != "" {
		filter.Rules = append(filter.Rules, filterRule{"Suffix", n.Suffix})
	}
	if len(filter.Rules) > 0 {
		rules.Filter = filter
	}
	return rules
}

// putNotifications replaces all of a bucket's notifications. Queues are sent a test
// event first: one that can't be reached is refused, and so are the others.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html
func (db *DB) putNotifications(c *call) error {
	doc, err := c.document()
	if err != nil {
		return err
	}
	var in notificationDocument
	if xml.Unmarshal(doc, &in) != nil {
		return malformedXML()
	}
	if _, err := db.record(c.bucket); err != nil {
		return err
	}
	all, err := in.notifications()
	if err != nil {
		return err
	}
	if err := db.test(c, all); err != nil {
		return err
	}
	return db.change(func(tx *bolt.Tx) ([]string, error) {
		b, err := bucketOf(tx, c.bucket)
		if err != nil {
			return nil, err
		}
		b.Notifications = all
		return nil, putJSON(tx, bucketsBucket, []byte(c.bucket), b)
	})
}

func (db *DB) getNotifications(c *call) error {
	b, err := db.record(c.bucket)
	if err != nil {
		return err
	}
	out := notificationDocument{Namespace: namespace}
	for _, n := range b.Notifications {
		if n.Queue != "" {
			out.Queues = append(out.Queues, queueNotice{n.rules(), n.Queue})
		} else {
			out.Functions = append(out.Functions, invokedNotice{n.rules(), n.Function})
		}
	}
	return c.answerXML(out)
}
