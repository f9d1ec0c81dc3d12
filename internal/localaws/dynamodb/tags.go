package dynamodb

import (
	"maps"
)

type (
	tagResourceInput struct {
		ResourceArn string
		Tags        []tag
	}
	untagResourceInput struct {
		ResourceArn string
		TagKeys     []string
	}
	listTagsInput struct {
		ResourceArn string
		NextToken   string
	}
	listTagsOutput struct {
		Tags []tag
	}
)

func (db *DB) tagResource(in *tagResourceInput) (any, error) {
	return nil, db.changeTags(in.ResourceArn, func(tags map[string]string) {
		for _, tag := range in.Tags {
			tags[tag.Key] = tag.Value
		}
	})
}

func (db *DB) untagResource(in *untagResourceInput) (any, error) {
	return nil, db.changeTags(in.ResourceArn, func(tags map[string]string) {
		for _, key := range in.TagKeys {
			delete(tags, key)
		}
	})
}

func (db *DB) changeTags(arn string, change func(map[string]string)) error {
	return db.writer.doAlone(func(tx *writeTx) error {
		current, err := db.find(arn)
		if err != nil {
			return err
		}
		t := *current
		t.Tags = maps.Clone(t.Tags)
		if t.Tags == nil {
			t.Tags = map[string]string{}
		}
		change(t.Tags)
		return db.save(tx, &t)
	})
}

func (db *DB) listTagsOfResource(in *listTagsInput) (*listTagsOutput, error) {
	t, err := db.find(in.ResourceArn)
	if err != nil {
		return nil, err
	}
	out := &listTagsOutput{Tags: []tag{}}
	for _, key := range sortedNames(t.Tags) {
		out.Tags = append(out.Tags, tag{Key: key, Value: t.Tags[key]})
	}
	return out, nil
}
