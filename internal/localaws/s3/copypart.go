package s3

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
)

// copyPart makes a part of another object, or of a range of it.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html
func (db *DB) copyPart(c *call) error {
	number, err := db.partNumber(c)
	if err != nil {
		return err
	}
	from, err := copySource(c.r.Header.Get("X-Amz-Copy-Source"))
	if err != nil {
		return err
	}
	source, f, err := db.open(from.bucket, from.key)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	if err := conditionsOf(c.r.Header, "X-Amz-Copy-Source-").forCopy(source); err != nil {
		return err
	}
	start, length, err := copyRange(c.r.Header.Get("X-Amz-Copy-Source-Range"), source.Size)
	if err != nil {
		return err
	}
	o := object{Size: length, Modified: db.now().UnixMilli()}
	if o.Blob, o.ETag, err = db.duplicate(io.NewSectionReader(f, start, length)); err != nil {
		return err
	}
	if err := db.putPart(c, number, o); err != nil {
		return err
	}
	return c.answerXML(struct {
		XMLName      xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ CopyPartResult"`
		ETag         string
		LastModified string
	}{ETag: quote(o.ETag), LastModified: timestamp(o.Modified)})
}

// copyRange reads bytes=first-last, which lies within the source; without one the whole
// is meant.
func copyRange(header string, size int64) (start, length int64, err error) {
	if header == "" {
		return 0, size, nil
	}
	text, isBytes := strings.CutPrefix(header, "bytes=")
	a, b, _ := strings.Cut(text, "-")
	first, badFirst := strconv.ParseUint(a, 10, 63)
	last, badLast := strconv.ParseUint(b, 10, 63)
	if !isBytes || badFirst != nil || badLast != nil || first > last {
		return 0, 0, invalidArgument("The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy")
	}
	if last >= uint64(size) {
		return 0, 0, invalidArgument("Range specified is not valid for source object of size: %d", size)
	}
	return int64(first), int64(last-first) + 1, nil
}
