package s3

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

type uploadsListing struct {
	XMLName            xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListMultipartUploadsResult"`
	Bucket             string
	KeyMarker          string
	UploadIDMarker     string `xml:"UploadIdMarker"`
	NextKeyMarker      string `xml:",omitempty"`
	NextUploadIDMarker string `xml:"NextUploadIdMarker,omitempty"`
	Prefix             string `xml:",omitempty"`
	EncodingType       string `xml:",omitempty"`
	MaxUploads         int
	IsTruncated        bool
	Uploads            []listedUpload `xml:"Upload"`
}

type listedUpload struct {
	Key              string
	UploadID         string `xml:"UploadId"`
	Initiator, Owner owner
	StorageClass     string
	Initiated        string

	started int64
}

// listUploads answers ListMultipartUploads: by key, and the uploads of one key in the
// order in which they began.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
func (db *DB) listUploads(c *call) error {
	out := uploadsListing{
		Bucket: c.bucket, Prefix: c.query.Get("prefix"), KeyMarker: c.query.Get("key-marker"), UploadIDMarker: c.query.Get("upload-id-marker"),
		EncodingType: c.query.Get("encoding-type"), MaxUploads: maxList,
	}
	if c.query.Get("delimiter") != "" {
		return notImplemented("the local endpoint lists uploads without a delimiter")
	}
	if out.EncodingType != "" && out.EncodingType != "url" {
		return invalidArgument("Invalid Encoding Method specified in Request")
	}
	if given := c.query.Get("max-uploads"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 0 {
			return invalidArgument("Argument max-uploads must be an integer between 0 and 2147483647")
		}
		out.MaxUploads = min(n, maxList)
	}
	all, err := db.uploadsOf(c.bucket, out.Prefix)
	if err != nil {
		return err
	}
	out.take(all)
	if out.EncodingType == "url" {
		for _, text := range []*string{&out.Prefix, &out.KeyMarker, &out.NextKeyMarker} {
			*text = escape(*text, true)
		}
		for i := range out.Uploads {
			out.Uploads[i].Key = escape(out.Uploads[i].Key, true)
		}
	}
	return c.answerXML(out)
}

// take takes the page after the markers.
func (l *uploadsListing) take(all []listedUpload) {
	start := 0
	for i, u := range all {
		if u.Key < l.KeyMarker || u.Key == l.KeyMarker && (l.UploadIDMarker == "" || u.UploadID == l.UploadIDMarker) {
			start = i + 1
		}
	}
	all = all[start:]
	if l.IsTruncated = len(all) > l.MaxUploads; l.IsTruncated {
		all = all[:l.MaxUploads]
	}
	if l.Uploads = all; l.IsTruncated && len(all) > 0 {
		last := all[len(all)-1]
		l.NextKeyMarker, l.NextUploadIDMarker = last.Key, last.UploadID
	}
}

// uploadsOf gives a bucket's uploads in their order.
func (db *DB) uploadsOf(bucket, prefix string) (all []listedUpload, err error) {
	err = db.index.View(func(tx *bolt.Tx) error {
		if _, err := bucketOf(tx, bucket); err != nil {
			return err
		}
		return tx.Bucket(uploadsBucket).ForEach(func(id, value []byte) error {
			var u upload
			if err := json.Unmarshal(value, &u); err != nil {
				return err
			}
			if u.Bucket == bucket && strings.HasPrefix(u.Key, prefix) {
				all = append(all, listedUpload{u.Key, string(id), self, self, "STANDARD", timestamp(u.Started), u.Started})
			}
			return nil
		})
	})
	slices.SortFunc(all, func(a, b listedUpload) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.started, b.started), strings.Compare(a.UploadID, b.UploadID))
	})
	return all, err
}
