package s3

import (
	"encoding/xml"
	"maps"
	"slices"
	"strconv"

	bolt "go.etcd.io/bbolt"
)

type partsListing struct {
	XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListPartsResult"`
	Bucket, Key, UploadId string
	PartNumberMarker      int
	NextPartNumberMarker  int
	MaxParts              int
	IsTruncated           bool
	Parts                 []listedPart `xml:"Part"`
}

type listedPart struct {
	PartNumber         int
	LastModified, ETag string
	Size               int64
}

func (db *DB) listParts(c *call) error {
	out := partsListing{Bucket: c.bucket, Key: c.key, UploadId: c.query.Get("uploadId"), MaxParts: maxList}
	for name, value := range map[string]*int{"max-parts": &out.MaxParts, "part-number-marker": &out.PartNumberMarker} {
		if given := c.query.Get(name); given != "" {
			n, err := strconv.Atoi(given)
			if err != nil || n < 0 {
				return invalidArgument("Argument %s must be a whole number", name)
			}
			*value = n
		}
	}
	out.MaxParts = min(out.MaxParts, maxList)
	var parts map[int]object
	err := db.index.View(func(tx *bolt.Tx) (err error) {
		if _, err = c.uploadOf(tx); err != nil {
			return err
		}
		parts, err = partsOf(tx, out.UploadId)
		return err
	})
	if err != nil {
		return err
	}
	for _, number := range slices.Sorted(maps.Keys(parts)) {
		if number <= out.PartNumberMarker {
			continue
		}
		if len(out.Parts) == out.MaxParts {
			out.IsTruncated = true
			break
		}
		o := parts[number]
		out.Parts = append(out.Parts, listedPart{number, timestamp(o.Modified), quote(o.ETag), o.Size})
		out.NextPartNumberMarker = number
	}
	return c.answerXML(out)
}
