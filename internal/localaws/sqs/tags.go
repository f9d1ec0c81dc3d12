package sqs

import (
	"context"
	"maps"
)

const maxTags = 50

type tagInput struct {
	QueueURL string `json:"QueueUrl"`
	Tags     map[string]string
}

type untagInput struct {
	QueueURL string `json:"QueueUrl"`
	TagKeys  []string
}

type tagsOutput struct {
	Tags map[string]string `json:",omitempty"`
}

func (db *DB) tagQueue(_ context.Context, in *tagInput) (*struct{}, error) {
	if len(in.Tags) == 0 {
		return nil, missingParameter("Tags")
	}
	return nil, db.retag(in.QueueURL, func(tags map[string]string) { maps.Copy(tags, in.Tags) })
}

func (db *DB) untagQueue(_ context.Context, in *untagInput) (*struct{}, error) {
	if len(in.TagKeys) == 0 {
		return nil, missingParameter("TagKeys")
	}
	return nil, db.retag(in.QueueURL, func(tags map[string]string) {
		for _, key := range in.TagKeys {
			delete(tags, key)
		}
	})
}

func (db *DB) retag(queueURL string, change func(map[string]string)) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(queueURL)
	if err != nil {
		return err
	}
	r := q.record
	r.Tags = map[string]string{}
	maps.Copy(r.Tags, q.Tags)
	change(r.Tags)
	if len(r.Tags) > maxTags {
		return refuse("InvalidParameterValue", "Too many tags added for queue %s.", q.Name)
	}
	if err := db.putQueue(r); err != nil {
		return err
	}
	q.record = r
	return nil
}

func (db *DB) listQueueTags(_ context.Context, in *queueInput) (*tagsOutput, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	q, err := db.byURL(in.QueueURL)
	if err != nil {
		return nil, err
	}
	return &tagsOutput{q.Tags}, nil
}
