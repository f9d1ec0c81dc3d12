package sns

import (
	"maps"
	"slices"
)

// maxTags is how many tags a topic may have.
// https://docs.aws.amazon.com/sns/latest/dg/sns-tags.html
const maxTags = 50

func checkTags(tags map[string]string) error {
	if len(tags) > maxTags {
		return &Error{Code: "TagLimitExceeded", Message: "Could not complete request: tag quota of per resource exceeded"}
	}
	for key, value := range tags {
		if key == "" || len(key) > 128 || len(value) > 256 {
			return invalidParameter("Tags", "Reason: a key has 1 to 128 characters, a value up to 256")
		}
	}
	return nil
}

// tagged finds the topic that a tag operation names.
func (db *DB) tagged(c call) (*topic, error) {
	t := db.topics[c.get("ResourceArn")]
	if t == nil {
		return nil, &Error{Code: "ResourceNotFound", Message: "Resource does not exist", Status: 404}
	}
	return t, nil
}

func (db *DB) tagResource(c call) (any, error) {
	return db.retag(c, func(tags map[string]string) { maps.Copy(tags, c.tags("Tags")) })
}

func (db *DB) untagResource(c call) (any, error) {
	return db.retag(c, func(tags map[string]string) {
		for _, key := range c.list("TagKeys") {
			delete(tags, key)
		}
	})
}

// empty is a result with nothing in it.
type empty struct{}

func (db *DB) retag(c call, change func(map[string]string)) (any, error) {
	t, err := db.tagged(c)
	if err != nil {
		return nil, err
	}
	r := t.topicRecord
	r.Tags = map[string]string{}
	maps.Copy(r.Tags, t.Tags)
	change(r.Tags)
	if err := checkTags(r.Tags); err != nil {
		return nil, err
	}
	if err := db.putTopic(r); err != nil {
		return nil, err
	}
	t.topicRecord = r
	return empty{}, nil
}

type tagsResult struct {
	Tags []tag `xml:"Tags>member"`
}

type tag struct{ Key, Value string }

func (db *DB) listTags(c call) (any, error) {
	t, err := db.tagged(c)
	if err != nil {
		return nil, err
	}
	out := &tagsResult{}
	for _, key := range slices.Sorted(maps.Keys(t.Tags)) {
		out.Tags = append(out.Tags, tag{key, t.Tags[key]})
	}
	return out, nil
}
