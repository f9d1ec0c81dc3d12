package s3

import (
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

const maxKey = 1024 // bytes

func (c *call) checkKey() error {
	if len(c.key) > maxKey {
		return refuse(http.StatusBadRequest, "KeyTooLongError", "Your key is too long")
	}
	return nil
}

func (db *DB) putObject(c *call) error {
	if err := c.checkKey(); err != nil {
		return err
	}
	if _, err := db.record(c.bucket); err != nil {
		return err // before the body is read
	}
	headers, metadata, err := c.describe()
	if err != nil {
		return err
	}
	o, err := db.receive(c)
	if err != nil {
		return err
	}
	o.Headers, o.Metadata = headers, metadata
	if err := db.commit(c, "ObjectCreated:Put", o); err != nil {
		return err
	}
	c.showStored(o)
	return nil
}

// showStored sets the headers of an answer to a write.
func (c *call) showStored(o object) {
	h := c.w.Header()
	h.Set("Etag", quote(o.ETag))
	h.Set("X-Amz-Server-Side-Encryption", "AES256")
	if o.Checksum.Algorithm != "" {
		h.Set(o.Checksum.header(), o.Checksum.Value)
	}
}

func quote(etag string) string { return `"` + etag + `"` }

// overrides let a signed GET set headers of its answer.
var overrides = map[string]string{
	"response-content-type": "Content-Type", "response-content-language": "Content-Language", "response-expires": "Expires",
	"response-cache-control": "Cache-Control", "response-content-disposition": "Content-Disposition", "response-content-encoding": "Content-Encoding",
}

// getObject answers GET and HEAD.
func (db *DB) getObject(c *call) error {
	o, f, err := db.open(c.bucket, c.key)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	h := c.w.Header()
	h.Set("Etag", quote(o.ETag))
	h.Set("Last-Modified", o.modified().Format(http.TimeFormat))
	if err := conditionsOf(c.r.Header, "").forRead(o); err != nil {
		return err
	}
	start, length, partial := int64(0), o.Size, false
	if value := c.r.Header.Get("Range"); value != "" {
		if start, length, partial = parseRange(value, o.Size); length == 0 && partial {
			h.Set("Content-Range", "bytes */"+strconv.FormatInt(o.Size, 10))
			return refuse(http.StatusRequestedRangeNotSatisfiable, "InvalidRange", "The requested range is not satisfiable")
		}
	}
	c.showObject(o, !partial)
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	status := http.StatusOK
	if partial {
		status = http.StatusPartialContent
		h.Set("Content-Range", "bytes "+strconv.FormatInt(start, 10)+"-"+strconv.FormatInt(start+length-1, 10)+"/"+strconv.FormatInt(o.Size, 10))
	}
	c.w.WriteHeader(status)
	if c.r.Method == http.MethodHead {
		return nil
	}
	_, _ = io.Copy(c.w, io.NewSectionReader(f, start, length)) // the status is out: a failure breaks the connection
	return nil
}

// showObject sets the headers that describe an object.
func (c *call) showObject(o *object, whole bool) {
	h := c.w.Header()
	h.Set("Content-Type", "binary/octet-stream")
	h.Set("Accept-Ranges", "bytes")
	h.Set("X-Amz-Server-Side-Encryption", "AES256")
	for name, value := range o.Headers {
		h.Set(name, value)
	}
	for name, value := range o.Metadata {
		h.Set("X-Amz-Meta-"+name, value)
	}
	if whole && o.Checksum.Algorithm != "" && strings.EqualFold(c.header("X-Amz-Checksum-Mode"), "ENABLED") {
		h.Set(o.Checksum.header(), o.Checksum.Value)
	}
	for parameter, name := range overrides {
		if value := c.query.Get(parameter); value != "" {
			h.Set(name, value)
		}
	}
}

// parseRange reads one byte range (RFC 9110, 14.1.2). What S3 does not take,
// several ranges among it, gives the whole object (partial false). A range
// outside the object is partial and empty.
func parseRange(header string, size int64) (start, length int64, partial bool) {
	spec, ok := strings.CutPrefix(header, "bytes=")
	from, to, dash := strings.Cut(spec, "-")
	if !ok || !dash {
		return 0, size, false
	}
	first, err1 := strconv.ParseUint(from, 10, 63)
	last, err2 := strconv.ParseUint(to, 10, 63)
	switch {
	case from == "" && err2 == nil: // the last so many
		n := min(int64(last), size)
		return size - n, n, true
	case err1 != nil || to != "" && err2 != nil || to != "" && last < first:
		return 0, size, false
	case int64(first) >= size:
		return 0, 0, true
	}
	end := size - 1
	if to != "" {
		end = min(end, int64(last))
	}
	return int64(first), end - int64(first) + 1, true
}

func (db *DB) deleteObject(c *call) error {
	err := db.change(func(tx *bolt.Tx) ([]string, error) {
		if _, err := bucketOf(tx, c.bucket); err != nil {
			return nil, err
		}
		return db.remove(tx, c, c.key, conditions{match: c.r.Header.Get("If-Match")})
	})
	if err == nil {
		c.w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// remove deletes an object's entry, if there is one, and gives its blob.
func (db *DB) remove(tx *bolt.Tx, c *call, key string, conditions conditions) ([]string, error) {
	before, err := objectOf(tx, c.bucket, key)
	if err != nil {
		return nil, err
	}
	if err := conditions.forWrite(before); err != nil {
		return nil, err
	}
	if before == nil {
		return nil, nil
	}
	if err := db.happened(tx, c, "ObjectRemoved:Delete", key, nil); err != nil {
		return nil, err
	}
	return []string{before.Blob}, tx.Bucket(objectsBucket).Delete(objectKey(c.bucket, key))
}

const maxDeletes = 1000

func (db *DB) deleteObjects(c *call) error {
	doc, err := c.document()
	if err != nil {
		return err
	}
	var in struct {
		XMLName xml.Name `xml:"Delete"`
		Quiet   bool
		Objects []struct{ Key, VersionId, ETag string } `xml:"Object"`
	}
	if xml.Unmarshal(doc, &in) != nil || len(in.Objects) == 0 || len(in.Objects) > maxDeletes {
		return malformedXML()
	}
	type deleted struct{ Key string }
	type failed struct{ Key, Code, Message string }
	out := struct {
		XMLName xml.Name  `xml:"http://s3.amazonaws.com/doc/2006-03-01/ DeleteResult"`
		Deleted []deleted `xml:"Deleted"`
		Errors  []failed  `xml:"Error"`
	}{}
	err = db.change(func(tx *bolt.Tx) (old []string, err error) {
		if _, err := bucketOf(tx, c.bucket); err != nil {
			return nil, err
		}
		for _, o := range in.Objects {
			if o.VersionId != "" && o.VersionId != "null" {
				out.Errors = append(out.Errors, failed{o.Key, "NotImplemented", "The local endpoint has no versions."})
				continue
			}
			blobs, err := db.remove(tx, c, o.Key, conditions{match: o.ETag})
			if e, ok := err.(*Error); ok {
				out.Errors = append(out.Errors, failed{o.Key, e.Code, e.Message})
				continue
			} else if err != nil {
				return nil, err
			}
			old = append(old, blobs...)
			if !in.Quiet {
				out.Deleted = append(out.Deleted, deleted{o.Key})
			}
		}
		return old, nil
	})
	if err != nil {
		return err
	}
	return c.answerXML(out)
}
