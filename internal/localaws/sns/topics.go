package sns

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A topic is one topic: what the store keeps of it, and its subscriptions and
// deduplication ids.
type topic struct {
	topicRecord
	settings      topicSettings
	subscriptions []*subscription // by ARN
	duplicates    duplicates
}

type topicRecord struct {
	ARN        string            `json:"arn"`
	Attributes map[string]string `json:"attributes"`
	Tags       map[string]string `json:"tags,omitempty"`
	Deleted    int               `json:"deleted,omitempty"` // subscriptions
}

var topicNamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$|^[A-Za-z0-9_-]{1,251}\.fifo$`)

func (db *DB) arnOf(name string) string {
	return "arn:aws:sns:" + db.cfg.Region + ":" + db.cfg.AccountID + ":" + name
}

// topicResult answers CreateTopic.
type topicResult struct{ TopicArn string }

// createTopic gives the ARN of a topic that is there, if it has the attributes asked
// for. https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html
func (db *DB) createTopic(c call) (any, error) {
	name := c.get("Name")
	if !topicNamePattern.MatchString(name) {
		return nil, invalidParameter("Topic Name", "")
	}
	given := c.entries("Attributes")
	if policy := c.get("DataProtectionPolicy"); policy != "" {
		return nil, invalidParameter("DataProtectionPolicy", "Reason: the local endpoint has no data protection policies")
	}
	s, err := parseTopic(given)
	if err != nil {
		return nil, err
	}
	if s.fifo != strings.HasSuffix(name, ".fifo") {
		return nil, invalidParameter("Topic Name", "Reason: The name of a FIFO topic, and of no other, must end with the .fifo suffix")
	}
	tags := c.tags("Tags")
	if err := checkTags(tags); err != nil {
		return nil, err
	}
	arn := db.arnOf(name)
	if t := db.topics[arn]; t != nil {
		return &topicResult{arn}, t.sameAs(given, tags)
	}
	t := &topic{topicRecord: topicRecord{ARN: arn, Attributes: given, Tags: tags}, settings: s}
	if err := db.putTopic(t.topicRecord); err != nil {
		return nil, err
	}
	db.topics[arn] = t
	return &topicResult{arn}, nil
}

// sameAs refuses the creation of a topic that is there and is another.
func (t *topic) sameAs(given, tags map[string]string) error {
	present := t.effective()
	for name, value := range given {
		if present[name] != value {
			return invalidParameter("Attributes", "Reason: Topic already exists with different attributes")
		}
	}
	for key, value := range tags {
		if present, ok := t.Tags[key]; !ok || present != value {
			return invalidParameter("Tags", "Reason: Topic already exists with different tags")
		}
	}
	return nil
}

// byARN finds a topic, or refuses.
func (db *DB) byARN(arn string) (*topic, error) {
	if arn == "" {
		return nil, invalidParameter("TopicArn", "Reason: no value for required parameter")
	}
	if parts := strings.Split(arn, ":"); len(parts) != 6 || parts[0] != "arn" || parts[2] != "sns" {
		return nil, invalidParameter("TopicArn", "Reason: An ARN must have at least 6 elements, not %d", len(parts))
	}
	t := db.topics[arn]
	if t == nil {
		return nil, notFound("Topic")
	}
	return t, nil
}

// deleteTopic takes the subscriptions along. That the topic isn't there is no error.
// https://docs.aws.amazon.com/sns/latest/api/API_DeleteTopic.html
func (db *DB) deleteTopic(c call) (any, error) {
	t, err := db.byARN(c.get("TopicArn"))
	if err != nil && asError(err).Code == "NotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = db.write(func(tx *bolt.Tx) error {
		for _, s := range t.subscriptions {
			if err := tx.Bucket(subscriptionsBucket).Delete([]byte(s.ARN)); err != nil {
				return err
			}
		}
		for key := range t.duplicates.entries {
			if err := tx.Bucket(duplicatesBucket).Delete(duplicateKey(t.ARN, key)); err != nil {
				return err
			}
		}
		return tx.Bucket(topicsBucket).Delete([]byte(t.ARN))
	})
	if err != nil {
		return nil, err
	}
	for _, s := range t.subscriptions {
		delete(db.subscriptions, s.ARN)
	}
	delete(db.topics, t.ARN)
	return nil, nil
}

func (db *DB) putTopic(r topicRecord) error {
	return db.write(func(tx *bolt.Tx) error { return putJSON(tx, topicsBucket, []byte(r.ARN), r) })
}

// pageSize is that of the lists.
// https://docs.aws.amazon.com/sns/latest/api/API_ListTopics.html
const pageSize = 100

// page cuts the next page out of sorted ARNs; the token is the last ARN before it.
func page(arns []string, token string) (some []string, next string) {
	at, found := slices.BinarySearch(arns, token)
	if found {
		at++
	}
	arns = arns[at:]
	if len(arns) <= pageSize {
		return arns, ""
	}
	return arns[:pageSize], arns[pageSize-1]
}

type topicsResult struct {
	Topics    []topicResult `xml:"Topics>member"`
	NextToken string        `xml:",omitempty"`
}

func (db *DB) listTopics(c call) (any, error) {
	some, next := page(slices.Sorted(maps.Keys(db.topics)), c.get("NextToken"))
	out := &topicsResult{NextToken: next}
	for _, arn := range some {
		out.Topics = append(out.Topics, topicResult{arn})
	}
	return out, nil
}
