package s3

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

var bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func (db *DB) createBucket(c *call) error {
	if !bucketPattern.MatchString(c.bucket) || strings.Contains(c.bucket, "..") || net.ParseIP(c.bucket) != nil {
		return refuse(http.StatusBadRequest, "InvalidBucketName", "The specified bucket is not valid.")
	}
	doc, err := c.document()
	if err != nil {
		return err
	}
	var in struct{ LocationConstraint string }
	if len(doc) > 0 && xml.Unmarshal(doc, &in) != nil {
		return malformedXML()
	}
	if in.LocationConstraint != "" && in.LocationConstraint != db.cfg.Region {
		return refuse(http.StatusBadRequest, "IllegalLocationConstraintException", "The %s location constraint is incompatible for the region specific endpoint this request was sent to.", in.LocationConstraint)
	}
	err = db.change(func(tx *bolt.Tx) ([]string, error) {
		if tx.Bucket(bucketsBucket).Get([]byte(c.bucket)) != nil {
			if db.cfg.Region == "us-east-1" { // there, as with AWS, it is no error
				return nil, nil
			}
			return nil, refuse(http.StatusConflict, "BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded and you already own it.")
		}
		return nil, putJSON(tx, bucketsBucket, []byte(c.bucket), bucketRecord{Created: db.now().UnixMilli()})
	})
	if err == nil {
		c.w.Header().Set("Location", "/"+c.bucket)
	}
	return err
}

func (db *DB) record(bucket string) (b bucketRecord, err error) {
	err = db.index.View(func(tx *bolt.Tx) error {
		b, err = bucketOf(tx, bucket)
		return err
	})
	return b, err
}

func (db *DB) headBucket(c *call) error {
	_, err := db.record(c.bucket)
	if err == nil {
		c.w.Header().Set("X-Amz-Bucket-Region", db.cfg.Region)
	}
	return err
}

func (db *DB) getBucketLocation(c *call) error {
	if _, err := db.record(c.bucket); err != nil {
		return err
	}
	location := db.cfg.Region
	if location == "us-east-1" {
		location = ""
	}
	return c.answerXML(struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ LocationConstraint"`
		Value   string   `xml:",chardata"`
	}{Value: location})
}

func (db *DB) deleteBucket(c *call) error {
	err := db.change(func(tx *bolt.Tx) ([]string, error) {
		if _, err := bucketOf(tx, c.bucket); err != nil {
			return nil, err
		}
		prefix := objectKey(c.bucket, "")
		if key, _ := tx.Bucket(objectsBucket).Cursor().Seek(prefix); bytes.HasPrefix(key, prefix) {
			return nil, refuse(http.StatusConflict, "BucketNotEmpty", "The bucket you tried to delete is not empty")
		}
		return nil, tx.Bucket(bucketsBucket).Delete([]byte(c.bucket))
	})
	if err == nil {
		c.w.WriteHeader(http.StatusNoContent)
	}
	return err
}

type owner struct{ ID, DisplayName string }

var self = owner{ID: "0000000000000000000000000000000000000000000000000000000000000000", DisplayName: "nightshift"}

func (db *DB) listBuckets(c *call) error {
	type entry struct{ Name, CreationDate string }
	out := struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListAllMyBucketsResult"`
		Buckets []entry  `xml:"Buckets>Bucket"`
		Owner   owner
	}{Owner: self}
	err := db.index.View(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketsBucket).ForEach(func(name, value []byte) error {
			var b bucketRecord
			if err := json.Unmarshal(value, &b); err != nil {
				return err
			}
			if strings.HasPrefix(string(name), c.query.Get("prefix")) {
				out.Buckets = append(out.Buckets, entry{string(name), timestamp(b.Created)})
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return c.answerXML(out)
}

// timestamp writes milliseconds since 1970 as S3's documents do.
func timestamp(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
