package sqs

import (
	"context"
	"maps"
	"slices"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

type getAttributesInput struct {
	QueueURL       string `json:"QueueUrl"`
	AttributeNames []string
}

type attributesOutput struct {
	Attributes map[string]string `json:",omitempty"`
}

// derived are the attributes that nobody sets.
var derived = []string{"QueueArn", "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed", "CreatedTimestamp", "LastModifiedTimestamp"}

func (db *DB) getQueueAttributes(_ context.Context, in *getAttributesInput) (*attributesOutput, error) {
	for _, name := range in.AttributeNames {
		_, number := ranges[name]
		_, choice := choices[name]
		if name != "All" && !number && !choice && !slices.Contains(derived, name) {
			return nil, unknownAttribute(name)
		}
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	all := q.settings.effective(q.Attributes)
	all["QueueArn"] = q.arn
	all["ApproximateNumberOfMessages"] = strconv.Itoa(q.visible())
	all["ApproximateNumberOfMessagesNotVisible"] = strconv.Itoa(q.inFlight)
	all["ApproximateNumberOfMessagesDelayed"] = strconv.Itoa(q.delayed())
	all["CreatedTimestamp"] = strconv.FormatInt(q.Created/1000, 10)
	all["LastModifiedTimestamp"] = strconv.FormatInt(q.Modified/1000, 10)
	if !slices.Contains(in.AttributeNames, "All") {
		maps.DeleteFunc(all, func(name, _ string) bool { return !slices.Contains(in.AttributeNames, name) })
	}
	return &attributesOutput{all}, nil
}

type setAttributesInput struct {
	QueueURL   string `json:"QueueUrl"`
	Attributes map[string]string
}

func (db *DB) setQueueAttributes(_ context.Context, in *setAttributesInput) (*struct{}, error) {
	if len(in.Attributes) == 0 {
		return nil, missingParameter("Attributes")
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	if value, given := in.Attributes["FifoQueue"]; given && value != q.Attributes["FifoQueue"] {
		return nil, invalidAttribute("FifoQueue", value, "the kind of a queue cannot be changed.")
	}
	changed := maps.Clone(q.Attributes)
	maps.Copy(changed, in.Attributes)
	changed = withoutEmpty(changed) // an empty value takes the attribute back
	s, err := parseSettings(changed)
	if err != nil {
		return nil, err
	}
	if _, given := in.Attributes["RedrivePolicy"]; given {
		if err := db.checkRedrive(q.arn, s, changed["RedrivePolicy"]); err != nil {
			return nil, err
		}
	}
	r := q.record
	r.Attributes, r.Modified = changed, db.now()
	before := q.settings.delay
	if err := db.putQueue(r); err != nil {
		return nil, err
	}
	q.record, q.settings = r, s
	if s.fifo && s.delay != before {
		return nil, db.redelay(q)
	}
	return nil, nil
}

// redelay applies a FIFO queue's new delay to the messages that wait already;
// on standard queues a new delay is for new messages only.
func (db *DB) redelay(q *queue) error {
	var waiting []*message
	for _, m := range q.messages {
		if m.Count == 0 {
			waiting = append(waiting, m)
		}
	}
	visible := func(m *message) int64 { return m.Sent + int64(q.settings.delay)*1000 }
	err := db.write(func(tx *bolt.Tx) error {
		for _, m := range waiting {
			s := m.state
			s.Visible = visible(m)
			if err := putState(tx, m.seq, s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range waiting {
		q.unplace(m)
		m.Visible = visible(m)
		q.place(m, db.now())
	}
	db.arm(q)
	return nil
}
