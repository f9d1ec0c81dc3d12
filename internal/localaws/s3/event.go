package s3

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// The message of an event, version 2.1. The names of its members are S3's.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
type (
	eventMessage struct {
		Records []eventRecord
	}
	eventRecord struct {
		Version    string            `json:"eventVersion"`
		Source     string            `json:"eventSource"`
		Region     string            `json:"awsRegion"`
		Time       string            `json:"eventTime"`
		Name       string            `json:"eventName"`
		User       principal         `json:"userIdentity"`
		Parameters map[string]string `json:"requestParameters"`
		Response   map[string]string `json:"responseElements"`
		S3         eventEntity       `json:"s3"`
	}
	principal struct {
		ID string `json:"principalId"`
	}
	eventEntity struct {
		Version       string      `json:"s3SchemaVersion"`
		Configuration string      `json:"configurationId"`
		Bucket        eventBucket `json:"bucket"`
		Object        eventObject `json:"object"`
	}
	eventBucket struct {
		Name  string    `json:"name"`
		Owner principal `json:"ownerIdentity"`
		ARN   string    `json:"arn"`
	}
	eventObject struct {
		Key       string `json:"key"`
		Size      *int64 `json:"size,omitempty"`
		ETag      string `json:"eTag,omitempty"`
		Sequencer string `json:"sequencer"`
	}
)

// A notice is an event that somebody has to be told of yet.
type notice struct {
	Queue    string          `json:"queue,omitempty"`
	Function string          `json:"function,omitempty"`
	Body     json.RawMessage `json:"body"`
}

// happened notes within a transaction whom to tell of what the transaction does to an
// object; o is nil for one that is removed. A notice is there if, and only if, the
// change is.
func (db *DB) happened(tx *bolt.Tx, c *call, event, key string, o *object) error {
	b, err := bucketOf(tx, c.bucket)
	if err != nil {
		return err
	}
	record := eventRecord{}
	for _, n := range b.Notifications {
		if !n.matches("s3:"+event, key) {
			continue
		}
		if record.Name == "" {
			if record, err = db.event(tx, c, event, key, o); err != nil {
				return err
			}
		}
		record.S3.Configuration = n.ID
		body, err := json.Marshal(eventMessage{[]eventRecord{record}})
		if err != nil {
			return err
		}
		number, err := tx.Bucket(noticesBucket).NextSequence()
		if err != nil {
			return err
		}
		if err := putJSON(tx, noticesBucket, noticeKey(number), notice{n.Queue, n.Function, body}); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) event(tx *bolt.Tx, c *call, event, key string, o *object) (eventRecord, error) {
	// Of two events of one key the later one has the greater sequencer.
	number, err := tx.Bucket(objectsBucket).NextSequence()
	if err != nil {
		return eventRecord{}, err
	}
	source, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		source = c.r.RemoteAddr
	}
	request := c.w.Header().Get("X-Amz-Request-Id")
	object := eventObject{Key: eventKey(key), Sequencer: fmt.Sprintf("%018X", number)}
	if o != nil {
		object.Size, object.ETag = &o.Size, o.ETag
	}
	return eventRecord{
		Version: "2.1", Source: "aws:s3", Region: db.cfg.Region, Time: timestamp(db.now().UnixMilli()), Name: event,
		User:       principal{"AWS:" + self.DisplayName},
		Parameters: map[string]string{"sourceIPAddress": source},
		Response:   map[string]string{"x-amz-request-id": request, "x-amz-id-2": request},
		S3: eventEntity{
			Version: "1.0", Object: object,
			Bucket: eventBucket{Name: c.bucket, Owner: principal{self.ID}, ARN: "arn:aws:s3:::" + c.bucket},
		},
	}, nil
}

// eventKey is a key as events have it: encoded as in a URL's query, but for slashes.
func eventKey(key string) string { return strings.ReplaceAll(url.QueryEscape(key), "%2F", "/") }

// testEvent is what queues are sent when they are to be notified.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
type testEvent struct {
	Service, Event, Time, Bucket string
	RequestID                    string `json:"RequestId"`
	HostID                       string `json:"HostId"`
}

// test sends the test event to the queues of notifications.
func (db *DB) test(c *call, all []notification) error {
	request := c.w.Header().Get("X-Amz-Request-Id")
	body, err := json.Marshal(testEvent{"Amazon S3", "s3:TestEvent", timestamp(db.now().UnixMilli()), c.bucket, request, request})
	if err != nil {
		return err
	}
	for _, n := range all {
		switch {
		case n.Queue == "" && db.cfg.Invoke == nil, n.Queue != "" && db.cfg.Send == nil:
			return notImplemented("this local endpoint notifies nobody")
		case n.Queue == "":
			continue
		}
		if err := db.cfg.Send(c.r.Context(), n.Queue, string(body)); err != nil {
			return invalidArgument("Unable to validate the following destination configurations: %s: %v", n.Queue, err)
		}
	}
	return nil
}
