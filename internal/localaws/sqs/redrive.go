package sqs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A redrivePolicy says where messages go that were received too often.
type redrivePolicy struct {
	target string
	max    int
}

// A redriveAllowPolicy says which queues may have this one as their dead-letter
// queue.
type redriveAllowPolicy struct {
	RedrivePermission string   `json:"redrivePermission"`
	SourceQueueArns   []string `json:"sourceQueueArns"`
}

// parsePolicies reads RedrivePolicy and RedriveAllowPolicy. maxReceiveCount may
// be a number or a string, as with AWS.
func (s *settings) parsePolicies(attributes map[string]string) error {
	if raw := attributes["RedrivePolicy"]; raw != "" {
		var p struct {
			Target string          `json:"deadLetterTargetArn"`
			Max    json.RawMessage `json:"maxReceiveCount"`
		}
		if err := json.Unmarshal([]byte(raw), &p); err != nil {
			return invalidParameter("RedrivePolicy", raw, "Redrive policy is not a valid JSON map.")
		}
		if p.Target == "" || p.Max == nil {
			return invalidParameter("RedrivePolicy", raw, "Redrive policy does not contain the mandatory attributes deadLetterTargetArn and maxReceiveCount.")
		}
		count, err := strconv.Atoi(strings.Trim(string(p.Max), `"`))
		if err != nil || count < 1 || count > 1000 {
			return invalidParameter("RedrivePolicy", raw, "Invalid value for maxReceiveCount: %s, valid values are from 1 to 1000 both inclusive.", p.Max)
		}
		s.redrive = &redrivePolicy{target: p.Target, max: count}
	}
	if raw := attributes["RedriveAllowPolicy"]; raw != "" {
		var p redriveAllowPolicy
		if err := json.Unmarshal([]byte(raw), &p); err != nil {
			return invalidParameter("RedriveAllowPolicy", raw, "Redrive allow policy is not a valid JSON map.")
		}
		byQueue := p.RedrivePermission == "byQueue"
		if !byQueue && p.RedrivePermission != "allowAll" && p.RedrivePermission != "denyAll" {
			return invalidParameter("RedriveAllowPolicy", raw, "redrivePermission must be allowAll, denyAll or byQueue.")
		}
		if byQueue != (len(p.SourceQueueArns) > 0) || len(p.SourceQueueArns) > 10 {
			return invalidParameter("RedriveAllowPolicy", raw, "sourceQueueArns must have one to ten ARNs with byQueue, and none otherwise.")
		}
		s.allow = &p
	}
	return nil
}

// checkRedrive holds a queue's redrive policy against its target.
func (db *DB) checkRedrive(arn string, s settings, raw string) error {
	if s.redrive == nil {
		return nil
	}
	target := db.byARN(s.redrive.target)
	if target == nil {
		return invalidParameter("RedrivePolicy", raw, "Dead letter target does not exist.")
	}
	if target.settings.fifo != s.fifo {
		return invalidParameter("RedrivePolicy", raw, "Dead-letter queue must be same type of queue as the source.")
	}
	if a := target.settings.allow; a != nil {
		if a.RedrivePermission == "denyAll" || a.RedrivePermission == "byQueue" && !slices.Contains(a.SourceQueueArns, arn) {
			return invalidParameter("RedrivePolicy", raw, "Queue %s is not permitted by the redrive allow policy of the dead letter target.", arn)
		}
	}
	return nil
}

// deadLetterQueue gives the queue's redrive target and how often a message may
// be received before it goes there; nil where there is no such queue now.
func (db *DB) deadLetterQueue(q *queue) (*queue, int) {
	if q.settings.redrive == nil {
		return nil, 0
	}
	return db.byARN(q.settings.redrive.target), q.settings.redrive.max
}

// sources gives the queues whose dead-letter queue has that ARN, by name.
func (db *DB) sources(arn string) []*queue {
	var found []*queue
	for _, name := range slices.Sorted(maps.Keys(db.queues)) {
		q := db.queues[name]
		if q.settings.redrive != nil && q.settings.redrive.target == arn {
			found = append(found, q)
		}
	}
	return found
}

type sourcesInput struct {
	QueueURL   string `json:"QueueUrl"`
	MaxResults *int
	NextToken  string
}

type sourcesOutput struct {
	QueueURLs []string `json:"queueUrls"` // lower case on the wire
	NextToken string   `json:",omitempty"`
}

func (db *DB) listDeadLetterSourceQueues(ctx context.Context, in *sourcesInput) (*sourcesOutput, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, source := range db.sources(q.arn) {
		names = append(names, source.Name)
	}
	page, next, err := paginate(names, in.MaxResults, in.NextToken)
	if err != nil {
		return nil, err
	}
	out := &sourcesOutput{QueueURLs: []string{}, NextToken: next}
	for _, name := range page {
		out.QueueURLs = append(out.QueueURLs, db.urlOf(ctx, name))
	}
	return out, nil
}
