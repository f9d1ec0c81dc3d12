package sqs

import (
	"context"
	"encoding/base64"
	"maps"
	"regexp"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

var queueNamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$|^[A-Za-z0-9_-]{1,75}\.fifo$`)

type createQueueInput struct {
	QueueName  string
	Attributes map[string]string
	Tags       map[string]string `json:"tags"` // lower case on the wire
}

type queueURLOutput struct {
	QueueURL string `json:"QueueUrl"`
}

func (db *DB) createQueue(ctx context.Context, in *createQueueInput) (*queueURLOutput, error) {
	if in.QueueName == "" {
		return nil, missingParameter("QueueName")
	}
	if !queueNamePattern.MatchString(in.QueueName) {
		return nil, refuse("InvalidParameterValue", "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length; a FIFO queue's name ends in .fifo.")
	}
	attributes := withoutEmpty(in.Attributes)
	s, err := parseSettings(attributes)
	if err != nil {
		return nil, err
	}
	if s.fifo != strings.HasSuffix(in.QueueName, ".fifo") {
		return nil, refuse("InvalidParameterValue", "The name of a FIFO queue, and of no other, must end with the .fifo suffix.")
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, errClosed
	}
	if q := db.queues[in.QueueName]; q != nil {
		return db.existing(ctx, q, attributes)
	}
	arn := db.arnOf(in.QueueName)
	if err := db.checkRedrive(arn, s, attributes["RedrivePolicy"]); err != nil {
		return nil, err
	}
	now := db.now()
	r := record{Name: in.QueueName, Attributes: attributes, Tags: in.Tags, Created: now, Modified: now}
	if err := db.putQueue(r); err != nil {
		return nil, err
	}
	db.queues[r.Name] = newQueue(r, s, arn, db.cfg.Ready)
	return &queueURLOutput{db.urlOf(ctx, r.Name)}, nil
}

// existing answers the creation of a queue that is there: a success if every
// attribute given is as it is.
func (db *DB) existing(ctx context.Context, q *queue, attributes map[string]string) (*queueURLOutput, error) {
	effective := q.settings.effective(q.Attributes)
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if effective[name] != attributes[name] {
			return nil, queueExists(name)
		}
	}
	return &queueURLOutput{db.urlOf(ctx, q.Name)}, nil
}

func queueExists(attribute string) error {
	e := refuse("QueueNameExists", "A queue already exists with the same name and a different value for attribute %s", attribute)
	e.QueryCode = "QueueAlreadyExists"
	return e
}

func (db *DB) putQueue(r record) error {
	return db.write(func(tx *bolt.Tx) error { return putJSON(tx, queuesBucket, []byte(r.Name), r) })
}

func withoutEmpty(attributes map[string]string) map[string]string {
	kept := map[string]string{}
	for name, value := range attributes {
		if value != "" {
			kept[name] = value
		}
	}
	return kept
}

type getQueueURLInput struct {
	QueueName              string
	QueueOwnerAWSAccountID string `json:"QueueOwnerAWSAccountId"`
}

func (db *DB) getQueueURL(ctx context.Context, in *getQueueURLInput) (*queueURLOutput, error) {
	if in.QueueName == "" {
		return nil, missingParameter("QueueName")
	}
	if in.QueueOwnerAWSAccountID != "" && in.QueueOwnerAWSAccountID != db.cfg.AccountID {
		return nil, noSuchQueue()
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byName(in.QueueName)
	if err != nil {
		return nil, err
	}
	return &queueURLOutput{db.urlOf(ctx, q.Name)}, nil
}

type listQueuesInput struct {
	QueueNamePrefix string
	MaxResults      *int
	NextToken       string
}

type listQueuesOutput struct {
	QueueURLs []string `json:"QueueUrls"`
	NextToken string   `json:",omitempty"`
}

func (db *DB) listQueues(ctx context.Context, in *listQueuesInput) (*listQueuesOutput, error) {
	db.mu.Lock()
	var names []string
	for name := range db.queues {
		if strings.HasPrefix(name, in.QueueNamePrefix) {
			names = append(names, name)
		}
	}
	db.mu.Unlock()
	slices.Sort(names)
	page, next, err := paginate(names, in.MaxResults, in.NextToken)
	if err != nil {
		return nil, err
	}
	out := &listQueuesOutput{QueueURLs: []string{}, NextToken: next}
	for _, name := range page {
		out.QueueURLs = append(out.QueueURLs, db.urlOf(ctx, name))
	}
	return out, nil
}

// paginate cuts a page of up to maxResults out of sorted names. Without
// maxResults the page has 1,000 and no successor, as with AWS.
func paginate(names []string, maxResults *int, token string) (page []string, next string, err error) {
	limit := 1000
	if maxResults != nil {
		limit = *maxResults
	}
	if limit < 1 || limit > 1000 {
		return nil, "", invalidParameter("MaxResults", limit, "Must be between 1 and 1000.")
	}
	after, err := base64.URLEncoding.DecodeString(token)
	if err != nil {
		return nil, "", invalidParameter("NextToken", token, "Invalid token.")
	}
	if token != "" {
		at, found := slices.BinarySearch(names, string(after))
		if found {
			at++
		}
		names = names[at:]
	}
	if len(names) <= limit {
		return names, "", nil
	}
	page = names[:limit]
	if maxResults != nil {
		next = base64.URLEncoding.EncodeToString([]byte(page[limit-1]))
	}
	return page, next, nil
}

type queueInput struct {
	QueueURL string `json:"QueueUrl"`
}

func (db *DB) deleteQueue(_ context.Context, in *queueInput) (*struct{}, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	err = db.write(func(tx *bolt.Tx) error {
		for seq := range q.messages {
			if err := deleteMessage(tx, seq); err != nil {
				return err
			}
		}
		for key := range q.duplicates.entries {
			if err := tx.Bucket(duplicatesBucket).Delete(duplicateKey(q.Name, key)); err != nil {
				return err
			}
		}
		return tx.Bucket(queuesBucket).Delete([]byte(q.Name))
	})
	if err != nil {
		return nil, err
	}
	delete(db.queues, q.Name)
	q.deleted = true
	q.wake(len(q.waiters))
	db.arm(q)
	return nil, nil
}

func (db *DB) purgeQueue(_ context.Context, in *queueInput) (*struct{}, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	return nil, db.drop(q, slices.Collect(maps.Values(q.messages)))
}
