package s3

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

const maxList = 1000

type listing struct {
	XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
	Name                  string
	Prefix                string
	Delimiter             string `xml:",omitempty"`
	StartAfter            string `xml:",omitempty"`
	ContinuationToken     string `xml:",omitempty"`
	NextContinuationToken string `xml:",omitempty"`
	EncodingType          string `xml:",omitempty"`
	KeyCount              int
	MaxKeys               int
	IsTruncated           bool
	Contents              []listed
	CommonPrefixes        []struct{ Prefix string }
}

type listed struct {
	Key          string
	LastModified string
	ETag         string
	Size         int64
	StorageClass string
	Owner        *owner `xml:",omitempty"`
}

// listObjects answers ListObjectsV2; see
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html.
func (db *DB) listObjects(c *call) error {
	out := listing{
		Name: c.bucket, Prefix: c.query.Get("prefix"), Delimiter: c.query.Get("delimiter"), StartAfter: c.query.Get("start-after"),
		ContinuationToken: c.query.Get("continuation-token"), EncodingType: c.query.Get("encoding-type"), MaxKeys: maxList,
	}
	if value := c.query.Get("max-keys"); value != "" {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return invalidArgument("Argument maxKeys must be an integer between 0 and 2147483647")
		}
		out.MaxKeys = min(n, maxList)
	}
	if out.EncodingType != "" && out.EncodingType != "url" {
		return invalidArgument("Invalid Encoding Method specified in Request")
	}
	after, skip := out.StartAfter, ""
	if c.query.Has("continuation-token") {
		token, err := base64.URLEncoding.DecodeString(out.ContinuationToken)
		if err != nil || len(token) == 0 {
			return invalidArgument("The continuation token provided is incorrect")
		}
		after, skip = string(token), string(token)
	}
	err := db.index.View(func(tx *bolt.Tx) error {
		if _, err := bucketOf(tx, c.bucket); err != nil {
			return err
		}
		return out.collect(tx, after, skip, c.query.Get("fetch-owner") == "true")
	})
	if err != nil {
		return err
	}
	out.KeyCount = len(out.Contents) + len(out.CommonPrefixes)
	if out.EncodingType == "url" {
		out.encode()
	}
	return c.answerXML(out)
}

// collect fills a page with what comes after a key, without the common prefix
// that the page before ended with.
func (l *listing) collect(tx *bolt.Tx, after, skip string, withOwner bool) error {
	root := objectKey(l.Name, "")
	cursor := tx.Bucket(objectsBucket).Cursor()
	seek := append(bytes.Clone(root), max(l.Prefix, after)...)
	last := ""
	for key, value := cursor.Seek(seek); bytes.HasPrefix(key, root); {
		name := string(key[len(root):])
		if !strings.HasPrefix(name, l.Prefix) {
			if name > l.Prefix {
				break
			}
			key, value = cursor.Next()
			continue
		}
		common := ""
		if at := strings.Index(name[len(l.Prefix):], l.Delimiter); l.Delimiter != "" && at >= 0 {
			common = name[:len(l.Prefix)+at+len(l.Delimiter)]
		}
		if name <= after || common != "" && common == skip {
			key, value = cursor.Next()
			continue
		}
		if len(l.Contents)+len(l.CommonPrefixes) == l.MaxKeys {
			l.IsTruncated = l.MaxKeys > 0
			if l.IsTruncated {
				l.NextContinuationToken = base64.URLEncoding.EncodeToString([]byte(last))
			}
			break
		}
		if common != "" {
			last = common
			l.CommonPrefixes = append(l.CommonPrefixes, struct{ Prefix string }{common})
			for under := append(bytes.Clone(root), common...); bytes.HasPrefix(key, under); {
				key, value = cursor.Next()
			}
			continue
		}
		last = name
		entry, err := listedOf(name, value)
		if err != nil {
			return err
		}
		if withOwner {
			entry.Owner = &self
		}
		l.Contents = append(l.Contents, entry)
		key, value = cursor.Next()
	}
	return nil
}

func listedOf(name string, value []byte) (listed, error) {
	var o object
	if err := json.Unmarshal(value, &o); err != nil {
		return listed{}, err
	}
	return listed{Key: name, LastModified: timestamp(o.Modified), ETag: quote(o.ETag), Size: o.Size, StorageClass: "STANDARD"}, nil
}

// encode percent-encodes what XML may be unable to hold.
func (l *listing) encode() {
	l.Prefix, l.Delimiter, l.StartAfter = escape(l.Prefix, true), escape(l.Delimiter, true), escape(l.StartAfter, true)
	for i := range l.Contents {
		l.Contents[i].Key = escape(l.Contents[i].Key, true)
	}
	for i := range l.CommonPrefixes {
		l.CommonPrefixes[i].Prefix = escape(l.CommonPrefixes[i].Prefix, true)
	}
}
